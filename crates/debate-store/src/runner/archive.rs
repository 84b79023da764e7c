//! What moving all debates needs of both engines.

use debate_app::StoreError;
use debate_app::runner::{Chronicle, RunArchiveError};
use debate_core::RunId;

use super::change::Change;

/// All that is kept of a debate, the debate first.
pub(crate) fn all_of(chronicle: &Chronicle) -> Vec<Change> {
    let Chronicle { record, key, turns, calls } = chronicle;
    let mut changes = vec![Change::AddRun { record: record.clone(), key: key.clone() }];
    changes.extend(turns.iter().cloned().map(Change::AddTurn));
    changes.extend(calls.iter().cloned().map(Change::AddCall));
    changes
}

/// A row that can't be read is told by its debate.
pub(crate) fn unreadable(run: RunId, err: StoreError) -> RunArchiveError {
    match err {
        StoreError::Undecodable(cause) | StoreError::Unexpected(cause) => {
            RunArchiveError::Unreadable { run, cause }
        }
        err @ (StoreError::Overloaded
        | StoreError::Full(_)
        | StoreError::Unavailable(_)
        | StoreError::WalFull(_)
        | StoreError::Moved(_)
        | StoreError::Latched
        | StoreError::Damaged(_)) => err.into(),
    }
}
