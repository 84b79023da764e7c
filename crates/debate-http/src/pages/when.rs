//! A time on a page: the same for everyone in UTC, and for the script to put into local words.

use std::fmt;

use askama::filters::HtmlSafe;
use jiff::Timestamp;

/// A point in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct When(pub(crate) Timestamp);

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.0.strftime("%Y-%m-%dT%H:%M:%SZ");
        let person = self.0.strftime("%Y-%m-%d %H:%M UTC");
        write!(f, r#"<time datetime="{machine}">{person}</time>"#)
    }
}

/// Digits and the letters around them.
impl HtmlSafe for When {}

/// The moment from which someone waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since(pub(crate) Timestamp);

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.0.strftime("%Y-%m-%dT%H:%M:%SZ");
        let person = self.0.strftime("%Y-%m-%d %H:%M UTC");
        write!(f, r#"<time datetime="{machine}" data-since>since {person}</time>"#)
    }
}

/// Digits and the letters around them.
impl HtmlSafe for Since {}

/// The moment up to which something holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(pub(crate) Timestamp);

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.0.strftime("%Y-%m-%dT%H:%M:%SZ");
        let person = self.0.strftime("%Y-%m-%d %H:%M UTC");
        write!(f, r#"<time datetime="{machine}" data-until>until {person}</time>"#)
    }
}

/// Digits and the letters around them.
impl HtmlSafe for Until {}
