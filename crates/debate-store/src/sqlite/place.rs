//! Whether the database is still where it was opened, and whole.
//!
//! A file that is moved, replaced or deleted under a server can still be written to, and nobody
//! would find again what was acknowledged since; the same goes for a log that somebody cut. SQLite
//! looks only when it opens a file.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;

use super::fault::Fault;
use super::open::{at, beside};
use super::open_error::OpenError;

/// What the log has before all of its pages, and before each.
const LOG_HEAD_BYTES: u64 = 32;
const PAGE_HEAD_BYTES: u64 = 24;

/// The file and its log: by which names they were opened, and which files those were.
pub(super) struct Place {
    file: (PathBuf, Identity),
    log: (PathBuf, Identity),
    page_bytes: u64,
}

/// What a file is, whatever it is called: its device and its number there.
type Identity = (u64, u64);

impl Place {
    /// As it is now. The file must have been read, so that its log is there.
    pub(super) fn of(path: &Path, conn: &Connection) -> Result<Self, OpenError> {
        let known = |path: PathBuf| match fs::metadata(&path) {
            Ok(found) => Ok((path, identity(&found))),
            Err(err) => Err(at(&path)(err)),
        };
        let page_bytes = conn.query_row("pragma page_size", [], |row| row.get(0))?;
        Ok(Self { file: known(path.to_owned())?, log: known(beside(path, "-wal"))?, page_bytes })
    }

    /// Whether by the same names there are the same files, and nothing is missing from a log that
    /// had so many pages. Returns the length of the log in bytes.
    pub(super) fn check(&self, conn: &Connection, pages: &AtomicI32) -> Result<u64, StoreError> {
        still_there(&self.file)?;
        let log = still_there(&self.log)?;
        if log.len() >= self.log_bytes(pages.load(Ordering::Relaxed)) {
            return Ok(log.len());
        }
        // Whoever else folds the log in may cut it. SQLite knows what should be there; asked before
        // the log is looked at again, since it may grow in between.
        let statement = "pragma wal_checkpoint(noop)";
        let there = conn.query_row(statement, [], |row| row.get(1)).map_err(Fault::from)?;
        let log = still_there(&self.log)?;
        if log.len() < self.log_bytes(there) {
            return Err(StoreError::Damaged(Cause::new("the write-ahead log was truncated")));
        }
        pages.store(there, Ordering::Relaxed);
        Ok(log.len())
    }

    /// How long a log with so many pages in it is at least.
    fn log_bytes(&self, pages: i32) -> u64 {
        match u64::try_from(pages) {
            Ok(0) | Err(_) => 0,
            Ok(pages) => LOG_HEAD_BYTES + pages * (PAGE_HEAD_BYTES + self.page_bytes),
        }
    }
}

fn still_there((path, opened): &(PathBuf, Identity)) -> Result<Metadata, StoreError> {
    let cause = match fs::metadata(path) {
        Ok(found) if identity(&found) == *opened => return Ok(found),
        Ok(_) => format!("{} was replaced by another file", path.display()),
        Err(err) => format!("{}: {err}", path.display()),
    };
    Err(StoreError::Moved(Cause::new(cause)))
}

fn identity(file: &Metadata) -> Identity {
    (file.dev(), file.ino())
}
