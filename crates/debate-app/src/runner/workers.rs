//! The workers: whoever is free takes the debate that has waited for longest, and does one step.

use std::sync::Arc;
use std::time::Duration;

use debate_core::runner::OnUnknown;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use uuid::Uuid;

use super::step::Desk;
use super::{Found, ReadVerdict, Runner, Take};
use crate::{Bell, Rung, Subject};

/// How long at most until the workers look by themselves, whether anyone rang or not: beneath every
/// ring that is lost and every clock that is set.
const SWEEP: Duration = Duration::from_secs(5);

/// How long until the store is asked again that could not answer.
const AFTER_TROUBLE: Duration = Duration::from_millis(500);

/// How the workers work.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// How many steps are done at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// For how long one may fall silent before another takes its debate.
    pub lease: Duration,
    /// What they do about a call whose outcome nobody knows.
    pub on_unknown: OnUnknown,
    /// The most tokens that all debates of a day may have, together.
    pub daily_tokens: Option<u64>,
    /// How long one call to a provider may take.
    pub call_timeout: Duration,
    /// How long a call in flight is waited for when the server closes down.
    pub grace: Duration,
}

/// The workers of this process. They stop when the hub closes.
#[derive(Debug)]
pub struct Workers(Option<JoinHandle<()>>);

impl Workers {
    /// Sets them to work.
    #[must_use]
    pub fn start(runner: &Runner, read_verdict: ReadVerdict, options: WorkerOptions) -> Self {
        if options.workers == 0 {
            return Self(None);
        }
        let foreman = Foreman {
            bell: runner.hub.attend(Subject::RUNNER_WORK),
            seats: Arc::new(Semaphore::new(options.workers)),
            steps: JoinSet::new(),
            holder: Uuid::new_v4().simple().to_string(),
            desk: Arc::new(Desk { runner: runner.clone(), read_verdict, options }),
        };
        Self(Some(tokio::spawn(foreman.work())))
    }

    /// Done when every step is, and every debate given back.
    pub async fn stopped(self) {
        if let Some(task) = self.0
            && let Err(err) = task.await
        {
            tracing::error!(error = %err, "the workers ended with a mistake of ours");
        }
    }
}

/// Hands out the steps, one at a time.
struct Foreman {
    desk: Arc<Desk>,
    bell: Bell,
    seats: Arc<Semaphore>,
    steps: JoinSet<()>,
    /// What this process calls itself in the database.
    holder: String,
}

impl Foreman {
    async fn work(mut self) {
        while let Some(seat) = self.seat().await {
            if self.hand_out(seat).await == Rung::Closing {
                break;
            }
            while let Some(ended) = self.steps.try_join_next() {
                note(ended);
            }
        }
        while let Some(ended) = self.steps.join_next().await {
            note(ended);
        }
    }

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
        let desk = &self.desk;
        let take = Take {
            holder: self.holder.clone(),
            at: desk.runner.clock.now(),
            lease: desk.lease(),
            on_unknown: desk.options.on_unknown,
        };
        let pause = match desk.runner.store.take(take).await {
            Ok(Found::Step(task)) => {
                let desk = Arc::clone(desk);
                self.steps.spawn(async move {
                    let _seat = seat;
                    desk.step(*task).await;
                });
                return Rung::Moved;
            }
            Ok(Found::Tidied) => return Rung::Moved,
            Ok(Found::Nothing { next }) => self.until(next),
            Err(err) => {
                tracing::warn!(error = %err, "no work could be looked for");
                AFTER_TROUBLE
            }
        };
        timeout(pause, self.bell.rung()).await.unwrap_or(Rung::Moved)
    }

    /// How long until the next debate is due, or until a look is due anyhow.
    fn until(&self, next: Option<Timestamp>) -> Duration {
        let wait = next.map(|next| next.duration_since(self.desk.runner.clock.now()));
        let wait = wait.map(|wait| Duration::try_from(wait.max(SignedDuration::ZERO)));
        wait.and_then(Result::ok).unwrap_or(SWEEP).min(SWEEP)
    }
}

/// A step that panicked has let its debate go; its lease will end.
fn note(ended: Result<(), tokio::task::JoinError>) {
    if let Err(err) = ended {
        tracing::error!(error = %err, "a step ended with a mistake of ours");
    }
}
