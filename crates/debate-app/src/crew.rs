//! Workers over rows that are work: whoever is free takes what has waited for longest.
//!
//! One mechanism for every context that has work: rung at each commit that leaves some, with a
//! slow sweep beneath, so that neither a lost ring nor a clock that was set holds anything up.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use uuid::Uuid;

use crate::{Bell, Rung, StoreError};

/// How long at most until the workers look by themselves, whether anyone rang or not.
const SWEEP: Duration = Duration::from_secs(5);

/// How long until the store is asked again that could not answer.
const AFTER_TROUBLE: Duration = Duration::from_millis(500);

/// Where work is taken from and done.
#[async_trait]
pub(crate) trait Bench: Send + Sync + 'static {
    /// What is taken.
    type Task: Send + 'static;

    /// Takes what has been due for longest.
    async fn take(&self) -> Result<Offer<Self::Task>, StoreError>;

    /// Does it, and gives it back.
    async fn work(&self, task: Self::Task);

    /// What time it is.
    fn now(&self) -> Timestamp;
}

/// What a worker finds.
pub(crate) enum Offer<T> {
    /// Something to do, which is its own now.
    Task(T),
    /// Something was tidied up; there may be more.
    Tidied,
    /// Nothing.
    Nothing {
        /// When the next is due, if one is.
        next: Option<Timestamp>,
    },
}

/// Hands out the work, one piece at a time, until the bell closes; done when every worker is.
pub(crate) async fn run<B: Bench>(bench: Arc<B>, bell: Bell, workers: usize) {
    let seats = Arc::new(Semaphore::new(workers));
    let mut foreman = Foreman { bench, bell, seats, pieces: JoinSet::new() };
    while let Some(seat) = foreman.seat().await {
        if foreman.hand_out(seat).await == Rung::Closing {
            break;
        }
        while let Some(ended) = foreman.pieces.try_join_next() {
            note(ended);
        }
    }
    while let Some(ended) = foreman.pieces.join_next().await {
        note(ended);
    }
}

struct Foreman<B> {
    bench: Arc<B>,
    bell: Bell,
    seats: Arc<Semaphore>,
    pieces: JoinSet<()>,
}

impl<B: Bench> Foreman<B> {
    /// A free worker; none when the server closes down.
    async fn seat(&mut self) -> Option<OwnedSemaphorePermit> {
        loop {
            tokio::select! {
                seat = Arc::clone(&self.seats).acquire_owned() => return seat.ok(),
                rung = self.bell.rung() => if rung == Rung::Closing {
                    return None;
                },
            }
        }
    }

    /// Gives the worker something to do, or waits until there may be something.
    async fn hand_out(&mut self, seat: OwnedSemaphorePermit) -> Rung {
        let pause = match self.bench.take().await {
            Ok(Offer::Task(task)) => {
                let bench = Arc::clone(&self.bench);
                self.pieces.spawn(async move {
                    let _seat = seat;
                    bench.work(task).await;
                });
                return Rung::Moved;
            }
            Ok(Offer::Tidied) => return Rung::Moved,
            Ok(Offer::Nothing { next }) => self.until(next),
            Err(err) => {
                tracing::warn!(error = %err, "looking for work failed; retrying");
                AFTER_TROUBLE
            }
        };
        timeout(pause, self.bell.rung()).await.unwrap_or(Rung::Moved)
    }

    /// How long until the next piece is due, or until a look is due anyhow.
    fn until(&self, next: Option<Timestamp>) -> Duration {
        let wait = next.map(|next| next.duration_since(self.bench.now()));
        let wait = wait.map(|wait| Duration::try_from(wait.max(SignedDuration::ZERO)));
        wait.and_then(Result::ok).unwrap_or(SWEEP).min(SWEEP)
    }
}

/// A piece that panicked has let its row go; its lease will end.
fn note(ended: Result<(), JoinError>) {
    if let Err(err) = ended {
        tracing::error!(error = %err, "worker task panicked");
    }
}

/// How a piece is held while something is awaited for it.
pub(crate) struct Hold {
    /// Rings when the piece may not be wanted any more.
    pub(crate) bell: Bell,
    /// How long its worker may fall silent.
    pub(crate) lease: Duration,
    /// How long the work is waited for once the server closes down.
    pub(crate) grace: Duration,
}

impl Hold {
    /// What the work comes to. `renew` says that the worker is still at it, and tells whether the
    /// piece still is its own: in good time before the lease ends, and whenever the bell rings.
    /// None when it is not, or when the server closes down and the work takes too long.
    pub(crate) async fn over<T, R: Future<Output = bool>>(
        mut self,
        work: impl Future<Output = T>,
        renew: impl Fn() -> R,
    ) -> Option<T> {
        let mut work = pin!(work);
        let beat = self.lease / 3;
        let mut beats = interval_at(Instant::now() + beat, beat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut give_up = None;
        loop {
            tokio::select! {
                done = &mut work => return Some(done),
                _ = beats.tick() => if !renew().await {
                    return None;
                },
                rung = self.bell.rung(), if give_up.is_none() => match rung {
                    Rung::Moved => if !renew().await {
                        return None;
                    },
                    Rung::Closing => give_up = Some(Instant::now() + self.grace),
                },
                () = until(give_up), if give_up.is_some() => return None,
            }
        }
    }
}

/// Waits until then; for ever, if there is no such time.
async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// A random number that keeps many workers from coming back at once.
pub(crate) fn jitter() -> u16 {
    let [high, low, ..] = Uuid::new_v4().into_bytes();
    u16::from_be_bytes([high, low])
}
