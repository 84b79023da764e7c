//! The progress of migrating an original server's database, printed on standard output.

use std::path::Path;
use std::time::{Duration, Instant};

use debate_store::{LegacyMigrationEvent, LegacyMigrationSummary};

/// Interval between two progress lines; a faster migration prints none.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum number of changed values printed; the file beside the backup lists all of them.
const CHANGES_SHOWN: usize = 20;

/// Prints the steps of a migration.
pub(crate) struct MigrationScreen {
    last_shown: Instant,
}

impl MigrationScreen {
    pub(crate) fn new() -> Self {
        Self { last_shown: Instant::now() }
    }

    /// Prints an event; progress at most once a second.
    pub(crate) fn show(&mut self, event: LegacyMigrationEvent) {
        match event {
            LegacyMigrationEvent::Checked { arguments, total } => {
                self.show_progress("checked", arguments, total);
            }
            LegacyMigrationEvent::BackedUp { to } => {
                println!("Migrating the database of an earlier server.");
                println!("  backup  {} (aw never deletes it)", to.display());
            }
            LegacyMigrationEvent::Written { arguments, total } => {
                self.show_progress("migrated", arguments, total);
            }
            LegacyMigrationEvent::Finished(summary) => show_summary(&summary),
        }
    }

    fn show_progress(&mut self, action: &str, arguments: u64, total: u64) {
        if self.last_shown.elapsed() >= PROGRESS_INTERVAL {
            self.last_shown = Instant::now();
            println!("  {action} {arguments} of {total} arguments");
        }
    }
}

fn show_summary(summary: &LegacyMigrationSummary) {
    let LegacyMigrationSummary { debates, arguments, changes, list, .. } = summary;
    println!("  migrated {debates} debates with {arguments} arguments");
    if let Some(list) = list {
        println!("  {} values changed form; the original values are kept:", changes.len());
        for change in changes.iter().take(CHANGES_SHOWN) {
            println!("    {change}");
        }
        show_list(list, changes.len());
    }
    println!();
}

fn show_list(list: &Path, changes: usize) {
    let list = list.display();
    match changes.saturating_sub(CHANGES_SHOWN) {
        0 => println!("  full list: {list}"),
        more => println!("    … and {more} more; full list: {list}"),
    }
}
