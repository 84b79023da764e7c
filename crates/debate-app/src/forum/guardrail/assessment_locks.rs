//! Locks by text, so that one text is assessed by one call at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::forum::guardrail::AssessmentKey;
use tokio::sync::OwnedMutexGuard;

type TextLock = Arc<tokio::sync::Mutex<()>>;

/// The texts that are being assessed: at most one for each worker.
#[derive(Default)]
pub(super) struct AssessmentLocks(Arc<Mutex<HashMap<AssessmentKey, TextLock>>>);

/// The right to assess one text, until it is dropped.
pub(super) struct AssessmentLock {
    locks: Arc<Mutex<HashMap<AssessmentKey, TextLock>>>,
    key: AssessmentKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl AssessmentLocks {
    /// Waits until no other worker assesses the same text.
    pub(super) async fn lock(&self, key: AssessmentKey) -> AssessmentLock {
        let text_lock = Arc::clone(lock(&self.0).entry(key).or_default());
        // Created before the wait, so that its entry is removed if the wait is cancelled.
        let mut lock = AssessmentLock { locks: Arc::clone(&self.0), key, guard: None };
        lock.guard = Some(text_lock.lock_owned().await);
        lock
    }
}

impl Drop for AssessmentLock {
    fn drop(&mut self) {
        drop(self.guard.take());
        let mut locks = lock(&self.locks);
        if locks.get(&self.key).is_some_and(|text_lock| Arc::strong_count(text_lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

/// No code that holds the lock can panic half-way, so a poisoned lock guards sound data.
fn lock(
    locks: &Mutex<HashMap<AssessmentKey, TextLock>>,
) -> MutexGuard<'_, HashMap<AssessmentKey, TextLock>> {
    locks.lock().unwrap_or_else(PoisonError::into_inner)
}
