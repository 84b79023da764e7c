//! Times on pages. The text is in UTC; the script of the pages replaces it with local time.

use std::fmt;

use askama::filters::HtmlSafe;
use jiff::Timestamp;

/// A point in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time(pub(crate) Timestamp);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag(f, self.0, "", "")
    }
}

/// The start of a wait that has not ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since(pub(crate) Timestamp);

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag(f, self.0, " data-since", "since ")
    }
}

/// The time of a participant's last request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen(pub(crate) Timestamp);

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag(f, self.0, " data-seen", "")
    }
}

/// The end of a period that has not ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(pub(crate) Timestamp);

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag(f, self.0, " data-until", "until ")
    }
}

fn write_tag(
    f: &mut fmt::Formatter<'_>,
    time: Timestamp,
    attribute: &str,
    prefix: &str,
) -> fmt::Result {
    let machine = time.strftime("%Y-%m-%dT%H:%M:%SZ");
    let person = time.strftime("%Y-%m-%d %H:%M UTC");
    write!(f, r#"<time datetime="{machine}"{attribute}>{prefix}{person}</time>"#)
}

// The tags contain digits and fixed text only.
impl HtmlSafe for Time {}
impl HtmlSafe for Since {}
impl HtmlSafe for Seen {}
impl HtmlSafe for Until {}
