//! Where debates are kept: SQL, and nothing but SQL.

mod arena;
mod aside;
mod auxiliary;
mod damage;
mod forum;
mod postgres;
mod rate;
mod rings;
mod runner;
mod sessions;
mod sql;
mod sqlite;
mod survey;
mod trouble;

pub use postgres::{ConnectError, Postgres, PostgresArchive, PostgresOptions};
pub use sqlite::{
    Backup, BackupError, CarryOverEvent, CarryOverSummary, Consent, OddRow, OpenError, Sqlite,
    SqliteArchive, SqliteOptions, Unfaithful,
};
pub use survey::{Migrated, Survey};
