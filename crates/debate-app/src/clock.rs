//! The time of day, as a port: tests and replays bring their own.

use jiff::Timestamp;

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
