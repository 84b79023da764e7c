//! In-process notification after writes, for long polls, sockets, streams and workers, and
//! following a sequence: the one mechanism behind long polls, streams and sockets.
//!
//! A notification carries no data. Subscribers re-read the store, so a lost or duplicate
//! notification is harmless. A channel exists while it has subscribers: memory use follows the
//! number of subscribers and not the number of items.
//!
//! A follower subscribes to the notifier, reads the store after its position, waits for a
//! notification, and reads again. It holds a position and never a queue, so a slow client uses no
//! memory and delays no other. Entries that a client has not received stay in the store, also
//! across restarts of either side.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use debate_core::{DebateId, EvaluationId, RunId, Seq, SolutionId};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::waiter_pools::{PoolCounts, Pools, Waiter, WaiterLimits};

/// An item or a queue whose changes are announced. Ids of all types are random UUIDs, so ids of
/// two types never collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject(Uuid);

impl Subject {
    /// The queue of runs that are due for a worker.
    pub const RUNNER_WORK: Self = Self(Uuid::from_u128(1));
    /// The queue of evaluations that are due for a worker.
    pub const GUARDRAIL_WORK: Self = Self(Uuid::from_u128(2));

    /// The subject with this id, as another process announced it.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id that is sent to other processes.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<DebateId> for Subject {
    fn from(debate: DebateId) -> Self {
        Self(debate.uuid())
    }
}

impl From<RunId> for Subject {
    fn from(run: RunId) -> Self {
        Self(run.uuid())
    }
}

impl From<EvaluationId> for Subject {
    fn from(evaluation: EvaluationId) -> Self {
        Self(evaluation.uuid())
    }
}

impl From<SolutionId> for Subject {
    fn from(solution: SolutionId) -> Self {
        Self(solution.uuid())
    }
}

/// The limit on waiting clients is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many clients are waiting")]
pub struct TooManyWaiters;

/// The reason why [`Subscription::changed`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// The subject changed: read the store again.
    Changed,
    /// The server is shutting down: no further notification follows.
    Closing,
}

/// Connects stores, which announce their commits, with subscribers.
#[derive(Debug)]
pub struct Notifier {
    channels: Mutex<Channels>,
    limits: WaiterLimits,
}

#[derive(Debug, Default)]
struct Channels {
    by_subject: HashMap<Subject, Channel>,
    waiters: Pools,
    closed: bool,
}

#[derive(Debug)]
struct Channel {
    sender: watch::Sender<()>,
    /// Counts clients and workers together.
    subscribers: usize,
    /// Counts clients only, without workers.
    waiters: PoolCounts,
}

impl Notifier {
    /// A notifier without subscribers.
    #[must_use]
    pub fn new(limits: WaiterLimits) -> Arc<Self> {
        Arc::new(Self { channels: Mutex::default(), limits })
    }

    /// Subscribes a client of the arena to `subject` until the subscription is dropped.
    pub fn subscribe(
        self: &Arc<Self>,
        subject: impl Into<Subject>,
    ) -> Result<Subscription, TooManyWaiters> {
        self.subscribe_as(Waiter::Arena, subject)
    }

    /// Subscribes a client of any context to `subject` until the subscription is dropped.
    pub fn subscribe_as(
        self: &Arc<Self>,
        waiter: Waiter,
        subject: impl Into<Subject>,
    ) -> Result<Subscription, TooManyWaiters> {
        let subject = subject.into();
        let mut channels = self.lock();
        let channel = channels.by_subject.get(&subject);
        let same_subject = channel.map(|channel| channel.waiters).unwrap_or_default();
        channels.waiters.check(self.limits, waiter, same_subject)?;
        Ok(self.register(&mut channels, subject, Some(waiter)))
    }

    /// Subscribes one of the server's own workers. Their number is a setting, so they are
    /// neither counted nor refused.
    #[must_use]
    pub fn subscribe_worker(self: &Arc<Self>, subject: impl Into<Subject>) -> Subscription {
        self.register(&mut self.lock(), subject.into(), None)
    }

    fn register(
        self: &Arc<Self>,
        channels: &mut Channels,
        subject: Subject,
        waiter: Option<Waiter>,
    ) -> Subscription {
        if channels.closed {
            // A receiver without a sender reports `Closing` at once.
            let (_, receiver) = watch::channel(());
            return Subscription { receiver, _registration: None };
        }
        let channel = channels.by_subject.entry(subject).or_insert_with(|| Channel {
            sender: watch::Sender::new(()),
            subscribers: 0,
            waiters: PoolCounts::default(),
        });
        channel.subscribers += 1;
        let receiver = channel.sender.subscribe();
        if let Some(waiter) = waiter {
            channel.waiters.add(waiter);
            channels.waiters.add(waiter);
        }
        let registration = Registration { notifier: Arc::clone(self), subject, waiter };
        Subscription { receiver, _registration: Some(registration) }
    }

