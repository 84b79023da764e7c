//! The failures of every storage engine, and its health.

use std::error::Error;
use std::sync::Arc;

/// The error of the engine, for the log. Shared, because one failed commit fails a whole batch.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Wraps `err` for the log.
    pub fn new(err: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(err.into()))
    }
}

/// A failure of storage, not of the request.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The write queue is full.
    #[error("too many requests are waiting for the database")]
    Overloaded,
    /// The disk of the database is full, or has less free space than the limit.
    #[error("the disk of the database is full")]
    Full(#[source] Cause),
    /// The write-ahead log has its maximum length, and a reader prevents its truncation.
    #[error(
        "the write-ahead log has reached its size limit because another program holds a long \
         read transaction on the database"
    )]
    WalFull(#[source] Cause),
    /// The engine does not answer, is locked by another program, or cannot write at present.
    #[error("the database does not accept writes at the moment")]
    Unavailable(#[source] Cause),
    /// The database files were moved, replaced or deleted. Writes to them would be lost.
    #[error("the database file was moved, replaced or deleted while the server was using it")]
    Moved(#[source] Cause),
    /// An fsync failed, so that the content of the disk is unknown. Writes are refused until a
    /// restart has read the database again.
    #[error("writes are refused until a restart because the disk failed to confirm a write")]
    Latched,
    /// The database is damaged or lost rows. Writes are refused until a restart.
    #[error("writes are refused until a restart because the database is damaged")]
    Damaged(#[source] Cause),
    /// A row has a value that this version cannot decode.
    #[error("a row of the database cannot be decoded")]
    Undecodable(#[source] Cause),
    /// An error of the engine that is not one of the others.
    #[error("unexpected database error")]
    Unexpected(#[source] Cause),
}

/// The health of a storage engine.
#[derive(Debug, Clone)]
pub struct StorageStatus {
    /// The engine and its version.
    pub engine: String,
    /// The failure that refuses writes at present.
    pub failure: Option<StoreError>,
    /// Number of debates with rows that cannot be decoded, found since the store was opened.
    pub damaged: u64,
    /// Length of the engine's write-ahead log in bytes, where it is a file of this process.
    pub wal_bytes: Option<u64>,
}

/// A storage engine, apart from the data of any context.
pub trait Storage: Send + Sync {
    /// The health as far as it is known without using the disk.
    fn status(&self) -> StorageStatus;
}
