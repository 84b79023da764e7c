//! Tests on SQLite: the contract suite, and behaviour of a database file.

mod cached_debates;
mod capacity;
mod check;
mod durability;
mod forum;
mod group_commit;
mod moved_file;
mod permissions;
mod query_plans;
mod refused_files;
mod regular_files;
mod runner;
mod suite;
pub(crate) mod temp_database;
mod unclean_stop;
