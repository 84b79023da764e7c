//! The check of a file after an unclean stop.
//!
//! It runs beside the server: SQLite's quick check first, then every row of every debate is
//! decoded. A quick check reads one snapshot, during which the write-ahead log cannot be truncated.
//! It is interrupted when the log grows too long, and starts again later.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use debate_app::{Cause, StoreError};
use rusqlite::{Connection, ErrorCode};

use super::archive::page;
use super::open_error::OpenError;
use super::{log_mark, open, regular_file};
use crate::archive::{ARGUMENTS, ArchiveError, DEBATES, Item, SEATS, Table};
use crate::arena;
use crate::sql::{Row, Value};
use crate::storage_health::{DamagedDebates, StorageHealth};

/// Maximum number of quick checks, and the pause after one that was interrupted.
const TRIES_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_mins(1);

/// Number of SQLite's virtual machine steps between two calls of the progress handler.
const STEPS_BETWEEN_CALLS: i32 = 10_000;

/// A check in a thread of its own. Dropping it ends the check at once.
pub(super) struct BackgroundCheck {
    cancelled: Arc<AtomicBool>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

enum QuickCheck {
    Passed,
    Damaged(String),
    Interrupted,
}

impl BackgroundCheck {
    /// Starts the check of the file at `path`. A quick check during which the write-ahead log grows
    /// by `wal_growth_max` bytes is interrupted.
    pub(super) fn start(
        path: &Path,
        wal_growth_max: u64,
        health: Arc<StorageHealth>,
        damaged: Arc<DamagedDebates>,
    ) -> Result<Self, OpenError> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (wake, woken) = sync_channel(0);
        let mut conn = open::reader(path)?;
        let wal = Arc::new(Wal::at(open::sibling(path, "-wal")));
        let (stop, grown) = (Arc::clone(&cancelled), Arc::clone(&wal));
        let should_stop = move || stop.load(Ordering::Relaxed) || grown.growth() >= wal_growth_max;
        conn.progress_handler(STEPS_BETWEEN_CALLS, Some(should_stop))?;
        let (mark, stop) = (failure_mark(path), Arc::clone(&cancelled));
        let check = CheckThread { conn, wal, mark, cancelled: stop, woken, health, damaged };
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

/// Whether the file at `path` needs a check: the last stop was unclean, or an earlier check failed.
/// Must be called before the file is opened.
pub(super) fn is_needed(path: &Path) -> bool {
    let is_unclean = log_mark::exists(path) || open::sibling(path, "-wal").exists();
    is_unclean || failure_mark(path).exists()
}

/// The file beside the database that records that the last check failed.
fn failure_mark(path: &Path) -> PathBuf {
    open::sibling(path, ".damaged")
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

struct CheckThread {
    conn: Connection,
    wal: Arc<Wal>,
    mark: PathBuf,
    cancelled: Arc<AtomicBool>,
    woken: Receiver<()>,
    health: Arc<StorageHealth>,
    damaged: Arc<DamagedDebates>,
}

impl CheckThread {
    fn run(&self) {
        for _ in 0..TRIES_MAX {
            match self.quick_check() {
                QuickCheck::Passed => return self.finish(),
                QuickCheck::Damaged(message) => return self.report(&message),
                QuickCheck::Interrupted if self.is_cancelled_within(PAUSE) => return,
                QuickCheck::Interrupted => {}
            }
        }
        tracing::warn!(
            check.tries = TRIES_MAX,
            "database check did not finish; the write-ahead log grew too large each time"
        );
    }

    fn quick_check(&self) -> QuickCheck {
        self.wal.begin();
        let found = self.conn.query_row("pragma quick_check(1)", [], |row| row.get(0));
        match found {
            Ok(message) if message == "ok" => QuickCheck::Passed,
            Ok(message) => QuickCheck::Damaged(message),
            Err(err) if err.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                QuickCheck::Interrupted
            }
            Err(err) => QuickCheck::Damaged(err.to_string()),
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
    fn report(&self, message: &str) {
        tracing::error!(error = message, "database check failed; writes are refused");
        if let Err(err) = regular_file::open(&self.mark) {
            tracing::warn!(error = %err, "saving the database check result failed");
        }
        self.health.note(Some(&StoreError::Damaged(Cause::new(message))));
    }

    fn finish(&self) {
        // The mark does not exist unless an earlier check failed.
        let _ = fs::remove_file(&self.mark);
        // Each page of rows is read in a snapshot of its own, so the log may grow meanwhile.
        self.wal.begin();
        let decoded = self.decode_all(&DEBATES, arena::head);
        let decoded = decoded.and_then(|()| self.decode_all(&SEATS, arena::seat_row));
        match decoded.and_then(|()| self.decode_all(&ARGUMENTS, arena::stored_argument)) {
            Ok(()) => {
                tracing::info!(debates.damaged = self.damaged.count(), "database check finished");
            }
            Err(_) if self.is_cancelled() => {}
            Err(err) => tracing::error!(error = %err, "database check could not read every row"),
        }
    }

    /// Reads every row of a table and notes the debates with rows that cannot be decoded.
    fn decode_all<T>(
        &self,
        table: &'static Table,
        decode: fn(&Row) -> Result<T, StoreError>,
    ) -> Result<(), ArchiveError> {
        let mut last: Option<Vec<Value<'static>>> = None;
        loop {
            let page = page(&self.conn, table, last.as_deref()).and_then(|page| {
                page.iter().try_for_each(|row| row.decode(decode).map(drop)).map(|()| page)
            });
            match page {
                Ok(page) => match page.last() {
                    Some(row) => last = Some(row.key().to_vec()),
                    None => return Ok(()),
                },
                Err(ArchiveError::Unreadable { item: Item::Debate(debate), cause }) => {
                    self.damaged.note(debate, &cause);
                    last = Some(table.key_after(debate.uuid()));
                }
                Err(err) => return Err(err),
            }
        }
    }
}
