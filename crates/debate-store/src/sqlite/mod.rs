//! SQLite inside the process: one writing thread with group commit, a few readers with snapshots.

mod archive;
mod arena;
mod backup;
mod columns;
mod fault;
mod folder;
mod forum;
mod job;
mod legacy;
mod migrate;
mod open;
mod place;
mod readers;
mod runner;
mod steps;
mod tables;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use debate_app::{Hub, Storage, StorageStatus};

pub use archive::SqliteArchive;
pub use backup::{Backup, BackupError};
pub use open::OpenError;

use open::FileLock;
use place::Place;
use readers::Readers;
use writer::Writer;

use crate::trouble::Trouble;

/// How many reads that take their time run at once.
const SEARCHERS: usize = 2;

/// Where the file is, and the bounds of the machinery around it.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The database file; made when absent.
    pub path: PathBuf,
    /// How many reads run at once.
    pub readers: usize,
    /// How many writes wait at most.
    pub queue_max: usize,
    /// How many writes share one commit at most.
    pub batch_max: usize,
}

impl SqliteOptions {
    /// The usual bounds.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path, readers: 4, queue_max: 4096, batch_max: 512 }
    }
}

/// Debates in a SQLite file.
pub struct Sqlite {
    // Dropped in this order: the writer is the last to close, since only it can fold the log into
    // the file, and only then may another process have the file.
    readers: Arc<Readers>,
    /// For reads that take their time, so that they never keep a short one waiting.
    searchers: Arc<Readers>,
    writer: Writer,
    _lock: FileLock,
}

impl Sqlite {
    /// Opens the file, makes or migrates what is in it, and starts the writer.
    pub fn open(options: &SqliteOptions, hub: Arc<Hub>) -> Result<Self, OpenError> {
        // Links are followed: the lock and the log are beside the file itself.
        let path = open::true_path(&options.path)?;
        let (lock, connection) = open::prepare(&path)?;
        let trouble = Arc::new(Trouble::default());
        let readers = Arc::new(Readers::open(&path, options.readers, &trouble)?);
        let searchers = Arc::new(Readers::open(&path, SEARCHERS, &trouble)?);
        let (beside, place) = (open::writer(&path)?, Place::of(&path, &connection)?);
        let writer = Writer::start(connection, beside, place, trouble, hub, options)?;
        Ok(Self { readers, searchers, writer, _lock: lock })
    }
}

impl Storage for Sqlite {
    fn status(&self) -> StorageStatus {
        StorageStatus {
            engine: format!("sqlite {}", rusqlite::version()),
            trouble: self.writer.trouble(),
        }
    }
}
