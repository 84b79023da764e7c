//! The errors of opening a database file.

use std::io;
use std::path::PathBuf;

use rusqlite::ffi;

use super::backup::BackupError;
use super::legacy::LossyMigration;

/// The reason why a database could not be opened. Each message is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another aw process has the file open.
    #[error(
        "{} is in use by another aw process; stop that process, or choose another file with \
         --db-path",
        .0.display()
    )]
    InUse(PathBuf),
    /// A later version of aw wrote the file.
    #[error(
        "the database has schema version {found}, and this aw supports up to version {known}; the \
         file was not changed: use a newer aw"
    )]
    Newer {
        /// The schema version of the file.
        found: i64,
        /// The newest schema version that this build supports.
        known: i64,
    },
    /// The file is a database of another program.
    #[error("{} belongs to another program; choose another file with --db-path", .0.display())]
    NotOurs(PathBuf),
    /// The database of an original server has rows that a migration would change or lose.
    #[error("the database cannot be migrated without loss and was not changed: {0}")]
    LossyMigration(#[from] LossyMigration),
    /// The path names something that is not a regular file.
    #[error("{} is {kind}, not a database; choose another path with --db-path", path.display())]
    NotRegular {
        /// The path as it was given.
        path: PathBuf,
        /// The kind of file that the path names, with its article.
        kind: &'static str,
    },
    /// Another program has the file open, so that a migration is not safe.
    #[error(
        "{} is open in process {pid} ({program}) and was not changed; stop that program, then try \
         again",
        path.display()
    )]
    OpenElsewhere {
        /// The path of the database.
        path: PathBuf,
        /// The id of the process that has it open.
        pid: u32,
        /// The name of its program.
        program: String,
    },
    /// The system does not show whether another program has the file open.
    #[error(
        "{} is the database of an earlier server, and this system does not list the programs that \
         have it open; stop the earlier server, then confirm with --confirm-carry-over",
        .0.display()
    )]
    Unconfirmed(PathBuf),
    /// The backup before the migration of an original database failed.
    #[error("the database was not migrated, because the backup before it failed: {0}")]
    NoBackup(#[source] Box<BackupError>),
    /// The log that a killed server left is missing or replaced.
    #[error(
        "{} {problem}; restore that write-ahead log, or open the database without it by \
         --accept-database-as-is, which loses the writes that were only in the log",
        log.display()
    )]
    LogChanged {
        /// The path of the write-ahead log.
        log: PathBuf,
        /// The problem, as the end of a sentence about the log.
        problem: &'static str,
    },
    /// A transaction was interrupted, and only a writable connection can roll it back.
    #[error("an interrupted transaction must be rolled back first: run aw serve or aw db migrate")]
    Interrupted,
    /// The file system does not support a write-ahead log.
    #[error("SQLite cannot use WAL mode for {}; choose a local file system", .0.display())]
    NoLog(PathBuf),
    /// The file does not exist.
    #[error("{} does not exist; aw serve creates it, or choose another path", .0.display())]
    Absent(PathBuf),
    /// The operation needs the current schema version.
    #[error(
        "{} has schema version {found}, and version {known} is required; migrate it first: \
         aw db migrate --db-path {}", path.display(), path.display()
    )]
    Older {
        /// The path of the database.
        path: PathBuf,
        /// The schema version of the file; 0 for an empty file.
        found: i64,
        /// The schema version that is needed.
        known: i64,
    },
    /// The destination of a copy has rows.
    #[error("{} is not empty and was not changed; choose another path", .0.display())]
    NotEmpty(PathBuf),
    /// The SQLite of this build is older than the required version.
    #[error("this build contains SQLite {0}, which can corrupt a database; 3.51.3 is required")]
    OldSqlite(&'static str),
    /// A file operation failed.
    #[error("cannot access {}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The writer thread could not be started.
    #[error("cannot start the writer thread")]
    Thread(#[from] io::Error),
    /// SQLite failed to open or configure the file.
    #[error("SQLite cannot open the database")]
    Sqlite(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(err: rusqlite::Error) -> Self {
        let code = err.sqlite_error().map(|failure| failure.extended_code);
        match code {
            Some(ffi::SQLITE_READONLY_ROLLBACK) => Self::Interrupted,
            Some(_) | None => Self::Sqlite(err),
        }
    }
}
