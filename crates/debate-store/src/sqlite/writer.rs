//! The only thread that writes, and group commit: many requests, one fsync, answers after it.
//!
//! A request decides before its first write, so a refusal leaves the shared transaction as it was
//! and costs its neighbours nothing. When storage itself fails under one request, the transaction
//! is rolled back and each request is run again in one of its own. That isolates as a savepoint a
//! request would, without paying for one when nothing fails (docs/decisions/0002).

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use debate_app::sabotage::{self, Sabotage};
use debate_app::{Notifier, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::arena::{RecentDebates, move_states_late, persist};
use super::capacity::Capacity;
use super::checkpointer::{CheckpointMode, Checkpointer, checkpoint};
use super::database_file::DatabaseFile;
use super::fault::{Fault, MaybeFault};
use super::job::{Attempt, Job, Pending, Tx, writer_ended};
use super::log_mark::LogMark;
use super::{OpenError, SqliteOptions};
use crate::arena::Effects;
use crate::notifications::Notifications;
use crate::storage_health::StorageHealth;

/// How long the queue must be empty before the log is folded into the file and a store in trouble
/// is tried again.
const IDLE: Duration = Duration::from_secs(1);

/// So many pages in the log, and they are folded into the file: few enough to keep the log small,
/// many enough for most to have been written over before.
const WAL_PAGES_MAX: i32 = 8000;

/// How long a deliberate defect holds its window open.
const SABOTAGE_WINDOW: Duration = Duration::from_millis(20);

/// The writing connection, and the mark of its log.
pub(super) struct Marked {
    pub(super) mark: LogMark,
    pub(super) conn: Connection,
}

/// The handle that requests queue their work with.
pub(super) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    trouble: Arc<StorageHealth>,
}

impl Writer {
    pub(super) fn start(
        Marked { mark, mut conn }: Marked,
        checkpoint_conn: Connection,
        (file, capacity): (DatabaseFile, Capacity),
        trouble: Arc<StorageHealth>,
        notifier: Arc<Notifier>,
        options: &SqliteOptions,
    ) -> Result<Self, OpenError> {
        let wal_pages = Arc::new(AtomicI32::new(0));
        let pages = Arc::clone(&wal_pages);
        conn.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        }))?;
        let (sender, queue) = sync_channel(options.queue_max);
        let mut writer_thread = WriterThread {
            checkpointer: Checkpointer::start(checkpoint_conn, Arc::clone(&trouble))?,
            _mark: mark,
            conn,
            file,
            capacity,
            recent: RecentDebates::default(),
            data_version: 0,
            notifier,
            queue,
            wal_pages,
            trouble: Arc::clone(&trouble),
            batch_max: options.batch_max,
        };
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || writer_thread.work())?;
        Ok(Self { queue: Some(sender), thread: Some(thread), trouble })
    }

    /// Runs `work` in a transaction and answers after its commit. It may run more than once, so it
    /// must decide before it writes and keep nothing between runs.
    pub(super) async fn run<T, E>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + MaybeFault + Send + 'static,
    {
        if let Some(latched) = self.trouble.latched() {
            return Err(latched.into());
        }
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Pending::new(work, reply));
        let queue = self.queue.as_ref().expect("the queue closes only when the writer is dropped");
        match queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(StoreError::Overloaded.into()),
            Err(TrySendError::Disconnected(_)) => return Err(writer_ended().into()),
        }
        answer.await.unwrap_or_else(|_| Err(writer_ended().into()))
    }

    /// Why writes fail at present, if they do.
    pub(super) fn trouble(&self) -> Option<StoreError> {
        self.trouble.now()
    }
}

impl Drop for Writer {
    /// Finishes what is queued.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("writer thread panicked");
        }
    }
}

/// Whether a commit put anything on the disk; refusals and replays alone don't.
enum Committed {
    Something,
    Nothing,
}

/// Why a transaction came to nothing.
enum Failed {
    /// One of its jobs spoiled it.
    Spoiled(Option<StoreError>),
    /// It could not begin or commit.
    Whole(StoreError),
}

