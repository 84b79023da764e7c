//! Retries of failed evaluations. A failure leads to another attempt or to a review by a person,
//! never to an approval.

use std::time::Duration;

use crate::Backoff;

/// The number of an attempt; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvaluationAttempt(u32);

impl EvaluationAttempt {
    /// The number of the first attempt.
    pub const FIRST: Self = Self(1);
    /// The maximum number of attempts.
    pub const MOST: u32 = 3;

    /// The attempt with this number. After a crash it may exceed [`Self::MOST`].
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(if number == 0 { 1 } else { number })
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether it exceeds the maximum, so that the item is flagged instead.
    #[must_use]
    pub const fn is_over(self) -> bool {
        self.0 > Self::MOST
    }
}

/// The consequence of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// Another attempt after this wait.
    RetryIn(Duration),
    /// The item is flagged for review.
    Flag,
}

/// The pauses between two attempts.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(5),
    factor: 4,
    longest: Duration::from_secs(20),
    percent: (100, 150),
};

/// The next step after `attempt` failed. `jitter` is a random number.
#[must_use]
pub fn after_failure(attempt: EvaluationAttempt, jitter: u16) -> AfterFailure {
    if attempt.number() >= EvaluationAttempt::MOST {
        return AfterFailure::Flag;
    }
    AfterFailure::RetryIn(BACKOFF.pause(attempt.number() - 1, jitter))
}
