//! Leased work: the types of leases, and the dispatcher that hands due items to workers.
//!
//! A row of the store is the work item. A worker acquires it for a limited time, renews its lease
//! while it works, and saves the result under the fencing token of its lease. The dispatcher is
//! notified of each commit that leaves an item due, and also looks every [`POLL_INTERVAL`], so that
//! neither a lost notification nor a clock that was set delays an item for long.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use debate_core::{Backoff, FencingToken};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout};
use uuid::Uuid;

use crate::{Notification, StoreError, Subscription};

/// Interval at which the dispatcher looks for items without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Pause of the dispatcher after the store failed.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// A worker's request for the item that has been due for longest.
#[derive(Debug, Clone)]
pub struct LeaseRequest {
    /// The name of the process, for people who look into the database.
    pub holder: String,
    /// The time of the request.
    pub at: Timestamp,
    /// Duration of the lease without a renewal.
    pub duration: SignedDuration,
}

/// The answer to a [`LeaseRequest`].
#[derive(Debug, Clone)]
pub enum WorkOffer<T> {
    /// An item, leased to the worker.
    Task(T),
    /// An item needed no worker and was saved in its new state, or was postponed because it cannot
    /// be decoded. Others may be due.
    Cleaned,
    /// No item is due.
    Nothing {
        /// The time at which the next item is due, if there is one.
        next_due: Option<Timestamp>,
    },
}

/// A worker's right to write to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease<I> {
    /// The id of the work item: a run or an evaluation.
    pub item: I,
    /// Grows with every lease of the item; the store discards writes with an older one.
    pub fencing_token: FencingToken,
}

/// The answer of the store to a worker's result or renewal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It was saved, now or by an earlier request with the same content.
    Saved,
    /// The lease was lost or the item deleted; nothing of it was saved.
    Discarded,
}

/// Storage of the leases of items of type `I`, whose workers save results of type `R`. The store
/// compares the fencing token of each write with that of the current lease.
#[async_trait]
pub trait LeaseStore<I: Send + 'static, R: Send + 'static>: Send + Sync {
    /// Extends a worker's lease to `duration` after `at`.
    async fn renew(
        &self,
        lease: Lease<I>,
        at: Timestamp,
        duration: SignedDuration,
    ) -> Result<Settlement, StoreError>;

    /// Saves the result of a worker, which ends its lease.
    async fn settle(
        &self,
        lease: Lease<I>,
        result: R,
        at: Timestamp,
    ) -> Result<Settlement, StoreError>;
}

/// A source of leased items, and the work on them.
#[async_trait]
pub(crate) trait WorkSource: Send + Sync + 'static {
    /// A leased item with the data that the work needs.
    type Task: Send + 'static;

    /// Acquires the item that has been due for longest.
    async fn acquire(&self) -> Result<WorkOffer<Self::Task>, StoreError>;

    /// Works on an item and saves the result.
    async fn work(&self, task: Self::Task);

    /// The current time, which due times are compared with.
    fn now(&self) -> Timestamp;
}

/// The workers of one kind in this process. They stop when the notifier closes.
#[derive(Debug)]
pub struct Workers {
    name: &'static str,
    dispatcher: Option<JoinHandle<()>>,
}

impl Workers {
    /// Starts a dispatcher for `count` workers; none if `count` is 0. `name` is for the log.
    pub(crate) fn start<S: WorkSource>(
        name: &'static str,
        source: S,
        subscription: Subscription,
        count: usize,
    ) -> Self {
        let dispatcher = Dispatcher {
            source: Arc::new(source),
            subscription,
            permits: Arc::new(Semaphore::new(count)),
            tasks: JoinSet::new(),
        };
        Self { name, dispatcher: (count > 0).then(|| tokio::spawn(dispatcher.run())) }
    }

    /// Returns when every worker has ended.
    pub async fn wait_until_stopped(self) {
        if let Some(dispatcher) = self.dispatcher
            && let Err(err) = dispatcher.await
        {
            tracing::error!(workers = self.name, error = %err, "dispatcher panicked");
        }
    }
}

/// Hands due items to workers, one at a time.
struct Dispatcher<S> {
    source: Arc<S>,
    subscription: Subscription,
    /// One permit for each worker that is free.
    permits: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

impl<S: WorkSource> Dispatcher<S> {
    /// Runs until the notifier closes and every worker has ended.
    async fn run(mut self) {
        while let Some(permit) = self.free_worker().await {
            if self.dispatch(permit).await == Notification::Closing {
                break;
            }
            while let Some(ended) = self.tasks.try_join_next() {
                log_panic(ended);
            }
        }
        while let Some(ended) = self.tasks.join_next().await {
            log_panic(ended);
        }
    }

