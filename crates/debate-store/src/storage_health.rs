//! The health of writes: the current failure, and the latch.

use std::sync::{Mutex, PoisonError};

use debate_app::StoreError;

/// The last failure of writes, until a commit succeeds. A latched failure stays until a restart.
#[derive(Debug, Default)]
pub(crate) struct StorageHealth(Mutex<Option<StoreError>>);

impl StorageHealth {
    pub(crate) fn failure(&self) -> Option<StoreError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The failure, if only a restart can clear it.
    pub(crate) fn latched_failure(&self) -> Option<StoreError> {
        self.failure().filter(latches)
    }

    /// Records the outcome of a write; none is a success. A latched failure stays.
    pub(crate) fn note(&self, outcome: Option<&StoreError>) {
        let mut failure = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !failure.as_ref().is_some_and(latches) {
            *failure = outcome.cloned();
        }
    }

    /// Records the failure of a read. It affects writes only if it latches.
    pub(crate) fn note_read(&self, err: &StoreError) {
        if latches(err) {
            self.note(Some(err));
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
