//! The check of a file that was not closed in an orderly way.
//!
//! It runs beside the server: SQLite's own quick check first, then every row of every debate is
//! decoded. A quick check reads one snapshot, and while it does the write-ahead log cannot be
//! truncated; it gives way when the log grows long and starts again later.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use debate_app::arena::ArchiveError;
use debate_app::{Cause, StoreError};
use debate_core::Seq;
use rusqlite::{Connection, ErrorCode};

use super::arena::{arguments_after, debates_after};
use super::open_error::OpenError;
use super::{log_mark, open, regular};
use crate::damage::DamagedDebates;
use crate::trouble::Trouble;

/// How often a quick check that gave way to writers is started again, and after which pause.
const TRIES_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_mins(1);

/// SQLite asks after so many of its own steps whether to go on.
const STEPS_BETWEEN_QUESTIONS: i32 = 10_000;

/// A check that runs in a thread of its own. Dropped, it ends at once.
pub(super) struct BackgroundCheck {
    cancelled: Arc<AtomicBool>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What a quick check found.
enum Verdict {
    Sound,
    Damaged(String),
    Interrupted,
}

impl BackgroundCheck {
    /// Starts the check of the file at `path`. A quick check during which the write-ahead log grows
    /// by `wal_growth_max` bytes is interrupted.
    pub(super) fn start(
        path: &Path,
        wal_growth_max: u64,
        trouble: Arc<Trouble>,
        damaged: Arc<DamagedDebates>,
    ) -> Result<Self, OpenError> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (wake, woken) = sync_channel(0);
        let mut conn = open::reader(path)?;
        let wal = Arc::new(Wal::at(open::beside(path, "-wal")));
        let (stop, grown) = (Arc::clone(&cancelled), Arc::clone(&wal));
        let is_to_stop = move || stop.load(Ordering::Relaxed) || grown.growth() >= wal_growth_max;
        conn.progress_handler(STEPS_BETWEEN_QUESTIONS, Some(is_to_stop))?;
        let (mark, stop) = (mark_of(path), Arc::clone(&cancelled));
        let check = Check { conn, wal, mark, cancelled: stop, woken, trouble, damaged };
        let thread =
            std::thread::Builder::new().name("sqlite-check".into()).spawn(move || check.run())?;
        Ok(Self { cancelled, wake: Some(wake), thread: Some(thread) })
    }
}

impl Drop for BackgroundCheck {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.wake = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("database check thread panicked");
        }
    }
}

/// Whether the file at `path` needs a check: it was not closed, or an earlier check failed. Asked
/// before the file is opened.
pub(super) fn is_needed(path: &Path) -> bool {
    let is_left = log_mark::is_left(path) || open::beside(path, "-wal").exists();
    is_left || mark_of(path).exists()
}

/// A file beside the database that says that the last check failed.
fn mark_of(path: &Path) -> PathBuf {
    open::beside(path, ".damaged")
}

/// The write-ahead log, and its length when a quick check began.
struct Wal {
    path: PathBuf,
    bytes_before: AtomicU64,
}

impl Wal {
    const fn at(path: PathBuf) -> Self {
        Self { path, bytes_before: AtomicU64::new(0) }
    }

    fn bytes(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |wal| wal.len())
    }

    fn begin(&self) {
        self.bytes_before.store(self.bytes(), Ordering::Relaxed);
    }

    fn growth(&self) -> u64 {
        self.bytes().saturating_sub(self.bytes_before.load(Ordering::Relaxed))
    }
}

/// The thread's own things.
struct Check {
    conn: Connection,
    wal: Arc<Wal>,
    mark: PathBuf,
    cancelled: Arc<AtomicBool>,
    woken: Receiver<()>,
    trouble: Arc<Trouble>,
    damaged: Arc<DamagedDebates>,
}

impl Check {
    fn run(&self) {
        for _ in 0..TRIES_MAX {
            match self.quick_check() {
                Verdict::Sound => return self.finish(),
                Verdict::Damaged(words) => return self.report(&words),
                Verdict::Interrupted if self.is_cancelled_within(PAUSE) => return,
                Verdict::Interrupted => {}
            }
        }
        tracing::warn!(
            check.tries = TRIES_MAX,
            "database check did not finish; the write-ahead log grew too large each time"
        );
    }

    fn quick_check(&self) -> Verdict {
        self.wal.begin();
        let found = self.conn.query_row("pragma quick_check(1)", [], |row| row.get(0));
        match found {
            Ok(words) if words == "ok" => Verdict::Sound,
            Ok(words) => Verdict::Damaged(words),
            Err(err) if err.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                Verdict::Interrupted
            }
            Err(err) => Verdict::Damaged(err.to_string()),
        }
    }

    /// Whether the store closes before the pause is over.
    fn is_cancelled_within(&self, pause: Duration) -> bool {
        self.woken.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) || self.is_cancelled()
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Refuses writes until a restart, which checks again.
    fn report(&self, words: &str) {
        tracing::error!(error = words, "database check failed; writes are refused");
        if let Err(err) = regular::open(&self.mark) {
            tracing::warn!(error = %err, "saving the database check result failed");
        }
        self.trouble.note(Some(&StoreError::Damaged(Cause::new(words))));
    }

    fn finish(&self) {
        // Mostly there is nothing to remove.
        let _ = fs::remove_file(&self.mark);
        // Each page of rows is read in a snapshot of its own, so the log may grow meanwhile.
        self.wal.begin();
        match self.decode_debates().and_then(|()| self.decode_arguments()) {
            Ok(()) => {
                tracing::info!(debates.damaged = self.damaged.count(), "database check finished");
            }
            Err(_) if self.is_cancelled() => {}
            Err(err) => tracing::error!(error = %err, "database check could not read every row"),
        }
    }

    fn decode_debates(&self) -> Result<(), ArchiveError> {
        let mut last = None;
        loop {
            match debates_after(&self.conn, last) {
                Ok(page) => match page.last() {
                    Some(newest) => last = Some(newest.id()),
                    None => return Ok(()),
                },
                Err(ArchiveError::Unreadable { debate, cause }) => {
                    self.damaged.note(debate, &cause);
                    last = Some(debate);
                }
                Err(err) => return Err(err),
            }
        }
    }

    fn decode_arguments(&self) -> Result<(), ArchiveError> {
        let mut last = None;
        loop {
            match arguments_after(&self.conn, last) {
                Ok(page) => match page.last() {
                    Some(entry) => last = Some((entry.argument.debate, entry.argument.seq)),
                    None => return Ok(()),
                },
                // On with the next debate.
                Err(ArchiveError::Unreadable { debate, cause }) => {
                    self.damaged.note(debate, &cause);
                    last = Some((debate, Seq::new(u32::MAX)));
                }
                Err(err) => return Err(err),
            }
        }
    }
}
