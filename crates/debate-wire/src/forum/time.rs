//! Times as the forum's contract writes them.

use jiff::Timestamp;

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
#[must_use]
pub fn render(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
