//! The rate limiter: counts requests in sliding windows that one process holds in memory, or that
//! several processes share in a store.

mod memory;

use std::sync::Arc;

use async_trait::async_trait;
use debate_core::{Admission, Charge, RateDecision};
use jiff::Timestamp;

use crate::{Clock, MonotonicClock, StoreError};

pub use memory::MemoryWindows;

/// The windows of all keys.
#[async_trait]
pub trait RateWindows: Send + Sync {
    /// Counts a request in the window of each charge if all have room, and in none otherwise
    /// ([`debate_core::admit`]). None if there are no charges. `at` is a steady clock's time; an
    /// engine that several processes share uses its own clock instead, since theirs may differ.
    async fn admit(
        &self,
        charges: &[Charge],
        at: Timestamp,
    ) -> Result<Option<RateDecision>, StoreError>;
}

/// Counts requests; cheap to clone.
#[derive(Clone)]
pub struct RateLimiter {
    windows: Arc<dyn RateWindows>,
    /// Does not follow the system clock, so that setting that clock refills no window.
    steady: MonotonicClock,
}

impl RateLimiter {
    /// A rate limiter over `windows` whose clock starts at the time of `clock`.
    #[must_use]
    pub fn new(windows: Arc<dyn RateWindows>, clock: &dyn Clock) -> Self {
        Self { windows, steady: MonotonicClock::start(clock) }
    }

    /// Counts a request, and returns the decision of its strictest window; none without charges.
    pub async fn admit(&self, charges: &[Charge]) -> Result<Option<Admission>, StoreError> {
        let decision = self.windows.admit(charges, self.steady.now()).await?;
        Ok(decision.map(|decision| decision.admission))
    }
}
