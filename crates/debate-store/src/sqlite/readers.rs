//! A few read-only connections; each read sees one snapshot.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::fault::{Fault, MaybeFault};
use super::{OpenError, open};
use crate::storage_health::StorageHealth;

/// How long one long read may take before it is given up.
const LONG_READ: Duration = Duration::from_secs(5);

/// How many of SQLite's own steps pass between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

pub(super) struct Readers {
    idle: Mutex<Vec<Reader>>,
    permits: Arc<Semaphore>,
    /// One permit for each read that runs or waits, where the queue is bounded.
    places: Option<Arc<Semaphore>>,
    trouble: Arc<StorageHealth>,
}

/// Held from admission to the end of a read.
struct Admitted {
    _connection: OwnedSemaphorePermit,
    _place: Option<OwnedSemaphorePermit>,
}

struct Reader {
    conn: Connection,
    deadline: Arc<Deadline>,
}

impl Readers {
    pub(super) fn open(
        path: &Path,
        count: usize,
        trouble: &Arc<StorageHealth>,
    ) -> Result<Self, OpenError> {
        let idle = (0..count)
            .map(|_| {
                let mut conn = open::reader(path)?;
                let deadline = Arc::new(Deadline::new());
                let looked_at = Arc::clone(&deadline);
                conn.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || looked_at.is_past()))?;
                Ok(Reader { conn, deadline })
            })
            .collect::<Result<Vec<_>, OpenError>>()?;
        let permits = Arc::new(Semaphore::new(count));
        let trouble = Arc::clone(trouble);
        Ok(Self { idle: Mutex::new(idle), permits, places: None, trouble })
    }

    /// Lets at most `queue_max` reads wait for a connection; the next one fails with
    /// `StoreError::Overloaded`.
    pub(super) fn with_queue_max(self, queue_max: usize) -> Self {
        let places = self.permits.available_permits() + queue_max;
        Self { places: Some(Arc::new(Semaphore::new(places))), ..self }
    }

    /// A read of a few rows, done where it is called: handing it to another thread would cost more
    /// than it takes.
    pub(super) async fn short<T, E: From<StoreError> + MaybeFault>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let _admitted = self.admit().await?;
        self.with_reader(read)
    }

    /// A read that may take a while, done where it can't hold up others.
    pub(super) async fn long<T, E>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + MaybeFault + Send + 'static,
    {
        let readers = Arc::clone(self);
        let admitted = self.admit().await?;
        let task = move || {
            // Held to the end of the read, even when the one who asked has left.
            let _admitted = admitted;
            readers.with_reader(read)
        };
        tokio::task::spawn_blocking(task)
            .await
            .unwrap_or_else(|err| Err(StoreError::Unexpected(Cause::new(err)).into()))
    }

    async fn admit(&self) -> Result<Admitted, StoreError> {
        let place = self.places.as_ref().map(|places| Arc::clone(places).try_acquire_owned());
        let place = place.transpose().map_err(|_| StoreError::Overloaded)?;
        let closed = |err| StoreError::Unexpected(Cause::new(err));
        let connection = Arc::clone(&self.permits).acquire_owned().await.map_err(closed)?;
        Ok(Admitted { _connection: connection, _place: place })
    }

    /// What a read finds missing stops the writes as well.
    fn with_reader<T, E: From<StoreError> + MaybeFault>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let outcome = self.with_snapshot(read);
        if let Err(err) = &outcome
            && let Some(fault) = err.fault()
        {
            self.trouble.note_read(fault);
        }
        outcome
    }

    fn with_snapshot<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let fault = |err| Fault::from(err).0;
        let reader = ReaderGuard { readers: self, reader: Some(self.take()?) };
        let Reader { conn, deadline } =
            reader.reader.as_ref().expect("it is only taken out when the loan ends");
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

/// Gives the reader back however the read ends, a panic included.
struct ReaderGuard<'r> {
    readers: &'r Readers,
    reader: Option<Reader>,
}

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(self.reader.take());
    }
}

/// When a read must have ended, as milliseconds since the connection was opened.
struct Deadline {
    opened: Instant,
    at_ms: AtomicU64,
}

impl Deadline {
    fn new() -> Self {
        Self { opened: Instant::now(), at_ms: AtomicU64::new(u64::MAX) }
    }

    fn set(&self, patience: Duration) {
        self.at_ms.store(millis(self.opened.elapsed() + patience), Ordering::Relaxed);
    }

    fn is_past(&self) -> bool {
        millis(self.opened.elapsed()) > self.at_ms.load(Ordering::Relaxed)
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
