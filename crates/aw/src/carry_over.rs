//! The carry-over of an earlier server's database, as it is shown on the first screen.

use std::path::Path;
use std::time::{Duration, Instant};

use debate_store::{CarryOverEvent, CarryOverSummary};

/// Progress is shown this often: not in a carry-over that takes less.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// How many changed values are shown; the file beside the backup lists all of them.
const CHANGES_SHOWN: usize = 20;

/// Prints the steps of a carry-over.
pub(crate) struct CarryOverScreen {
    last_shown: Instant,
}

impl CarryOverScreen {
    pub(crate) fn new() -> Self {
        Self { last_shown: Instant::now() }
    }

    /// Prints an event; progress at most once a second.
    pub(crate) fn show(&mut self, event: CarryOverEvent) {
        match event {
            CarryOverEvent::Checked { arguments, total } => {
                self.show_progress("checked", arguments, total);
            }
            CarryOverEvent::BackedUp { to } => {
                println!("Carrying over the database of an earlier server.");
                println!("  backup  {} (never removed by aw)", to.display());
            }
            CarryOverEvent::Written { arguments, total } => {
                self.show_progress("carried over", arguments, total);
            }
            CarryOverEvent::Finished(summary) => show_summary(&summary),
        }
    }

    fn show_progress(&mut self, done: &str, arguments: u64, total: u64) {
        if self.last_shown.elapsed() >= SHOW_EVERY {
            self.last_shown = Instant::now();
            println!("  {done} {arguments} of {total} arguments");
        }
    }
}

fn show_summary(summary: &CarryOverSummary) {
    let CarryOverSummary { debates, arguments, changes, list, .. } = summary;
    println!("  carried over {debates} debates with {arguments} arguments");
    if let Some(list) = list {
        println!("  {} values have another form; their originals are kept:", changes.len());
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
        0 => println!("  listed in {list}"),
        more => println!("    … and {more} more, all listed in {list}"),
    }
}
