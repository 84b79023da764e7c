//! What a failed examination leads to: another one after a while, or a human. Never nothing, and
//! never an approval.

use std::time::Duration;

/// Which try this is; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt(u32);

impl Attempt {
    /// The first try.
    pub const FIRST: Self = Self(1);
    /// How many there are.
    pub const MOST: u32 = 3;

    /// The try with this number. One that a crash left uncounted in its end is past the last.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(if number == 0 { 1 } else { number })
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether it is one too many: then whoever claims it flags it instead of trying.
    #[must_use]
    pub const fn is_over(self) -> bool {
        self.0 > Self::MOST
    }
}

/// What comes after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// Another try, not before so long.
    RetryIn(Duration),
    /// A human looks.
    Flag,
}

/// The first wait; the second is four times as long.
const WAIT: Duration = Duration::from_secs(5);

/// What follows when `attempt` failed. `jitter` of 65,535 is added up to half of the wait, so that
/// many don't come back at once.
#[must_use]
pub fn after_failure(attempt: Attempt, jitter: u16) -> AfterFailure {
    if attempt.number() >= Attempt::MOST {
        return AfterFailure::Flag;
    }
    let wait = WAIT * 4_u32.saturating_pow(attempt.number() - 1);
    AfterFailure::RetryIn(wait + wait / 2 * u32::from(jitter) / u32::from(u16::MAX))
}
