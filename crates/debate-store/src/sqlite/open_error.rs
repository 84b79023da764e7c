//! Why a database file could not be opened.

use std::io;
use std::path::PathBuf;

use rusqlite::ffi;

use super::backup::BackupError;
use super::legacy::Unfaithful;

/// Why a database could not be opened. Each reads as one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error(
        "{} is in use by another aw process; stop that process, or choose another file with \
         --db-path",
        .0.display()
    )]
    InUse(PathBuf),
    /// A later version of this program wrote it.
    #[error(
        "the database has schema version {found}, and this aw supports up to version {known}; the \
         file was not changed: use a newer aw"
    )]
    Newer {
        /// The version found.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// It holds other things than debates.
    #[error("{} belongs to another program; choose another file with --db-path", .0.display())]
    NotOurs(PathBuf),
    /// It was made by an earlier server and can't be carried over without changing its meaning.
    #[error("the database cannot be migrated without loss and was not changed: {0}")]
    Unfaithful(#[from] Unfaithful),
    /// The path names something that can't be a database.
    #[error("{} is {kind}, not a database; choose another path with --db-path", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
        /// What is there.
        kind: &'static str,
    },
    /// Another program has the file open while it must not be changed.
    #[error(
        "{} is open in process {pid} ({program}) and was not changed; stop that program, then try \
         again",
        path.display()
    )]
    OpenElsewhere {
        /// The database file.
        path: PathBuf,
        /// The process.
        pid: u32,
        /// The name of its program.
        program: String,
    },
    /// Whether another program has the file open can't be found out on this system.
    #[error(
        "{} is the database of an earlier server, and this system does not list the programs that \
         have it open; stop the earlier server, then confirm with --confirm-carry-over",
        .0.display()
    )]
    Unconfirmed(PathBuf),
    /// The backup that precedes a carry-over failed.
    #[error("the database was not migrated, because the backup before it failed: {0}")]
    NoBackup(#[source] Box<BackupError>),
    /// The log that a killed server left is not there, or is another file.
    #[error(
        "{} {problem}; restore that write-ahead log, or open the database without it by \
         --accept-database-as-is, which loses the writes that were only in the log",
        log.display()
    )]
    LogChanged {
        /// The write-ahead log.
        log: PathBuf,
        /// What is wrong with it, as the end of a sentence.
        problem: &'static str,
    },
    /// A change was interrupted, and only a program that may write can roll it back.
    #[error("an interrupted transaction must be rolled back first: run aw serve or aw db migrate")]
    Interrupted,
    /// The file system can't hold a write-ahead log.
    #[error("SQLite cannot use WAL mode for {}; choose a local file system", .0.display())]
    NoLog(PathBuf),
    /// There is no file.
    #[error("{} does not exist; aw serve creates it, or choose another path", .0.display())]
    Absent(PathBuf),
    /// It must be brought up to date before it can be used for this.
    #[error(
        "{} has schema version {found}, and version {known} is required; migrate it first: \
         aw db migrate --db-path {}", path.display(), path.display()
    )]
    Older {
        /// Which file.
        path: PathBuf,
        /// The version found; 0 when there is none yet.
        found: i64,
        /// The version needed.
        known: i64,
    },
    /// It was meant to be filled, and is not empty.
    #[error("{} is not empty and was not changed; choose another path", .0.display())]
    NotEmpty(PathBuf),
    /// The built-in SQLite is older than it must be.
    #[error("this build contains SQLite {0}, which can corrupt a database; 3.51.3 is required")]
    OldSqlite(&'static str),
    /// The file system said no.
    #[error("cannot access {}", path.display())]
    File {
        /// What was tried.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The writer thread could not be started.
    #[error("cannot start the writer thread")]
    Thread(#[from] io::Error),
    /// SQLite said no.
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
