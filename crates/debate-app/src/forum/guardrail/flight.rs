//! One call for one text: whoever has the same question waits for who asks it already.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::forum::guardrail::VerdictKey;
use tokio::sync::OwnedMutexGuard;

type Turn = Arc<tokio::sync::Mutex<()>>;

/// Which questions are being asked. As many entries as workers at most.
#[derive(Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<VerdictKey, Turn>>>);

/// The right to ask one question, until dropped.
pub(super) struct Flight {
    flights: Arc<Mutex<HashMap<VerdictKey, Turn>>>,
    key: VerdictKey,
    turn: Option<OwnedMutexGuard<()>>,
}

impl Flights {
    /// Waits until nobody else asks this question.
    pub(super) async fn board(&self, key: VerdictKey) -> Flight {
        let turn = Arc::clone(lock(&self.0).entry(key).or_default());
        // Made before the wait: one that is given up while waiting must be tidied up as well.
        let mut flight = Flight { flights: Arc::clone(&self.0), key, turn: None };
        flight.turn = Some(turn.lock_owned().await);
        flight
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        drop(self.turn.take());
        let mut flights = lock(&self.flights);
        if flights.get(&self.key).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            flights.remove(&self.key);
        }
    }
}

/// No code that holds the lock can panic half-way, so a poisoned lock guards sound data.
fn lock(flights: &Mutex<HashMap<VerdictKey, Turn>>) -> MutexGuard<'_, HashMap<VerdictKey, Turn>> {
    flights.lock().unwrap_or_else(PoisonError::into_inner)
}
