//! The only thread that writes, with group commit: many requests, one fsync, then the answers.
//!
//! A request decides before its first write, so a refusal leaves the shared transaction unchanged.
//! When storage fails during one request, the transaction is rolled back and each request is
//! executed again in a transaction of its own. That isolates requests as savepoints would, without
//! their cost while nothing fails (docs/decisions/0002).

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use debate_app::{Notifier, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::arena::{RecentDebates, save_counters};
use super::capacity::Capacity;
use super::checkpointer::{CheckpointMode, Checkpointer, checkpoint};
use super::database_file::DatabaseFile;
use super::error::StorageFailure;
use super::job::{Job, QueuedJob, TransactionState, Tx, writer_ended};
use super::log_mark::LogMark;
use super::{OpenError, SqliteOptions};
use crate::engine::EngineError;
use crate::notifications::Notifications;
use crate::storage_health::StorageHealth;

/// Time without requests after which the writer truncates the log, and probes the storage
/// if it failed before.
const IDLE: Duration = Duration::from_secs(1);

/// Number of pages in the log that starts a checkpoint: few enough to keep the log short, and many
/// enough that a checkpoint copies only the last of many versions of a page.
const WAL_PAGES_MAX: i32 = 8000;

/// The writing connection, and the mark of its log.
pub(super) struct WriterConnection {
    pub(super) mark: LogMark,
    pub(super) conn: Connection,
}

/// The handle that requests queue their work with.
pub(super) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    health: Arc<StorageHealth>,
}

impl Writer {
    pub(super) fn start(
        WriterConnection { mark, mut conn }: WriterConnection,
        checkpoint_conn: Connection,
        (file, capacity): (DatabaseFile, Capacity),
        health: Arc<StorageHealth>,
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
            checkpointer: Checkpointer::start(checkpoint_conn, Arc::clone(&health))?,
            _mark: mark,
            conn,
            file,
            capacity,
            recent: RecentDebates::default(),
            data_version: 0,
            notifier,
            queue,
            wal_pages,
            health: Arc::clone(&health),
            batch_max: options.batch_max,
        };
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || writer_thread.work())?;
        Ok(Self { queue: Some(sender), thread: Some(thread), health })
    }

    /// Executes `work` in a transaction, and answers after the commit. It may be executed more than
    /// once, so it must decide before it writes and keep no state between executions.
    pub(super) async fn run<T, E>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + StorageFailure + Send + 'static,
    {
        if let Some(latched) = self.health.latched_failure() {
            return Err(latched.into());
        }
        let (reply, answer) = oneshot::channel();
        let job = Box::new(QueuedJob::new(work, reply));
        let queue = self.queue.as_ref().expect("the queue closes only when the writer is dropped");
        match queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(StoreError::Overloaded.into()),
            Err(TrySendError::Disconnected(_)) => return Err(writer_ended().into()),
        }
        answer.await.unwrap_or_else(|_| Err(writer_ended().into()))
    }

    /// The failure that refuses writes at present.
    pub(super) fn failure(&self) -> Option<StoreError> {
        self.health.failure()
    }
}

impl Drop for Writer {
    /// Executes the queued writes, then ends the thread.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("writer thread panicked");
        }
    }
}

/// Whether a commit changed the database. Refusals and replays alone do not.
enum CommitEffect {
    Changed,
    Unchanged,
}

/// The reason why a transaction was rolled back.
enum TransactFailure {
    /// Storage failed during one of its jobs, or a job was refused after it had written.
    Job(Option<StoreError>),
    /// The transaction could not begin or commit.
    Transaction(StoreError),
}

struct WriterThread {
    // Dropped before the connection: the last connection copies the rest of the log into the file.
    checkpointer: Checkpointer,
    // Removed before SQLite removes the log.
    _mark: LogMark,
    conn: Connection,
    file: DatabaseFile,
    capacity: Capacity,
    recent: RecentDebates,
    /// SQLite's `data_version`, which changes when another program has changed the file.
    data_version: i64,
    notifier: Arc<Notifier>,
    queue: Receiver<Box<dyn Job>>,
    wal_pages: Arc<AtomicI32>,
    health: Arc<StorageHealth>,
    batch_max: usize,
}