    /// Notifies every subscriber of `subject`. Stores call it after a commit, never before.
    pub fn notify(&self, subject: impl Into<Subject>) {
        if let Some(channel) = self.lock().by_subject.get(&subject.into()) {
            channel.sender.send_replace(());
        }
    }

    /// Ends every current and future subscription with [`Notification::Closing`].
    pub fn close(&self) {
        let mut channels = self.lock();
        channels.closed = true;
        channels.waiters = Pools::default();
        channels.by_subject.clear();
    }

    /// The number of clients that wait. Workers do not count.
    #[must_use]
    pub fn waiter_count(&self) -> usize {
        self.lock().waiters.total()
    }

    /// The number of subjects that at least one client waits for.
    #[must_use]
    pub fn watched_count(&self) -> usize {
        self.lock().by_subject.values().filter(|channel| channel.waiters.total() > 0).count()
    }

    /// All subjects with subscribers, for a store that may have missed notifications.
    #[must_use]
    pub fn subjects(&self) -> Vec<Subject> {
        self.lock().by_subject.keys().copied().collect()
    }

    fn unregister(&self, subject: Subject, waiter: Option<Waiter>) {
        let mut channels = self.lock();
        let Some(channel) = channels.by_subject.get_mut(&subject) else {
            return; // `close` has removed the channel.
        };
        channel.subscribers -= 1;
        if let Some(waiter) = waiter {
            channel.waiters.remove(waiter);
        }
        if channel.subscribers == 0 {
            channels.by_subject.remove(&subject);
        }
        if let Some(waiter) = waiter {
            channels.waiters.remove(waiter);
        }
    }

    /// No code panics while it holds the lock, so the data behind a poisoned lock is consistent.
    fn lock(&self) -> MutexGuard<'_, Channels> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One subscriber's registration for one subject.
#[derive(Debug)]
pub struct Subscription {
    receiver: watch::Receiver<()>,
    /// Removes the subscriber when the subscription is dropped.
    _registration: Option<Registration>,
}

impl Subscription {
    /// Waits for the next notification. All notifications since the last call, or since the
    /// subscription was made, count as one.
    pub async fn changed(&mut self) -> Notification {
        match self.receiver.changed().await {
            Ok(()) => Notification::Changed,
            Err(_) => Notification::Closing,
        }
    }
}

#[derive(Debug)]
struct Registration {
    notifier: Arc<Notifier>,
    subject: Subject,
    /// None for a worker.
    waiter: Option<Waiter>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.notifier.unregister(self.subject, self.waiter);
    }
}

/// The last entry that a client received, as the client names it. Reading continues after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamPosition<I> {
    /// Before the first entry.
    Start,
    /// The entry with this id.
    Item(I),
    /// The entry with this sequence number.
    Seq(Seq),
}

/// A position in a sequence that can be read onwards.
#[async_trait]
pub(crate) trait SequenceReader: Send {
    /// Entries that follow one another.
    type Batch: Send;
    /// The error of a failed read.
    type Error: Send;

    /// Reads the entries after the position and advances it; none if there are none. Cancel-safe:
    /// the position advances only when the entries are returned.
    async fn read_next(&mut self) -> Result<Option<Self::Batch>, Self::Error>;
}

/// The result of [`follow`].
#[derive(Debug)]
pub(crate) enum Update<T> {
    /// New entries after the position.
    New(T),
    /// There was none before the deadline.
    Timeout,
    /// The server is shutting down.
    Closing,
}

/// Returns the entries after the reader's position as soon as there are any, or a timeout at
/// `deadline`. The subscription must have been made before the first read: an entry that is
/// committed between a read and a later subscription would go unnoticed.
pub(crate) async fn follow<R: SequenceReader>(
    reader: &mut R,
    subscription: &mut Subscription,
    deadline: Option<Instant>,
) -> Result<Update<R::Batch>, R::Error> {
    loop {
        if let Some(batch) = reader.read_next().await? {
            return Ok(Update::New(batch));
        }
        let notification = match deadline {
            Some(deadline) => timeout_at(deadline, subscription.changed()).await,
            None => Ok(subscription.changed().await),
        };
        match notification {
            Ok(Notification::Changed) => {}
            Ok(Notification::Closing) => return Ok(Update::Closing),
            Err(_) => return Ok(Update::Timeout),
        }
    }
}
