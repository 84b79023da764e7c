//! Format of the forum's timestamps.

use jiff::Timestamp;

/// The format of the forum: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
#[must_use]
pub fn render(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
