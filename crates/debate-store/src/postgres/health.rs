//! Whether writes are committed: by what failed last, and by when one last succeeded.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use debate_app::{Cause, StoreError};
use tokio::time::Instant;

use crate::storage_health::StorageHealth;

/// What is known about the writes of this process.
pub(super) struct WriteHealth {
    trouble: StorageHealth,
    deadline: Duration,
    times: Mutex<Times>,
}

struct Times {
    /// When a transaction that wrote something was last committed.
    committed_at: Instant,
    /// When a commit last stayed unanswered, if none has succeeded since.
    stalled_at: Option<Instant>,
}

impl WriteHealth {
    pub(super) fn new(deadline: Duration) -> Self {
        let times = Times { committed_at: Instant::now(), stalled_at: None };
        Self { trouble: StorageHealth::default(), deadline, times: Mutex::new(times) }
    }

    /// Why writes fail, or that none could be committed for as long as the deadline.
    pub(super) fn now(&self) -> Option<StoreError> {
        let overdue = || {
            let since = self.hold().committed_at.elapsed();
            let is_overdue = since > self.deadline;
            is_overdue.then(|| unavailable(format!("no commit for {} s", since.as_secs())))
        };
        self.trouble.now().or_else(overdue)
    }

    pub(super) fn note_failure(&self, err: &StoreError) {
        self.trouble.note(Some(err));
    }

    /// A transaction that wrote something was committed.
    pub(super) fn note_commit(&self) {
        *self.hold() = Times { committed_at: Instant::now(), stalled_at: None };
        self.trouble.note(None);
    }

    /// A commit was not answered within the deadline.
    pub(super) fn note_stall(&self) {
        self.hold().stalled_at = Some(Instant::now());
    }

    /// Why a write is refused without a try: commits stall, as they do while a synchronous standby
    /// does not answer. Each further try would leave one more waiting backend behind. The probe
    /// finds out when commits succeed again; without news for two deadlines writes are tried again.
    pub(super) fn stall(&self) -> Option<StoreError> {
        let stalled_at = self.hold().stalled_at?;
        let is_recent = stalled_at.elapsed() < self.deadline * 2;
        is_recent.then(|| unavailable("PostgreSQL does not answer commits".to_owned()))
    }

    /// Whether a probe would tell anything: writes fail, or none was committed for this long.
    pub(super) fn needs_probe(&self, quiet: Duration) -> bool {
        self.trouble.now().is_some() || self.hold().committed_at.elapsed() >= quiet
    }

    pub(super) fn is_failing(&self) -> bool {
        self.trouble.now().is_some()
    }

    fn hold(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable(why: String) -> StoreError {
    StoreError::Unavailable(Cause::new(why))
}
