//! The wall clock as a port, so that tests can replace it.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time in whole microseconds. The stores keep microseconds, so a first response
    /// and its replay show the same time.
    fn now(&self) -> Timestamp;
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond())
            .expect("an instant cut to microseconds is still an instant")
    }
}

/// A clock that changes of the system time do not affect: it starts with the system time and
/// continues with the monotonic clock. It measures durations.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    started_at: Timestamp,
    start: Instant,
}

impl MonotonicClock {
    /// Starts with the current time of `clock`.
    #[must_use]
    pub fn start(clock: &dyn Clock) -> Self {
        Self { started_at: clock.now(), start: Instant::now() }
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX);
        let elapsed = SignedDuration::from_micros(elapsed);
        self.started_at.saturating_add(elapsed).unwrap_or(Timestamp::MAX)
    }
}
