//! Storage: all SQL of the product, for SQLite and PostgreSQL.

mod archive;
mod arena;
mod engine;
mod forum;
mod lease;
mod notifications;
mod postgres;
mod rate;
mod runner;
mod sessions;
mod sql;
mod sqlite;
mod storage_health;

pub use archive::{
    Archive, ArchiveError, CopyResult, DatabaseStatus, DatabaseSummary, Digest, Item, Migration,
    StaleIndex, TableProgress, archive_tables, check, copy,
};
pub use engine::Store;
pub use postgres::{ConnectError, Postgres, PostgresEngine, PostgresOptions};
pub use sqlite::{
    Backup, BackupError, Consent, LegacyMigrationEvent, LegacyMigrationSummary, LossyMigration,
    OpenError, RowProblem, Sqlite, SqliteEngine, SqliteOptions,
};