    /// Waits for a free worker; none when the server closes.
    async fn free_worker(&mut self) -> Option<OwnedSemaphorePermit> {
        loop {
            tokio::select! {
                permit = Arc::clone(&self.permits).acquire_owned() => return permit.ok(),
                change = self.subscription.changed() => if change == Notification::Closing {
                    return None;
                },
            }
        }
    }

    /// Starts the worker on an item, or waits until one may be due.
    async fn dispatch(&mut self, permit: OwnedSemaphorePermit) -> Notification {
        let pause = match self.source.acquire().await {
            Ok(WorkOffer::Task(task)) => {
                let source = Arc::clone(&self.source);
                self.tasks.spawn(async move {
                    let _permit = permit;
                    source.work(task).await;
                });
                return Notification::Changed;
            }
            Ok(WorkOffer::Cleaned) => return Notification::Changed,
            Ok(WorkOffer::Nothing { next_due }) => self.pause_until(next_due),
            Err(err) => {
                tracing::warn!(error = %err, "looking for work failed; retrying");
                RETRY_DELAY
            }
        };
        timeout(pause, self.subscription.changed()).await.unwrap_or(Notification::Changed)
    }

    fn pause_until(&self, next_due: Option<Timestamp>) -> Duration {
        let wait = next_due.map(|due| due.duration_since(self.source.now()));
        let wait = wait.map(|wait| Duration::try_from(wait.max(SignedDuration::ZERO)));
        wait.and_then(Result::ok).unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL)
    }
}

/// The item of a worker that panicked is due again when its lease ends.
fn log_panic(ended: Result<(), JoinError>) {
    if let Err(err) = ended {
        tracing::error!(error = %err, "worker task panicked");
    }
}

/// Holds a lease while a worker waits for something.
pub(crate) struct LeaseGuard {
    /// Notified when the item may not be the worker's any more.
    pub(crate) subscription: Subscription,
    /// Duration of the lease without a renewal.
    pub(crate) duration: Duration,
    /// Time that the work gets to finish after the server began to shut down.
    pub(crate) grace: Duration,
}

impl LeaseGuard {
    /// The result of `work`. Meanwhile `renew` extends the lease three times per duration and at
    /// every notification. None if `renew` returns false because the lease is lost, or if the
    /// server closes and the work exceeds the grace period.
    pub(crate) async fn hold<T, R: Future<Output = bool>>(
        mut self,
        work: impl Future<Output = T>,
        renew: impl Fn() -> R,
    ) -> Option<T> {
        let mut work = pin!(work);
        let period = self.duration / 3;
        let mut renewals = interval_at(Instant::now() + period, period);
        renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut deadline = None;
        loop {
            tokio::select! {
                result = &mut work => return Some(result),
                _ = renewals.tick() => if !renew().await {
                    return None;
                },
                change = self.subscription.changed(), if deadline.is_none() => match change {
                    Notification::Changed => if !renew().await {
                        return None;
                    },
                    Notification::Closing => deadline = Some(Instant::now() + self.grace),
                },
                () = sleep_until_some(deadline), if deadline.is_some() => return None,
            }
        }
    }
}

/// Never returns without a deadline.
async fn sleep_until_some(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// A random number for a back-off, so that workers do not retry at the same time.
pub(crate) fn jitter() -> u16 {
    let [high, low, ..] = Uuid::new_v4().into_bytes();
    u16::from_be_bytes([high, low])
}

/// Duration after which a write is not retried.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(100),
    factor: 2,
    longest: Duration::from_secs(1),
    percent: (100, 100),
};

/// Repeats `write` while the store is temporarily unavailable, for at most [`GIVE_UP_AFTER`].
pub(crate) async fn persist<T, F>(mut write: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let give_up = Instant::now() + GIVE_UP_AFTER;
    let mut failures = 0;
    loop {
        let err = match write().await {
            Ok(written) => return Ok(written),
            Err(err) => err,
        };
        let is_temporary = match &err {
            StoreError::Overloaded
            | StoreError::Full(_)
            | StoreError::Unavailable(_)
            | StoreError::WalFull(_)
            | StoreError::Moved(_) => true,
            StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Undecodable(_)
            | StoreError::Unexpected(_) => false,
        };
        if !is_temporary || Instant::now() >= give_up {
            return Err(err);
        }
        tracing::warn!(error = %err, "saving the result failed; retrying");
        sleep(BACKOFF.pause(failures, 0)).await;
        failures += 1;
    }
}
