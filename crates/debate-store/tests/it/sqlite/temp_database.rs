//! A temporary directory with a database file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use debate_app::Notifier;
use debate_store::{OpenError, Sqlite, SqliteOptions};
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::engine::{Engine, notifier};

pub(crate) struct TempDatabase {
    folder: TempDir,
}

impl TempDatabase {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("the system has room for a folder") }
    }

    /// The path of the database, which may not exist yet.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("debate.db")
    }

    /// The file beside the database with this ending: its log, its index, its lock.
    pub(crate) fn beside(&self, end: &str) -> PathBuf {
        self.folder.path().join(format!("debate.db{end}"))
    }

    pub(crate) fn open(&self) -> Result<Sqlite, OpenError> {
        self.open_with(&notifier())
    }

    pub(crate) fn open_with(&self, notifier: &Arc<Notifier>) -> Result<Sqlite, OpenError> {
        Sqlite::open(&SqliteOptions::at(self.path()), Arc::clone(notifier))
    }

    /// The store in this directory. It must be dropped before the directory.
    pub(crate) fn engine(&self) -> Engine {
        engine_at(&SqliteOptions::at(self.path()))
    }

    /// The bytes of the file on the disk.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).expect("the file is there")
    }

    /// A connection of another program that may write.
    pub(crate) fn writable_connection(&self) -> Connection {
        Connection::open(self.path()).expect("the file can be opened")
    }

    /// A connection of another program that may only read.
    pub(crate) fn read_only_connection(&self) -> Connection {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        Connection::open_with_flags(self.path(), flags).expect("the file can be opened")
    }

    /// Asserts that opening is refused and that the file is unchanged. Returns the error.
    pub(crate) fn refusal(&self) -> OpenError {
        let before = self.bytes();
        let Err(refusal) = self.open() else { panic!("the file was taken") };
        assert!(self.bytes() == before, "the file was touched: {refusal}");
        refusal
    }
}

/// A store with other limits, in a directory that outlives it.
pub(crate) fn engine_at(options: &SqliteOptions) -> Engine {
    let notifier = notifier();
    let store = Sqlite::open(options, Arc::clone(&notifier)).expect("the file can be opened");
    Engine::new(store, notifier, Box::new(()))
}

/// The text that a statement returns.
pub(crate) fn query_text(conn: &Connection, question: &str) -> String {
    conn.query_row(question, [], |row| row.get(0)).expect("the question has an answer")
}

/// The permissions of a file or folder.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(path).expect("the file is there");
    metadata.permissions().mode() & 0o777
}
