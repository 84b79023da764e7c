//! The messages of `aw db` on standard error.

use std::time::{Duration, Instant};

use debate_store::{DatabaseSummary, TableProgress};

/// Minimum interval between two progress lines; a faster command prints none.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct ProgressLines {
    last_shown: Instant,
}

impl ProgressLines {
    pub(super) fn new() -> Self {
        Self { last_shown: Instant::now() }
    }

    pub(super) fn show(&mut self, progress: TableProgress) {
        if self.last_shown.elapsed() >= PROGRESS_INTERVAL {
            self.last_shown = Instant::now();
            let TableProgress { table, rows, action } = progress;
            eprintln!("{table}: {rows} rows {action}");
        }
    }
}

/// Warns if a search index or a counter of the source database is out of date.
pub(super) fn warn_about_stale_index(source: &DatabaseSummary, remedy: &str) {
    if let Some(stale_index) = &source.stale_index {
        eprintln!("aw: warning: in the source database, {stale_index}; {remedy}");
    }
}
