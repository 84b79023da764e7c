//! Times as the arena's contract writes them.

use jiff::Timestamp;

/// `YYYY-MM-DD HH:MM:SS`, UTC.
#[must_use]
pub fn render(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
