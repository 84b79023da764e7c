//! Tests of SQLite only: its file, locks and disk. They run on SQLite whatever the engine of the
//! run is, so the run on PostgreSQL skips this module.

mod backup;
mod file;
mod search_limit;
mod storage_failures;
