//! The health of storage: the current failure of writes, the latch, and the debates that have rows
//! which cannot be decoded.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use debate_app::arena::ArenaError;
use debate_app::{Cause, StoreError};
use debate_core::DebateId;

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

/// Debates that have rows which cannot be decoded.
///
/// A debate is added when a read or a write meets such a row, and stays until the process ends:
/// that one read succeeds says nothing about the other rows. Writes to it are refused, because a
/// decision needs its whole state. Other debates are not affected.
#[derive(Debug, Default)]
pub(crate) struct DamagedDebates {
    ids: Mutex<HashSet<DebateId>>,
    /// The number of `ids`, so that a write need not take the lock while there are none.
    count: AtomicU64,
}

impl DamagedDebates {
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Fails if the debate is known to be damaged. Called before each write to a debate.
    pub(crate) fn check(&self, debate: DebateId) -> Result<(), ArenaError> {
        if self.count() == 0 {
            return Ok(());
        }
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.contains(&debate) { Err(ArenaError::DebateDamaged(debate)) } else { Ok(()) }
    }

    /// Turns the failure to decode a row into one that names the debate, and notes the debate.
    pub(crate) fn watch<T>(
        &self,
        debate: DebateId,
        outcome: Result<T, ArenaError>,
    ) -> Result<T, ArenaError> {
        match outcome {
            Err(ArenaError::Store(StoreError::Undecodable(cause))) => {
                self.note(debate, &cause);
                Err(ArenaError::DebateDamaged(debate))
            }
            outcome => outcome,
        }
    }

    /// Adds a debate. Logs one line for each debate.
    pub(crate) fn note(&self, debate: DebateId, cause: &Cause) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.insert(debate) {
            self.count.fetch_add(1, Ordering::Relaxed);
            tracing::error!(
                debate.id = %debate,
                error = %cause,
                "debate has rows that cannot be decoded; writes to it are refused"
            );
        }
    }

    /// The decoded row of a list; none if it cannot be decoded. Then its debate is added; `debate`
    /// is `None` if its id cannot be decoded either.
    pub(crate) fn take_listed<T>(
        &self,
        debate: Option<DebateId>,
        decoded: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match decoded {
            Ok(decoded) => Ok(Some(decoded)),
            Err(StoreError::Undecodable(cause)) => {
                self.note(debate.unwrap_or(UNKNOWN), &cause);
                Ok(None)
            }
            Err(err) => Err(err),
        }
    }
}

/// All debates whose ids cannot be decoded count as this one.
const UNKNOWN: DebateId = DebateId::new(uuid::Uuid::nil());

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> DebateId {
        DebateId::new(Uuid::from_u128(number))
    }

    fn undecodable<T>() -> Result<T, ArenaError> {
        Err(StoreError::Undecodable(Cause::new("unknown name")).into())
    }

    #[test]
    fn undecodable_row_makes_its_debate_damaged_once() {
        let damaged = DamagedDebates::default();
        for _ in 0..3 {
            let outcome = damaged.watch(id(1), undecodable::<()>());
            assert!(matches!(outcome, Err(ArenaError::DebateDamaged(debate)) if debate == id(1)));
        }
        assert_eq!(damaged.count(), 1);
        assert!(damaged.check(id(1)).is_err());
        assert!(damaged.check(id(2)).is_ok());
    }

    #[test]
    fn other_failures_leave_a_debate_undamaged() {
        let damaged = DamagedDebates::default();
        let outcome: Result<(), _> = damaged.watch(id(1), Err(StoreError::Overloaded.into()));
        assert!(matches!(outcome, Err(ArenaError::Store(StoreError::Overloaded))));
        assert_eq!(damaged.count(), 0);
    }
}
