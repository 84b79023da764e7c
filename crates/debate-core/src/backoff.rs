//! Pauses between attempts: each is a multiple of the one before it, up to a maximum, with jitter.

use std::time::Duration;

/// A series of pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The pause after the first failure.
    pub first: Duration,
    /// The quotient of two pauses that follow each other.
    pub factor: u32,
    /// The maximum before jitter.
    pub longest: Duration,
    /// The range of jitter, in percent of the pause. `(100, 100)` disables jitter.
    pub percent: (u32, u32),
}

impl Backoff {
    /// The pause after this many earlier failures. `random` selects a point of the range of jitter,
    /// so that many clients that failed together do not return together.
    #[must_use]
    pub fn pause(&self, earlier_failures: u32, random: u16) -> Duration {
        let multiple = self.factor.saturating_pow(earlier_failures);
        let pause = self.first.saturating_mul(multiple).min(self.longest);
        let (least, most) = self.percent;
        let spread = pause * most.saturating_sub(least) / 100;
        pause * least / 100 + spread * u32::from(random) / u32::from(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff {
        first: Duration::from_millis(100),
        factor: 2,
        longest: Duration::from_secs(1),
        percent: (50, 150),
    };

    #[test]
    fn pauses_double_up_to_the_longest() {
        let exact = Backoff { percent: (100, 100), ..BACKOFF };
        let pauses = [0, 1, 2, 3, 4, 1000].map(|failures| exact.pause(failures, 7).as_millis());
        assert_eq!(pauses, [100, 200, 400, 800, 1000, 1000]);
    }

    #[test]
    fn jitter_stays_within_its_range() {
        let pauses = [0, u16::MAX / 2, u16::MAX].map(|random| BACKOFF.pause(0, random).as_millis());
        assert_eq!(pauses, [50, 99, 150]);
    }
}
