//! The time of day, as a port: tests and replays bring their own.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, in whole microseconds: what the stores keep, so that a first answer and its replay
    /// show the same instant.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond())
            .expect("an instant cut to microseconds is still an instant")
    }
}

/// A clock that nobody sets: it was right when it was begun, and has only run since. For what is
/// measured and not told.
#[derive(Debug, Clone, Copy)]
pub struct SteadyClock {
    begun_at: Timestamp,
    begun: Instant,
}

impl SteadyClock {
    /// Begins with the time that `clock` tells.
    #[must_use]
    pub fn begin(clock: &dyn Clock) -> Self {
        Self { begun_at: clock.now(), begun: Instant::now() }
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Timestamp {
        let ran = i64::try_from(self.begun.elapsed().as_micros()).unwrap_or(i64::MAX);
        let ran = SignedDuration::from_micros(ran);
        self.begun_at.saturating_add(ran).unwrap_or(Timestamp::MAX)
    }
}
