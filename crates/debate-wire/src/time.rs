//! Times as the contracts write them.

use jiff::Timestamp;

/// As the arena does: `YYYY-MM-DD HH:MM:SS`, UTC.
#[must_use]
pub fn render(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// As the runner does: `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
#[must_use]
pub fn render_precise(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}