impl WriterThread {
    fn work(&mut self) {
        let mut batch = Vec::with_capacity(self.batch_max);
        loop {
            let is_idle =
                self.wal_pages.load(Ordering::Relaxed) == 0 && self.health.failure().is_none();
            let first = if is_idle {
                self.queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.queue.recv_timeout(IDLE)
            };
            match first {
                Ok(job) => batch.push(job),
                Err(RecvTimeoutError::Timeout) => {
                    self.run_idle_tasks();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            batch.extend(self.queue.try_iter().take(self.batch_max - 1));
            self.commit_batch(&mut batch);
            self.checkpoint_if_due();
        }
        // SQLite does not copy the log into a file that was moved. The log stayed at the old path.
        if let Err(StoreError::Moved(_)) = self.file.check(&self.conn, &self.wal_pages) {
            checkpoint(&self.conn, &self.health, CheckpointMode::Truncate);
        }
    }

    fn checkpoint_if_due(&mut self) {
        if self.checkpointer.has_ended() {
            checkpoint(&self.conn, &self.health, CheckpointMode::Passive);
        } else if self.wal_pages.load(Ordering::Relaxed) >= WAL_PAGES_MAX {
            self.checkpointer.begin();
        }
    }

    /// Commits the batch in one transaction. If a job fails, each job gets a
    /// transaction of its own.
    fn commit_batch(&mut self, batch: &mut Vec<Box<dyn Job>>) {
        let started = Instant::now();
        metrics::histogram!("aw_write_batch_size").record(f64::from(saturating_u32(batch.len())));
        match self.transact(batch) {
            Err(TransactFailure::Job(_)) if batch.len() > 1 => {
                for job in batch.drain(..) {
                    self.commit_one(job);
                }
            }
            outcome => self.settle(batch, outcome),
        }
        metrics::histogram!("aw_write_commit_seconds").record(started.elapsed());
    }

    fn commit_one(&mut self, job: Box<dyn Job>) {
        let mut batch = vec![job];
        let outcome = self.transact(&mut batch);
        self.settle(&mut batch, outcome);
    }

    fn settle(
        &self,
        batch: &mut Vec<Box<dyn Job>>,
        outcome: Result<CommitEffect, TransactFailure>,
    ) {
        let commit = match outcome {
            Ok(CommitEffect::Changed) => {
                self.health.note(None);
                Ok(())
            }
            // Nothing was written, so the health of the disk is unknown.
            Ok(CommitEffect::Unchanged) => Ok(()),
            // The job holds its own error; other jobs of the batch had transactions of their own.
            Err(TransactFailure::Job(fault)) => {
                if fault.is_some() {
                    self.health.note(fault.as_ref());
                }
                Ok(())
            }
            Err(TransactFailure::Transaction(err)) => {
                self.health.note(Some(&err));
                Err(err)
            }
        };
        for job in batch.drain(..) {
            job.settle(commit.clone());
        }
    }

    /// Executes jobs in one transaction: begin, execute, commit, notify. After an
    /// error nothing is committed.
    fn transact(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<CommitEffect, TransactFailure> {
        let failure = |err| TransactFailure::Transaction(EngineError::from(err).0);
        self.check_files().map_err(TransactFailure::Transaction)?;
        if let Err(err) = self.begin() {
            self.roll_back();
            return Err(failure(err));
        }
        let before = self.conn.total_changes();
        let mut tx = Tx {
            conn: &self.conn,
            recent: &mut self.recent,
            counters: None,
            notifications: Notifications::default(),
        };
        let mut ran = Ok(());
        for job in jobs.iter_mut() {
            if let TransactionState::MustRollBack(fault) = job.attempt(&mut tx) {
                ran = Err(TransactFailure::Job(fault));
                break;
            }
        }
        let Tx { counters, notifications, .. } = tx;
        let committed = ran.and_then(|()| {
            if let Some(counters) = counters {
                save_counters(&counters, &self.conn)
                    .map_err(|fault| TransactFailure::Transaction(fault.0))?;
            }
            self.commit().map_err(failure)?;
            let is_unchanged = self.conn.total_changes() == before;
            Ok(if is_unchanged { CommitEffect::Unchanged } else { CommitEffect::Changed })
        });
        if committed.is_err() {
            self.roll_back();
        } else {
            // After the commit and before the answers: a client with an answer may rely on
            // subscribers having been notified.
            notifications.send(&self.notifier);
        }
        committed
    }

    /// Begins a transaction. Drops the cached debates if another program changed the file.
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

    fn roll_back(&mut self) {
        self.recent.forget_all();
        // After some failures SQLite has rolled back automatically.
        if !self.conn.is_autocommit()
            && let Err(err) = self.conn.execute_batch("rollback")
        {
            tracing::error!(error = %err, "rolling back a failed transaction failed");
        }
    }

    /// Probes the storage if it failed before, and truncates the log.
    fn run_idle_tasks(&mut self) {
        if self.health.failure().is_some() && self.health.latched_failure().is_none() {
            let tried = self.check_files().and_then(|()| Ok(self.probe()?));
            self.health.note(tried.err().as_ref());
        }
        if self.wal_pages.load(Ordering::Relaxed) > 0 {
            self.truncate_wal();
        }
    }

    /// Fails if the files were moved or replaced, or if the disk or the log is full.
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

    /// Truncates the log, unless a reader still needs it. Returns whether the log is empty.
    fn truncate_wal(&self) -> bool {
        let is_empty = checkpoint(&self.conn, &self.health, CheckpointMode::Truncate);
        if is_empty {
            self.wal_pages.store(0, Ordering::Relaxed);
        }
        is_empty
    }

    /// Writes a row that no reader uses, to find out whether writes succeed again.
    fn probe(&self) -> Result<(), EngineError> {
        self.conn.execute(
            "insert into schema_meta (key, value) values ('probe', hex(randomblob(8)))
             on conflict (key) do update set value = excluded.value",
            [],
        )?;
        Ok(())
    }
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
