//! Detects that the database file or its write-ahead log was moved, replaced, deleted or truncated.
//!
//! SQLite notices that only when it opens a file. A server could go on writing to a deleted file,
//! and every write that it acknowledged would be lost.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;

use super::open::{file_error, sibling};
use super::open_error::OpenError;
use crate::engine::EngineError;

/// Length of the header of a write-ahead log, and of the header of each page in it.
const LOG_HEADER_BYTES: u64 = 32;
const PAGE_HEADER_BYTES: u64 = 24;

/// The database file and its write-ahead log, with the identities that they had
/// when they were opened.
pub(super) struct DatabaseFile {
    file: (PathBuf, Identity),
    log: (PathBuf, Identity),
    page_bytes: u64,
}

/// Device and inode: a file keeps them when it is renamed.
type Identity = (u64, u64);

impl DatabaseFile {
    /// Records the identities of the files. `conn` must have read the database, so
    /// that its log exists.
    pub(super) fn new(path: &Path, conn: &Connection) -> Result<Self, OpenError> {
        let identify = |path: PathBuf| match fs::metadata(&path) {
            Ok(found) => Ok((path, identity(&found))),
            Err(err) => Err(file_error(&path)(err)),
        };
        let page_bytes = conn.query_row("pragma page_size", [], |row| row.get(0))?;
        Ok(Self {
            file: identify(path.to_owned())?,
            log: identify(sibling(path, "-wal"))?,
            page_bytes,
        })
    }

    /// Fails if a path names another file now, or if the log is shorter than its number of `pages`
    /// requires. Returns the length of the log in bytes.
    pub(super) fn check(&self, conn: &Connection, pages: &AtomicI32) -> Result<u64, StoreError> {
        check_identity(&self.file)?;
        let log = check_identity(&self.log)?;
        if log.len() >= self.log_bytes(pages.load(Ordering::Relaxed)) {
            return Ok(log.len());
        }
        // A checkpoint of another connection may have truncated the log. SQLite knows its length;
        // it is asked before the file is measured again, because the log may grow in between.
        let statement = "pragma wal_checkpoint(noop)";
        let current = conn.query_row(statement, [], |row| row.get(1)).map_err(EngineError::from)?;
        let log = check_identity(&self.log)?;
        if log.len() < self.log_bytes(current) {
            return Err(StoreError::Damaged(Cause::new("the write-ahead log was truncated")));
        }
        pages.store(current, Ordering::Relaxed);
        Ok(log.len())
    }

    /// The minimum length of a log with this number of pages.
    fn log_bytes(&self, pages: i32) -> u64 {
        match u64::try_from(pages) {
            Ok(0) | Err(_) => 0,
            Ok(pages) => LOG_HEADER_BYTES + pages * (PAGE_HEADER_BYTES + self.page_bytes),
        }
    }
}

fn check_identity((path, opened): &(PathBuf, Identity)) -> Result<Metadata, StoreError> {
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
