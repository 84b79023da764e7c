//! Read-only connections; each read sees one snapshot.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::StorageFailure;
use super::{OpenError, open};
use crate::engine::EngineError;
use crate::storage_health::StorageHealth;

/// Maximum duration of a read; SQLite interrupts it after that.
const LONG_READ: Duration = Duration::from_secs(5);

/// Number of SQLite's virtual machine steps between two checks of the deadline.
const STEPS_BETWEEN_CALLS: i32 = 10_000;

pub(super) struct Readers {
    idle: Mutex<Vec<Reader>>,
    permits: Arc<Semaphore>,
    /// One permit for each read that runs or waits, where the queue is bounded.
    queue_slots: Option<Arc<Semaphore>>,
    health: Arc<StorageHealth>,
}

/// Held from admission to the end of a read.
struct ReadPermit {
    _connection: OwnedSemaphorePermit,
    _slot: Option<OwnedSemaphorePermit>,
}

struct Reader {
    conn: Connection,
    deadline: Arc<Deadline>,
}

impl Readers {
    pub(super) fn open(
        path: &Path,
        count: usize,
        health: &Arc<StorageHealth>,
    ) -> Result<Self, OpenError> {
        let idle = (0..count)
            .map(|_| {
                let mut conn = open::reader(path)?;
                let deadline = Arc::new(Deadline::new());
                let looked_at = Arc::clone(&deadline);
                conn.progress_handler(STEPS_BETWEEN_CALLS, Some(move || looked_at.is_past()))?;
                Ok(Reader { conn, deadline })
            })
            .collect::<Result<Vec<_>, OpenError>>()?;
        let permits = Arc::new(Semaphore::new(count));
        let health = Arc::clone(health);
        Ok(Self { idle: Mutex::new(idle), permits, queue_slots: None, health })
    }

    /// Lets at most `queue_max` reads wait for a connection; the next
    /// one fails with `StoreError::Overloaded`.
    pub(super) fn with_queue_max(self, queue_max: usize) -> Self {
        let queue_slots = self.permits.available_permits() + queue_max;
        Self { queue_slots: Some(Arc::new(Semaphore::new(queue_slots))), ..self }
    }

    /// Executes a read of a few rows on the calling thread. Passing it to another thread would cost
    /// more than the read.
    pub(super) async fn short<T, E: From<StoreError> + StorageFailure>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let _admitted = self.admit().await?;
        self.with_reader(read)
    }

    /// Executes a read on a blocking thread, so that it delays no other request.
    pub(super) async fn long<T, E>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + StorageFailure + Send + 'static,
    {
        let readers = Arc::clone(self);
        let admitted = self.admit().await?;
        let task = move || {
            // Held to the end of the read, also if the caller was cancelled.
            let _admitted = admitted;
            readers.with_reader(read)
        };
        tokio::task::spawn_blocking(task)
            .await
            .unwrap_or_else(|err| Err(StoreError::Unexpected(Cause::new(err)).into()))
    }

    async fn admit(&self) -> Result<ReadPermit, StoreError> {
        let slot = self
            .queue_slots
            .as_ref()
            .map(|queue_slots| Arc::clone(queue_slots).try_acquire_owned());
        let slot = slot.transpose().map_err(|_| StoreError::Overloaded)?;
        let closed = |err| StoreError::Unexpected(Cause::new(err));
        let connection = Arc::clone(&self.permits).acquire_owned().await.map_err(closed)?;
        Ok(ReadPermit { _connection: connection, _slot: slot })
    }

    /// Damage that a read detects refuses writes too.
    fn with_reader<T, E: From<StoreError> + StorageFailure>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let outcome = self.with_snapshot(read);
        if let Err(err) = &outcome
            && let Some(fault) = err.storage_failure()
        {
            self.health.note_read(fault);
        }
        outcome
    }

    fn with_snapshot<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let fault = |err| EngineError::from(err).0;
        let reader = ReaderGuard { readers: self, reader: Some(self.take()?) };
        let Reader { conn, deadline } =
            reader.reader.as_ref().expect("the guard holds the reader until it is dropped");
        deadline.set(LONG_READ);
        // A transaction, so that all statements of one read see the same snapshot.
        let snapshot = conn.unchecked_transaction().map_err(fault)?;
        let outcome = read(&snapshot)?;
        snapshot.finish().map_err(fault)?;
        Ok(outcome)
    }

    fn take(&self) -> Result<Reader, StoreError> {
        let reader = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        reader.ok_or_else(|| StoreError::Unexpected(Cause::new("no read connection is idle")))
    }
}

/// Returns the reader when the read ends, also after a panic.
struct ReaderGuard<'r> {
    readers: &'r Readers,
    reader: Option<Reader>,
}

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(self.reader.take());
    }
}

/// The deadline of a read, in milliseconds since the connection was opened.
struct Deadline {
    opened: Instant,
    at_ms: AtomicU64,
}

impl Deadline {
    fn new() -> Self {
        Self { opened: Instant::now(), at_ms: AtomicU64::new(u64::MAX) }
    }

    fn set(&self, duration: Duration) {
        self.at_ms.store(millis(self.opened.elapsed() + duration), Ordering::Relaxed);
    }

    fn is_past(&self) -> bool {
        millis(self.opened.elapsed()) > self.at_ms.load(Ordering::Relaxed)
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
