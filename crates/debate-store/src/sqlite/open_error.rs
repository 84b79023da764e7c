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
        "{} is in use by another aw process; stop that one, or choose another file with --db-path",
        .0.display()
    )]
    InUse(PathBuf),
    /// A later version of this program wrote it.
    #[error(
        "the database has layout version {found}, this build knows versions up to {known}; \
         it was not touched: use a newer aw"
    )]
    Newer {
        /// The version found.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// It holds other things than debates.
    #[error("{} is a database of something else; choose another file with --db-path", .0.display())]
    NotOurs(PathBuf),
    /// It was made by an earlier server and can't be carried over without changing its meaning.
    #[error("the older database can't be carried over faithfully and was not touched: {0}")]
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
        "{} is open in process {pid} ({program}); stop that program, then try again; the file was \
         not touched",
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
        "{} is the database of an earlier server, and this system does not show which programs \
         have \
         it open; stop the earlier server, then confirm with --confirm-carry-over",
        .0.display()
    )]
    Unconfirmed(PathBuf),
    /// The backup that precedes a carry-over failed.
    #[error("the older database was not touched, because it could not be backed up: {0}")]
    NoBackup(#[source] Box<BackupError>),
    /// The log that a killed server left is not there, or is another file.
    #[error(
        "{} {problem}; restore that log, or accept the database as it is now with \
         --accept-database-as-is: docs/database.md says when that is safe",
        log.display()
    )]
    LogChanged {
        /// The write-ahead log.
        log: PathBuf,
        /// What is wrong with it, as the end of a sentence.
        problem: &'static str,
    },
    /// A change was interrupted, and only a program that may write can roll it back.
    #[error(
        "a change to the database was interrupted and must be rolled back first: aw serve does so, \
         and so does aw db migrate"
    )]
    Interrupted,
    /// The file system can't hold a write-ahead log.
    #[error("{} can't be put into write-ahead mode; choose a local file system", .0.display())]
    NoLog(PathBuf),
    /// There is no file.
    #[error("there is no database {}; aw serve makes one, or give another path", .0.display())]
    Absent(PathBuf),
    /// It must be brought up to date before it can be used for this.
    #[error(
        "{} has layout version {found} and {known} is needed; bring it up to date first: \
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
    #[error("{} holds debates already and was not touched; give another path", .0.display())]
    NotEmpty(PathBuf),
    /// The built-in SQLite is older than it must be.
    #[error("this build contains SQLite {0}, which can corrupt a database; 3.51.3 is needed")]
    OldSqlite(&'static str),
    /// The file system said no.
    #[error("cannot use {}", path.display())]
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
