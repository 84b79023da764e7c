//! How long is tried again, and how soon: pauses that double, never in step with others, never
//! beyond the deadline.

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::Fault;
use crate::output::Notes;

/// The longest pause of our own choosing.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// How much longer something is put up with.
pub(crate) struct Patience {
    deadline: Instant,
    floor: Duration,
    next: Duration,
    told: bool,
}

impl Patience {
    pub(crate) fn new(patience: Duration, floor: Duration) -> Self {
        Self { deadline: Instant::now() + patience, floor, next: floor, told: false }
    }

    /// Begins anew: there was an answer.
    pub(crate) fn calm(&mut self) {
        self.next = self.floor;
        self.told = false;
    }

    /// What is left.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Sleeps before the next try, `after` at least; gives the fault back when that would be too
    /// late.
    pub(crate) async fn pause(
        &mut self,
        fault: Fault,
        after: Option<Duration>,
        notes: Notes,
    ) -> Result<(), Fault> {
        let pause = jittered(self.next).max(self.floor).max(after.unwrap_or_default());
        if pause >= self.left() {
            return Err(fault);
        }
        if !self.told {
            notes.say(format_args!("retrying: {fault}"));
            self.told = true;
        }
        tokio::time::sleep(pause).await;
        self.next = (self.next * 2).clamp(Duration::from_millis(1), PAUSE_MAX.max(self.floor));
        Ok(())
    }
}

/// Somewhere between half of it and one and a half: clients that lost the same server come back
/// one by one.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Notes = Notes { quiet: true };

    fn fault() -> Fault {
        Fault::Local("no".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_at_the_deadline() {
        let started = Instant::now();
        let mut patience = Patience::new(Duration::from_secs(10), Duration::from_millis(100));
        let mut tries = 0;
        while patience.pause(fault(), None, QUIET).await.is_ok() {
            tries += 1;
        }
        assert!(started.elapsed() <= Duration::from_secs(10));
        assert!((5..30).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_server_asks_for_is_kept_unless_it_is_too_much() {
        let mut patience = Patience::new(Duration::from_secs(10), Duration::from_millis(100));
        let started = Instant::now();
        let wanted = Some(Duration::from_secs(5));
        assert!(patience.pause(fault(), wanted, QUIET).await.is_ok());
        assert!(started.elapsed() >= Duration::from_secs(5));
        assert!(patience.pause(fault(), Some(Duration::from_mins(1)), QUIET).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn no_patience_is_one_try() {
        let mut patience = Patience::new(Duration::ZERO, Duration::ZERO);
        assert!(patience.pause(fault(), None, QUIET).await.is_err());
    }
}
