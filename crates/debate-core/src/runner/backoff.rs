//! Retries of failed calls.

use std::time::Duration;

use crate::{Backoff, CallFailure};

/// The number of an attempt at a turn; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt(u32);

impl Attempt {
    /// The number of the first attempt.
    pub const FIRST: Self = Self(1);
    /// The maximum number of attempts at a turn.
    pub const MOST: u32 = 4;

    /// The attempt with this number; none if it is out of range.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number >= 1 && number <= Self::MOST { Some(Self(number)) } else { None }
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The next attempt; none after the last.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        Self::new(self.0.saturating_add(1))
    }
}

/// The consequence of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The call is repeated.
    After {
        /// The wait before the next attempt.
        wait: Duration,
        /// The number of the next attempt.
        attempt: Attempt,
    },
    /// The run fails with this error.
    GiveUp,
}

/// The pauses between two attempts, without what a provider asks for.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(1),
    factor: 2,
    longest: Duration::from_mins(1),
    percent: (50, 100),
};

/// The longest wait that a provider may ask for. A run that waits longer is shown as failed.
const RETRY_AFTER_MOST: Duration = Duration::from_mins(15);

/// The next step after `attempt` failed. `jitter` is a random number.
#[must_use]
pub fn retry(attempt: Attempt, failure: CallFailure, jitter: u16) -> Retry {
    let retry_after = match failure {
        CallFailure::Permanent => return Retry::GiveUp,
        CallFailure::Transient { retry_after } => retry_after.unwrap_or_default(),
    };
    let Some(next) = attempt.next() else { return Retry::GiveUp };
    if retry_after > RETRY_AFTER_MOST {
        return Retry::GiveUp;
    }
    let earlier = attempt.number().saturating_sub(1);
    let least = BACKOFF.pause(earlier, 0);
    let spread = BACKOFF.pause(earlier, jitter).saturating_sub(least);
    // The jitter is added to what the provider asked for and never shortens it.
    Retry::After { wait: retry_after.max(least) + spread, attempt: next }
}
