//! What every store can fail at, and how it says that it is well.

use std::error::Error;
use std::sync::Arc;

/// The engine's own words, for the log. Shared: one failed commit fails a whole batch.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Keeps `err` for the log.
    pub fn new(err: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(err.into()))
    }
}

/// A failure of storage; never the caller's fault.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// More is waiting to be done than the server takes on.
    #[error("too many requests are waiting for the database")]
    Overloaded,
    /// There is no room left where the data lives.
    #[error("the disk of the database is full")]
    Full(#[source] Cause),
    /// The write-ahead log is as long as it may get, and a reader keeps it from being truncated.
    #[error(
        "the write-ahead log has reached its size limit because another program holds a long \
         read transaction on the database"
    )]
    WalFull(#[source] Cause),
    /// The engine does not answer, is locked by someone else, or can't write just now.
    #[error("the database does not accept writes at the moment")]
    Unavailable(#[source] Cause),
    /// The files that hold the data are not where they were opened. What is written to them now
    /// might never be found again.
    #[error("the database file was moved, replaced or deleted while the server was using it")]
    Moved(#[source] Cause),
    /// The disk failed to confirm a write. What it holds is not known, so nothing more is written
    /// until a restart has read it back.
    #[error("writes are refused until a restart because the disk failed to confirm a write")]
    Latched,
    /// The database lost something that was in it. What else is missing is not known, so nothing
    /// more is written until a restart.
    #[error("writes are refused until a restart because the database is damaged")]
    Damaged(#[source] Cause),
    /// A row holds a value that this version does not know.
    #[error("a row of the database cannot be decoded")]
    Undecodable(#[source] Cause),
    /// What the database holds makes no sense, or the engine did what it never should.
    #[error("unexpected database error")]
    Unexpected(#[source] Cause),
}

/// How a store is doing.
#[derive(Debug, Clone)]
pub struct StorageStatus {
    /// The engine and its version.
    pub engine: String,
    /// Why writes fail at present, if they do.
    pub trouble: Option<StoreError>,
    /// Number of debates found with rows that cannot be decoded, since the store was opened.
    pub damaged: u64,
    /// Length of the engine's write-ahead log in bytes, where it is a file of this process.
    pub wal_bytes: Option<u64>,
}

/// What every engine can say about itself.
pub trait Storage: Send + Sync {
    /// Whether writes go through, as far as is known.
    fn status(&self) -> StorageStatus;
}
