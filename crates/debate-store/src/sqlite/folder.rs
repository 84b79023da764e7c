//! Folding the log into the file while commits go on.
//!
//! A thread of its own does most of it beside the commits. What they add meanwhile is little, and
//! the writer folds that in itself: the log begins anew only when nothing is left in it, which
//! under load nobody but the writer can bring about.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use debate_app::StoreError;
use rusqlite::Connection;

use super::fault::Fault;
use super::open::BUSY_TIMEOUT;
use crate::trouble::Trouble;

/// How much is asked of a checkpoint. Neither waits for a reader: what one still needs is folded
/// in next time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fold {
    /// What can be folded in beside readers and the writer.
    Beside,
    /// All of it, and the log's room given back.
    AndTruncate,
}

/// Folds the log in when asked to, on a thread and a connection of its own.
pub(super) struct Folder {
    ask: Option<SyncSender<()>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
    at_work: bool,
}

impl Folder {
    pub(super) fn start(conn: Connection, trouble: Arc<Trouble>) -> io::Result<Self> {
        let (ask, asked) = sync_channel(1);
        let (tell, done) = sync_channel(1);
        let thread = std::thread::Builder::new().name("sqlite-folder".into()).spawn(move || {
            while asked.recv().is_ok() {
                fold(&conn, &trouble, Fold::Beside);
                if tell.send(()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { ask: Some(ask), done, thread: Some(thread), at_work: false })
    }

    /// Begins, unless it is at it.
    pub(super) fn begin(&mut self) {
        if !self.at_work {
            self.at_work = true;
            // If the thread is gone, `has_ended` says so, and the writer does all of it.
            let _ = self.ask.as_ref().map(|ask| ask.try_send(()));
        }
    }

    /// Whether what was begun has come to its end; told once.
    pub(super) fn has_ended(&mut self) -> bool {
        let ended = self.at_work && self.done.try_recv() != Err(TryRecvError::Empty);
        self.at_work &= !ended;
        ended
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("checkpoint thread panicked");
        }
    }
}

/// Tells whether all of the log was folded in.
///
/// Ours, not SQLite's automatic checkpoint, whose failures nobody hears of: one whose fsync fails
/// must latch just as a commit's does.
pub(super) fn fold(conn: &Connection, trouble: &Trouble, fold: Fold) -> bool {
    let statement = match fold {
        Fold::Beside => "pragma wal_checkpoint(passive)",
        Fold::AndTruncate => "pragma wal_checkpoint(truncate)",
    };
    let outcome = conn
        .busy_timeout(Duration::ZERO)
        .and_then(|()| conn.query_row(statement, [], |row| row.get::<_, bool>(0)));
    let restored = conn.busy_timeout(BUSY_TIMEOUT);
    match restored.and(outcome) {
        Ok(blocked) => !blocked,
        Err(err) => {
            let Fault(err) = err.into();
            tracing::warn!(error = ?err, "checkpoint failed");
            if matches!(err, StoreError::Latched) {
                trouble.note(Some(&err));
            }
            false
        }
    }
}
