//! Whether writes can be committed, known from the last failure and the time of the last commit.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use debate_app::{Cause, StoreError};
use tokio::time::Instant;

use crate::storage_health::StorageHealth;

/// The health of the writes of this process.
pub(super) struct WriteHealth {
    storage: StorageHealth,
    deadline: Duration,
    times: Mutex<CommitTimes>,
}

struct CommitTimes {
    /// The time of the last commit of a transaction that wrote something.
    committed_at: Instant,
    /// The time of the last commit without an answer, if none has succeeded since.
    stalled_at: Option<Instant>,
}

impl WriteHealth {
    pub(super) fn new(deadline: Duration) -> Self {
        let times = CommitTimes { committed_at: Instant::now(), stalled_at: None };
        Self { storage: StorageHealth::default(), deadline, times: Mutex::new(times) }
    }

    /// The failure of writes, also if none was committed for longer than the deadline.
    pub(super) fn failure(&self) -> Option<StoreError> {
        let overdue = || {
            let since = self.lock().committed_at.elapsed();
            let is_overdue = since > self.deadline;
            is_overdue.then(|| unavailable(format!("no commit for {} s", since.as_secs())))
        };
        self.storage.failure().or_else(overdue)
    }

    pub(super) fn note_failure(&self, err: &StoreError) {
        self.storage.note(Some(err));
    }

    /// A transaction that wrote something was committed.
    pub(super) fn note_commit(&self) {
        *self.lock() = CommitTimes { committed_at: Instant::now(), stalled_at: None };
        self.storage.note(None);
    }

    /// A commit was not answered within the deadline.
    pub(super) fn note_stall(&self) {
        self.lock().stalled_at = Some(Instant::now());
    }

    /// The reason to refuse a write without a try: commits stall, as they do while a synchronous
    /// standby does not answer. Each further try would leave one more waiting backend. The probe
    /// detects when commits succeed again; after two deadlines writes are tried in any case.
    pub(super) fn stall(&self) -> Option<StoreError> {
        let stalled_at = self.lock().stalled_at?;
        let is_recent = stalled_at.elapsed() < self.deadline * 2;
        is_recent.then(|| unavailable("PostgreSQL does not answer commits".to_owned()))
    }

    /// Whether a probe is useful: writes fail, or none was committed for the duration `quiet`.
    pub(super) fn needs_probe(&self, quiet: Duration) -> bool {
        self.storage.failure().is_some() || self.lock().committed_at.elapsed() >= quiet
    }

    pub(super) fn is_failing(&self) -> bool {
        self.storage.failure().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, CommitTimes> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable(why: String) -> StoreError {
    StoreError::Unavailable(Cause::new(why))
}
