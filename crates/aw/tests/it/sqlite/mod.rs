//! What is true of SQLite alone: its file, its locks, its disk. These tests run on SQLite whatever
//! the run's engine is, so the run on PostgreSQL leaves out this module.

mod backup;
mod file;
mod searching;
mod trouble;
