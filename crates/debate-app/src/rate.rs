//! The rate limiter: counts requests in sliding windows that one process holds in memory, or that
//! several processes share in a store.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use debate_core::{Admission, Charge, RateDecision, RateKey, RateKind, Window, admit};
use jiff::Timestamp;

use crate::{Clock, MonotonicClock, StoreError};

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

/// The number of keys that a generation holds.
const GENERATION_MAX: usize = 32_768;

/// Windows in the memory of one process, bounded in number.
///
/// Each kind of key has a table of its own, so that one kind cannot displace another. A table has
/// two generations. After a window's length the older generation is dropped: none of its windows
/// was used in that time, so all of them are empty. Only when more keys than a generation holds are
/// used within one window's length are windows dropped that still count. To displace one window,
/// [`GENERATION_MAX`] other keys of its kind must be used; that number of clients may send more
/// requests in total than a displaced window allows again.
#[derive(Debug, Default)]
pub struct MemoryWindows(Mutex<BTreeMap<RateKind, Generations>>);

/// The windows of one kind of key.
#[derive(Debug, Default)]
struct Generations {
    recent: HashMap<RateKey, Window>,
    older: HashMap<RateKey, Window>,
    /// When `recent` became the recent generation.
    since: Option<Timestamp>,
}

impl Generations {
    fn take(&mut self, charge: &Charge, now: Timestamp) -> Window {
        let since = *self.since.get_or_insert(now);
        if now.duration_since(since) >= charge.quota.window {
            self.rotate(now);
        }
        let found = self.recent.remove(&charge.key);
        found.or_else(|| self.older.remove(&charge.key)).unwrap_or_default()
    }

    fn put(&mut self, key: RateKey, window: Window, now: Timestamp) {
        if window.is_empty() {
            return;
        }
        if self.recent.len() >= GENERATION_MAX {
            self.rotate(now);
        }
        self.recent.insert(key, window);
    }

    fn rotate(&mut self, now: Timestamp) {
        self.older = std::mem::take(&mut self.recent);
        self.since = Some(now);
    }
}

impl MemoryWindows {
    /// The number of windows that are held.
    #[must_use]
    pub fn len(&self) -> usize {
        let tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tables.values().map(|table| table.recent.len() + table.older.len()).sum()
    }

    /// Whether no window is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn decide(&self, charges: &[Charge], now: Timestamp) -> Option<RateDecision> {
        // No code that holds the lock panics half-way, so a poisoned lock guards sound data.
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = charges.iter().map(|charge| {
            let table = tables.entry(charge.key.kind()).or_default();
            (charge.quota, table.take(charge, now))
        });
        let mut windows: Vec<_> = taken.collect();
        let decision = admit(&mut windows, now);
        for (charge, (_, window)) in charges.iter().zip(windows) {
            let table = tables.entry(charge.key.kind()).or_default();
            table.put(charge.key.clone(), window, now);
        }
        decision
    }
}

#[async_trait]
impl RateWindows for MemoryWindows {
    async fn admit(
        &self,
        charges: &[Charge],
        at: Timestamp,
    ) -> Result<Option<RateDecision>, StoreError> {
        Ok(self.decide(charges, at))
    }
}
