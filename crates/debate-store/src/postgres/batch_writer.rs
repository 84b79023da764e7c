//! Batched writes of the arena: many requests, two round trips, one commit, then the answers.
//!
//! This is the one exception from the operations of `sql/operation.rs`: a batch loads the rows of
//! all of its requests at once and decides on them in memory. Each batch writer owns a connection
//! and the debates whose ids fall to it, so that two batch writers of a process never wait for each
//! other. Writes of other processes are excluded by the locks of the rows.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use debate_app::arena::ArenaError;
use debate_app::{Cause, Notifier, StoreError};
use debate_core::DebateId;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep_until, timeout_at};
use uuid::Uuid;

use super::PostgresOptions;
use super::arena::{ArenaWrite, BatchState, Lookups, QueuedWrite, WriteResult};
use super::batch_session::BatchSession;
use super::health::WriteHealth;
use super::round_trip::{RoundTripError, TRIES_MAX};
use super::server::Server;
use crate::notifications::Notifications;

/// Minimum time between two attempts to connect to a server that cannot be reached.
const RECONNECT_EVERY: Duration = Duration::from_millis(250);

/// Time limit for finding out whether a commit whose answer was lost took effect.
const DOUBT: Duration = Duration::from_secs(5);

/// Number of rows that each counter is spread over, so that batches rarely lock the same row.
const SLOTS: u128 = 64;

/// The handle that requests queue their work with.
pub(super) struct BatchWriters {
    queues: Vec<Sender<QueuedWrite>>,
    process: Uuid,
    name: Arc<str>,
}

impl BatchWriters {
    pub(super) fn start(
        server: &Server,
        options: &PostgresOptions,
        notifier: &Arc<Notifier>,
        health: &Arc<WriteHealth>,
    ) -> Self {
        let process = Uuid::new_v4();
        let name: Arc<str> = process.simple().to_string().into();
        let start = |number: u128| {
            let (sender, queue) = channel(options.queue_max);
            let slot = i16::try_from((process.as_u128() + number) % SLOTS).unwrap_or_default();
            let writer = BatchWriter {
                server: server.clone(),
                queue,
                carried: None,
                session: None,
                reconnect_at: Instant::now(),
                notifier: Arc::clone(notifier),
                health: Arc::clone(health),
                batch_max: options.batch_max,
                slot,
                process: Arc::clone(&name),
            };
            tokio::spawn(writer.work());
            sender
        };
        let queues = (0..).take(options.batch_writers.max(1)).map(start).collect();
        Self { queues, process, name }
    }

    /// The name of this process in its notifications.
    pub(super) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    pub(super) fn process(&self) -> Uuid {
        self.process
    }

    pub(super) async fn run(&self, work: ArenaWrite) -> WriteResult {
        let (task, answer) = QueuedWrite::new(work);
        let queue = self.queue_for(task.debate()).ok_or_else(writer_ended)?;
        match queue.try_send(task) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(StoreError::Overloaded.into()),
            Err(TrySendError::Closed(_)) => return Err(writer_ended()),
        }
        answer.await.unwrap_or_else(|_| Err(writer_ended()))
    }

    fn queue_for(&self, debate: DebateId) -> Option<&Sender<QueuedWrite>> {
        let batch_writers = u128::try_from(self.queues.len()).ok()?;
        let number = debate.uuid().as_u128().checked_rem(batch_writers)?;
        self.queues.get(usize::try_from(number).ok()?)
    }
}

fn writer_ended() -> ArenaError {
    StoreError::Unavailable(Cause::new("the writer task has ended")).into()
}

struct BatchWriter {
    server: Server,
    queue: Receiver<QueuedWrite>,
    /// A write that was taken from the queue and belongs into the next batch.
    carried: Option<QueuedWrite>,
    session: Option<BatchSession>,
    /// The earliest time of the next attempt to connect.
    reconnect_at: Instant,
    notifier: Arc<Notifier>,
    health: Arc<WriteHealth>,
    batch_max: usize,
    slot: i16,
    process: Arc<str>,
}

impl BatchWriter {
    async fn work(mut self) {
        while let Some(mut batch) = self.collect_batch().await {
            let started = Instant::now();
            let size = u32::try_from(batch.len()).unwrap_or(u32::MAX);
            metrics::histogram!("aw_write_batch_size").record(f64::from(size));
            match self.transact(&mut batch).await {
                Ok(()) => settle(batch, &Ok(())),
                Err(failed) => self.retry_each(batch, failed).await,
            }
            metrics::histogram!("aw_write_commit_seconds").record(started.elapsed());
        }
    }

    /// The queued writes, up to the maximum. The deletion of a debate shares no batch with other
    /// writes to the same debate, because rows that are loaded before it are invalid after it.
    async fn collect_batch(&mut self) -> Option<Vec<QueuedWrite>> {
        let first = match self.carried.take() {
            Some(task) => task,
            None => self.queue.recv().await?,
        };
        let mut debates = HashSet::from([first.debate()]);
        let mut deleted: HashSet<DebateId> =
            first.is_delete().then(|| first.debate()).into_iter().collect();
        let mut batch = vec![first];
        while batch.len() < self.batch_max {
            let Ok(task) = self.queue.try_recv() else { break };
            let known = debates.contains(&task.debate());
            if deleted.contains(&task.debate()) || (known && task.is_delete()) {
                self.carried = Some(task);
                break;
            }
            debates.insert(task.debate());
            if task.is_delete() {
                deleted.insert(task.debate());
            }
            batch.push(task);
        }
        Some(batch)
    }

