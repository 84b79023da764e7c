//! The messages of `aw db` on standard error.

use std::time::{Duration, Instant};

use debate_store::{Contents, TableProgress};

/// Interval between two progress lines; a faster command prints none.
const SHOW_EVERY: Duration = Duration::from_secs(1);

pub(super) struct ProgressLines {
    last_shown: Instant,
}

impl ProgressLines {
    pub(super) fn new() -> Self {
        Self { last_shown: Instant::now() }
    }

    pub(super) fn show(&mut self, progress: TableProgress) {
        if self.last_shown.elapsed() >= SHOW_EVERY {
            self.last_shown = Instant::now();
            let TableProgress { table, rows, done } = progress;
            eprintln!("{table}: {rows} rows {done}");
        }
    }
}

/// Warns about derived data that is out of date.
pub(super) fn warn_of_stale_index(contents: &Contents, remedy: &str) {
    if let Some(stale) = &contents.stale {
        eprintln!("aw: warning: in the source, {stale}; {remedy}");
    }
}