/// The writer thread's own things.
struct WriterThread {
    // Dropped before the connection, which then is the last and folds in what is left.
    checkpointer: Checkpointer,
    // Removed before SQLite removes the log.
    _mark: LogMark,
    conn: Connection,
    file: DatabaseFile,
    capacity: Capacity,
    recent: RecentDebates,
    /// Changes when a stranger has changed the file, and only then.
    data_version: i64,
    notifier: Arc<Notifier>,
    queue: Receiver<Box<dyn Job>>,
    wal_pages: Arc<AtomicI32>,
    trouble: Arc<StorageHealth>,
    batch_max: usize,
}

impl WriterThread {
    fn work(&mut self) {
        let mut batch = Vec::with_capacity(self.batch_max);
        loop {
            let tidy = self.wal_pages.load(Ordering::Relaxed) == 0 && self.trouble.now().is_none();
            let first = if tidy {
                self.queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.queue.recv_timeout(IDLE)
            };
            match first {
                Ok(job) => batch.push(job),
                Err(RecvTimeoutError::Timeout) => {
                    self.tidy_up();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            batch.extend(self.queue.try_iter().take(self.batch_max - 1));
            self.commit_batch(&mut batch);
            self.keep_log_short();
        }
        // SQLite closes a file that was moved without its log, which did not move along.
        if let Err(StoreError::Moved(_)) = self.file.check(&self.conn, &self.wal_pages) {
            checkpoint(&self.conn, &self.trouble, CheckpointMode::Truncate);
        }
    }

    fn keep_log_short(&mut self) {
        if self.checkpointer.has_ended() {
            checkpoint(&self.conn, &self.trouble, CheckpointMode::Passive);
        } else if self.wal_pages.load(Ordering::Relaxed) >= WAL_PAGES_MAX {
            self.checkpointer.begin();
        }
    }

    /// Commits the batch together; if one of it spoils that, each alone.
    fn commit_batch(&mut self, batch: &mut Vec<Box<dyn Job>>) {
        let started = Instant::now();
        metrics::histogram!("aw_write_batch_size").record(f64::from(small(batch.len())));
        match self.transact(batch) {
            Err(Failed::Spoiled(_)) if batch.len() > 1 => {
                for job in batch.drain(..) {
                    self.commit_without_standby(job);
                }
            }
            outcome => self.settle(batch, outcome),
        }
        metrics::histogram!("aw_write_commit_seconds").record(started.elapsed());
    }

    fn commit_without_standby(&mut self, job: Box<dyn Job>) {
        let mut alone = vec![job];
        let outcome = self.transact(&mut alone);
        self.settle(&mut alone, outcome);
    }

    fn settle(&self, batch: &mut Vec<Box<dyn Job>>, outcome: Result<Committed, Failed>) {
        let commit = match outcome {
            Ok(Committed::Something) => {
                self.trouble.note(None);
                Ok(())
            }
            // Says nothing about the disk.
            Ok(Committed::Nothing) => Ok(()),
            // The job knows its own error, and its neighbours, if any, were run apart from it.
            Err(Failed::Spoiled(fault)) => {
                if fault.is_some() {
                    self.trouble.note(fault.as_ref());
                }
                Ok(())
            }
            Err(Failed::Whole(err)) => {
                self.trouble.note(Some(&err));
                Err(err)
            }
        };
        for job in batch.drain(..) {
            job.settle(commit.clone());
        }
    }

    /// Begin, run, commit, ring: in that order, or not at all.
    fn transact(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<Committed, Failed> {
        let whole = |err| Failed::Whole(Fault::from(err).0);
        self.check_files().map_err(Failed::Whole)?;
        if let Err(err) = self.begin() {
            self.roll_back();
            return Err(whole(err));
        }
        let before = self.conn.total_changes();
        let mut tx = Tx {
            conn: &self.conn,
            recent: &mut self.recent,
            arena: Effects::default(),
            notifications: Notifications::default(),
        };
        let mut ran = Ok(());
        for job in jobs.iter_mut() {
            if let Attempt::Spoiled(fault) = job.attempt(&mut tx) {
                ran = Err(Failed::Spoiled(fault));
                break;
            }
        }
        let Tx { arena: effects, notifications, .. } = tx;
        self.sabotage_before(&notifications, jobs);
        let committed = ran.and_then(|()| {
            persist(&effects, &self.conn).map_err(|fault| Failed::Whole(fault.0))?;
            self.commit().map_err(whole)?;
            let nothing = self.conn.total_changes() == before;
            Ok(if nothing { Committed::Nothing } else { Committed::Something })
        });
        if committed.is_err() {
            self.roll_back();
        } else {
            // After the commit and before the answers: whoever has an answer may rely on waiters
            // having been told.
            self.announce(&notifications);
        }
        committed
    }

    /// Whoever else wrote to the file meanwhile made what is remembered of it worthless.
    fn begin(&mut self) -> rusqlite::Result<()> {
        self.conn.prepare_cached("begin immediate")?.execute([])?;
        let version =
            self.conn.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
        if self.data_version != version {
            self.data_version = version;
            self.recent.forget_all();
        }
        Ok(())
    }

    fn commit(&self) -> rusqlite::Result<()> {
        self.conn.prepare_cached("commit")?.execute([])?;
        Ok(())
    }

    fn announce(&self, notifications: &Notifications) {
        if sabotage::is(Sabotage::StateOutsideTransaction) {
            std::thread::sleep(SABOTAGE_WINDOW);
            move_states_late(notifications.subjects(), &self.conn);
        }
        if !sabotage::is(Sabotage::NotifyBeforeCommit) {
            notifications.send(&self.notifier);
        }
    }

    /// Does nothing but in a server that is meant to be caught.
    fn sabotage_before(&self, notifications: &Notifications, jobs: &mut [Box<dyn Job>]) {
        if sabotage::is(Sabotage::NotifyBeforeCommit) {
            notifications.send(&self.notifier);
            std::thread::sleep(SABOTAGE_WINDOW);
        }
        if sabotage::is(Sabotage::AckBeforeCommit) {
            for job in jobs {
                job.answer_early();
            }
            std::thread::sleep(SABOTAGE_WINDOW);
        }
    }

    fn roll_back(&mut self) {
        self.recent.forget_all();
        // Some failures make SQLite roll back by itself; then there is nothing left to do.
        if !self.conn.is_autocommit()
            && let Err(err) = self.conn.execute_batch("rollback")
        {
            tracing::error!(error = %err, "rolling back a failed transaction failed");
        }
    }

    /// In a quiet moment: try again what failed, and fold the log into the file.
    fn tidy_up(&mut self) {
        if self.trouble.now().is_some() && self.trouble.latched().is_none() {
            let tried = self.check_files().and_then(|()| Ok(self.probe()?));
            self.trouble.note(tried.err().as_ref());
        }
        if self.wal_pages.load(Ordering::Relaxed) > 0 {
            self.truncate_wal();
        }
    }

    /// Whether the files are where they were opened and have room to grow.
    fn check_files(&mut self) -> Result<(), StoreError> {
        let wal_bytes = self.file.check(&self.conn, &self.wal_pages)?;
        self.capacity.warn_of_long_wal(wal_bytes);
        if let Err(full) = self.capacity.check_wal(wal_bytes)
            && !self.truncate_wal()
        {
            return Err(full);
        }
        self.capacity.check_free_space()
    }

    /// Empties the log, unless a reader still needs it. Returns whether it is empty.
    fn truncate_wal(&self) -> bool {
        let is_empty = checkpoint(&self.conn, &self.trouble, CheckpointMode::Truncate);
        if is_empty {
            self.wal_pages.store(0, Ordering::Relaxed);
        }
        is_empty
    }

    /// A write that changes nothing anyone reads, to learn whether writes go through again.
    fn probe(&self) -> Result<(), Fault> {
        self.conn.execute(
            "insert into schema_meta (key, value) values ('probe', hex(randomblob(8)))
             on conflict (key) do update set value = excluded.value",
            [],
        )?;
        Ok(())
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