    /// Repeats each write of a batch that failed, or whose outcome is unknown, in a transaction of
    /// its own. If the database still fails after the deadline, the rest is refused without a try.
    async fn retry_each(&mut self, batch: Vec<QueuedWrite>, failed: RoundTripError) {
        let in_doubt = matches!(failed, RoundTripError::Lost { commit_sent: true, .. });
        let span = if in_doubt { DOUBT } else { self.server.limits().deadline };
        let until = Instant::now() + span;
        let mut fails = None;
        for task in batch {
            match fails.clone().filter(|_| Instant::now() >= until) {
                Some(err) => task.settle(Err(err)),
                None => fails = self.retry_one(task, in_doubt, until).await.err(),
            }
        }
    }

    /// Repeats one write and answers it. Returns the error of the database, if it failed.
    async fn retry_one(
        &mut self,
        task: QueuedWrite,
        mut in_doubt: bool,
        until: Instant,
    ) -> Result<(), StoreError> {
        let mut alone = vec![task];
        let mut tries = 0;
        let outcome = loop {
            tries += 1;
            match self.transact(&mut alone).await {
                Ok(()) => break Ok(()),
                Err(RoundTripError::Refused { transient: true, .. }) if tries < TRIES_MAX => {}
                // The backend that may have committed it still holds its locks.
                Err(RoundTripError::Refused { err: StoreError::Overloaded, .. }) if in_doubt => {
                    let why = "PostgreSQL did not answer the commit; its outcome is unknown";
                    break Err(StoreError::Unavailable(Cause::new(why)));
                }
                Err(RoundTripError::Refused { err, .. }) => break Err(err),
                Err(RoundTripError::Lost { err, commit_sent, .. }) => {
                    in_doubt |= commit_sent;
                    // A write that is known not to be committed is refused at once; its client
                    // can retry.
                    if !in_doubt || Instant::now() >= until {
                        break Err(err);
                    }
                    self.wait_before_retry(&err, self.reconnect_at.min(until)).await;
                }
            }
        };
        if in_doubt {
            alone.iter_mut().for_each(QueuedWrite::detect_earlier_commit);
        }
        settle(alone, &outcome);
        outcome
    }

    /// Waits before the next try. Requests that arrive meanwhile fail at once, because nothing of
    /// them was written; only requests in doubt have a reason to wait.
    async fn wait_before_retry(&mut self, err: &StoreError, until: Instant) {
        if let Some(task) = self.carried.take() {
            task.settle(Err(err.clone()));
        }
        while let Ok(Some(task)) = timeout_at(until, self.queue.recv()).await {
            task.settle(Err(err.clone()));
        }
        // A closed queue returns at once; the wait is the same.
        sleep_until(until).await;
    }

    /// Executes a batch: load, decide, write, commit, notify. After an error nothing is committed,
    /// unless the commit was sent.
    async fn transact(&mut self, batch: &mut [QueuedWrite]) -> Result<(), RoundTripError> {
        if let Some(stall) = self.health.stall() {
            self.reconnect_at = Instant::now() + RECONNECT_EVERY;
            return Err(RoundTripError::unsent(stall));
        }
        let session = self.session().await?;
        let outcome = self.run_batch(&session, batch).await;
        match &outcome {
            Ok(_) => self.session = Some(session),
            Err(RoundTripError::Refused { err, transient }) => {
                // Neither a conflict with another process nor a row that cannot be decoded says
                // anything about the health of the database.
                if !transient && !matches!(err, StoreError::Undecodable(_)) {
                    self.health.note_failure(err);
                }
                // A connection that cannot roll back is closed.
                self.session = session.roll_back().await.is_ok().then_some(session);
            }
            Err(RoundTripError::Lost { err, stalled, .. }) => {
                if *stalled {
                    self.health.note_stall();
                }
                self.health.note_failure(err);
            }
        }
        let notifications = outcome?;
        // After the commit and before the answers: a client with an answer may rely on
        // subscribers having been notified.
        notifications.send(&self.notifier);
        Ok(())
    }

    async fn run_batch(
        &self,
        session: &BatchSession,
        batch: &mut [QueuedWrite],
    ) -> Result<Notifications, RoundTripError> {
        let refused = |err| RoundTripError::Refused { err, transient: false };
        let loaded = session.load(&Lookups::for_batch(batch)).await?;
        let mut state = BatchState::from_rows(&loaded).map_err(|fault| refused(fault.0))?;
        for task in batch {
            task.attempt(&mut state).map_err(refused)?;
        }
        let (changes, notifications) = state.into_changes(self.slot, &self.process);
        session.save(&changes).await?;
        if !notifications.is_empty() {
            self.health.note_commit();
        }
        Ok(notifications)
    }

    /// The connection, opened again if it was lost. While the server cannot be reached, attempts
    /// are at least [`RECONNECT_EVERY`] apart.
    async fn session(&mut self) -> Result<BatchSession, RoundTripError> {
        if let Some(session) = self.session.take().filter(BatchSession::is_alive) {
            return Ok(session);
        }
        // Unless another connection has reached the server since.
        if let Some(known) = self.health.failure().filter(|_| Instant::now() < self.reconnect_at) {
            return Err(RoundTripError::unsent(known));
        }
        match BatchSession::open(&self.server).await {
            Ok(session) => Ok(session),
            Err(fault) => {
                self.reconnect_at = Instant::now() + RECONNECT_EVERY;
                self.health.note_failure(&fault.0);
                Err(RoundTripError::unsent(fault.0))
            }
        }
    }
}

fn settle(batch: Vec<QueuedWrite>, commit: &Result<(), StoreError>) {
    for task in batch {
        task.settle(commit.clone());
    }
}
