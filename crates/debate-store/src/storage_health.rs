//! What is wrong with writing.

use std::sync::{Mutex, PoisonError};

use debate_app::StoreError;

/// What is wrong with writing, as last seen.
#[derive(Debug, Default)]
pub(crate) struct StorageHealth(Mutex<Option<StoreError>>);

impl StorageHealth {
    pub(crate) fn now(&self) -> Option<StoreError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What nothing but a restart can help, if it is that.
    pub(crate) fn latched(&self) -> Option<StoreError> {
        self.now().filter(latches)
    }

    /// A commit tells how things are, but nothing lifts the latch.
    pub(crate) fn note(&self, seen: Option<&StoreError>) {
        let mut trouble = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !trouble.as_ref().is_some_and(latches) {
            *trouble = seen.cloned();
        }
    }

    /// A read says nothing about writes, unless it found what stops them for good.
    pub(crate) fn note_read(&self, seen: &StoreError) {
        if latches(seen) {
            self.note(Some(seen));
        }
    }
}

const fn latches(err: &StoreError) -> bool {
    match err {
        StoreError::Latched | StoreError::Damaged(_) => true,
        StoreError::Overloaded
        | StoreError::Full(_)
        | StoreError::Unavailable(_)
        | StoreError::WalFull(_)
        | StoreError::Moved(_)
        | StoreError::Undecodable(_)
        | StoreError::Unexpected(_) => false,
    }
}
