//! Retries of one request: pauses that double, with jitter, until a deadline.

use std::time::Duration;

use debate_core::Backoff;
use tokio::time::Instant;
use uuid::Uuid;

use crate::failure::Failure;
use crate::output::ProgressLog;

/// The longest pause that the client chooses itself.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// The remaining time for retries, and the next pause.
pub(crate) struct RetryBudget {
    deadline: Instant,
    backoff: Backoff,
    pause_min: Duration,
    failures: u32,
    has_noted: bool,
}

impl RetryBudget {
    pub(crate) fn new(limit: Duration, pause_min: Duration) -> Self {
        let backoff = Backoff {
            first: pause_min.max(Duration::from_millis(1)),
            factor: 2,
            longest: PAUSE_MAX.max(pause_min),
            // Clients that lost the same server must not return together.
            percent: (50, 150),
        };
        Self { deadline: Instant::now() + limit, backoff, pause_min, failures: 0, has_noted: false }
    }

    /// Starts again with the shortest pause, after a response arrived.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
        self.has_noted = false;
    }

    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Sleeps before the next attempt, at least `retry_after`. Returns the failure if the attempt
    /// would begin after the deadline.
    pub(crate) async fn pause(
        &mut self,
        failure: Failure,
        retry_after: Option<Duration>,
        notes: ProgressLog,
    ) -> Result<(), Failure> {
        let pause = self.backoff.pause(self.failures, Uuid::new_v4().as_fields().1);
        let pause = pause.max(self.pause_min).max(retry_after.unwrap_or_default());
        if pause >= self.remaining() {
            return Err(failure);
        }
        if !self.has_noted {
            let limit = self.remaining().as_secs_f64().ceil();
            notes.print(format_args!("retrying for up to {limit} s: {failure}"));
            self.has_noted = true;
        }
        tokio::time::sleep(pause).await;
        self.failures = self.failures.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: ProgressLog = ProgressLog { quiet: true };

    fn failure() -> Failure {
        Failure::Local("no".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_at_the_deadline() {
        let started = Instant::now();
        let mut budget = RetryBudget::new(Duration::from_secs(10), Duration::from_millis(100));
        let mut tries = 0;
        while budget.pause(failure(), None, QUIET).await.is_ok() {
            tries += 1;
        }
        assert!(started.elapsed() <= Duration::from_secs(10));
        assert!((5..30).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_respected_unless_it_ends_after_the_deadline() {
        let mut budget = RetryBudget::new(Duration::from_secs(10), Duration::from_millis(100));
        let started = Instant::now();
        let wanted = Some(Duration::from_secs(5));
        assert!(budget.pause(failure(), wanted, QUIET).await.is_ok());
        assert!(started.elapsed() >= Duration::from_secs(5));
        assert!(budget.pause(failure(), Some(Duration::from_mins(1)), QUIET).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn budget_of_zero_allows_one_attempt() {
        let mut budget = RetryBudget::new(Duration::ZERO, Duration::ZERO);
        assert!(budget.pause(failure(), None, QUIET).await.is_err());
    }
}
