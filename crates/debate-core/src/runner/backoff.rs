//! What a failed call leads to: another one after a while, or an end.

use std::time::Duration;

use crate::Failure;

/// Which try of a turn this is; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt(u32);

impl Attempt {
    /// The first try.
    pub const FIRST: Self = Self(1);
    /// How many tries a turn has.
    pub const MOST: u32 = 4;

    /// The try with this number, if a turn has it.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number >= 1 && number <= Self::MOST { Some(Self(number)) } else { None }
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The try after this one, if there is one.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        Self::new(self.0.saturating_add(1))
    }
}

/// What comes after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Another try.
    After {
        /// Not before so long.
        wait: Duration,
        /// Which one.
        attempt: Attempt,
    },
    /// Nothing: the debate has failed.
    GiveUp,
}

/// The longest of our own waits.
const WAIT_MOST: Duration = Duration::from_mins(1);

/// The longest wait a provider may ask for. To call earlier would be rude, and a debate that stands
/// still for longer is better shown as failed.
const RETRY_AFTER_MOST: Duration = Duration::from_mins(15);

/// What follows when `attempt` failed. Waits double from a second to a minute; of each, the last
/// half is `jitter` of 65,535, a random number that keeps many debates from coming back at once.
#[must_use]
pub fn retry(attempt: Attempt, failure: Failure, jitter: u16) -> Retry {
    let retry_after = match failure {
        Failure::Permanent => return Retry::GiveUp,
        Failure::Transient { retry_after } => retry_after.unwrap_or_default(),
    };
    let Some(next) = attempt.next() else { return Retry::GiveUp };
    if retry_after > RETRY_AFTER_MOST {
        return Retry::GiveUp;
    }
    let doubled = 2_u64.saturating_pow(attempt.number().saturating_sub(1));
    let half = Duration::from_secs(doubled).min(WAIT_MOST) / 2;
    let spread = half * u32::from(jitter) / u32::from(u16::MAX);
    // The spread lies on top of what the provider asked for, never below it.
    Retry::After { wait: retry_after.max(half) + spread, attempt: next }
}
