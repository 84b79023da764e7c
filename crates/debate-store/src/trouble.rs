//! What is wrong with writing.

use std::sync::{Mutex, PoisonError};

use debate_app::StoreError;

/// What is wrong with writing, as last seen.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<Option<StoreError>>);

impl Trouble {
    pub(crate) fn now(&self) -> Option<StoreError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn is_latched(&self) -> bool {
        matches!(self.now(), Some(StoreError::Latched))
    }

    /// A commit tells how things are, but nothing lifts the latch.
    pub(crate) fn note(&self, seen: Option<&StoreError>) {
        let mut trouble = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*trouble, Some(StoreError::Latched)) {
            *trouble = seen.cloned();
        }
    }
}
