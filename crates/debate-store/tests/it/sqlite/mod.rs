//! SQLite: the contract, and what only a file in a folder can promise.

mod batch;
mod capacity;
mod check;
mod durable;
pub(crate) mod file;
mod forum;
mod left;
mod moved;
mod plans;
mod private;
mod refused;
mod regular;
mod remembered;
mod runs;
mod suite;
