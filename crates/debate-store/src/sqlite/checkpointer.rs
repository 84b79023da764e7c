//! Checkpoints of the write-ahead log while commits continue.
//!
//! A thread copies most of the log into the file beside the commits. The writer copies the rest,
//! which is what was committed meanwhile: SQLite restarts the log only when all of it was copied,
//! and under load only the writer can reach that point.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use debate_app::StoreError;
use rusqlite::Connection;

use super::open::BUSY_TIMEOUT;
use crate::engine::EngineError;
use crate::storage_health::StorageHealth;

/// Modes of a checkpoint. Neither waits for a reader: the next checkpoint copies the pages that
/// a reader still needs.
#[derive(Debug, Clone, Copy)]
pub(super) enum CheckpointMode {
    /// Copies the pages that no reader and no writer needs.
    Passive,
    /// Copies all pages and truncates the log.
    Truncate,
}

/// Runs passive checkpoints on request, on a thread and a connection of its own.
pub(super) struct Checkpointer {
    requests: Option<SyncSender<()>>,
    finished: Receiver<()>,
    thread: Option<JoinHandle<()>>,
    is_running: bool,
}

impl Checkpointer {
    pub(super) fn start(conn: Connection, health: Arc<StorageHealth>) -> io::Result<Self> {
        let (requests, next_request) = sync_channel(1);
        let (finish, finished) = sync_channel(1);
        let thread =
            std::thread::Builder::new().name("sqlite-checkpointer".into()).spawn(move || {
                while next_request.recv().is_ok() {
                    checkpoint(&conn, &health, CheckpointMode::Passive);
                    if finish.send(()).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self { requests: Some(requests), finished, thread: Some(thread), is_running: false })
    }

    /// Requests a checkpoint, unless one is running.
    pub(super) fn begin(&mut self) {
        if !self.is_running {
            self.is_running = true;
            // If the thread has ended, `has_ended` returns true, and the writer copies everything.
            let _ = self.requests.as_ref().map(|requests| requests.try_send(()));
        }
    }

    /// Whether the requested checkpoint has ended. Returns true once for each checkpoint.
    pub(super) fn has_ended(&mut self) -> bool {
        let ended = self.is_running && self.finished.try_recv() != Err(TryRecvError::Empty);
        self.is_running &= !ended;
        ended
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("checkpoint thread panicked");
        }
    }
}

/// Runs a checkpoint. Returns whether all of the log was copied.
///
/// SQLite's automatic checkpoint is off because it hides its failures: a failed fsync must refuse
/// further writes as a failed commit does.
pub(super) fn checkpoint(conn: &Connection, health: &StorageHealth, mode: CheckpointMode) -> bool {
    let statement = match mode {
        CheckpointMode::Passive => "pragma wal_checkpoint(passive)",
        CheckpointMode::Truncate => "pragma wal_checkpoint(truncate)",
    };
    let outcome = conn
        .busy_timeout(Duration::ZERO)
        .and_then(|()| conn.query_row(statement, [], |row| row.get::<_, bool>(0)));
    let restored = conn.busy_timeout(BUSY_TIMEOUT);
    match restored.and(outcome) {
        Ok(blocked) => !blocked,
        Err(err) => {
            let EngineError(err) = err.into();
            tracing::warn!(error = ?err, "checkpoint failed");
            if matches!(err, StoreError::Latched) {
                health.note(Some(&err));
            }
            false
        }
    }
}
