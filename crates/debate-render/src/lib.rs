//! Labels, sentences and transcripts of debates, runs and forum threads, for the command line and
//! the pages.
//!
//! The input is always a type of the API (`debate-wire`); the output is Markdown or HTML in which
//! text of participants cannot imitate anything else.

mod facts;
mod html;
mod markdown;
mod page;

pub mod arena;
pub mod forum;
pub mod runner;
pub mod visible;

pub use html::{Html, render_markdown};
pub use markdown::{code_span, escape_line, quote};
pub use page::{FOOT as HTML_FOOT, time_tag};

use serde::Serialize;

/// The stylesheet of the pages and of HTML exports.
pub const STYLESHEET: &str = include_str!("../assets/style.css");

/// An enumeration value as the API spells it, such as `AWAITING_OPPONENT`.
pub fn wire_name(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// A number with its noun, such as `1 turn` or `1,200 turns`.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(number))
}

/// A number with a comma between groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds as `minutes:seconds`, or `hours:minutes:seconds` from one hour on.
#[must_use]
pub fn duration(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::{count, duration, grouped};

    #[test]
    fn numbers_are_grouped_by_three_digits_and_durations_have_colons() {
        let numbers = [0, 999, 1000, 12_345, 2_000_000].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "2,000,000"]);
        let durations = [0, 59, 60, 754, 3600, 86_400].map(duration);
        assert_eq!(durations, ["0:00", "0:59", "1:00", "12:34", "1:00:00", "24:00:00"]);
        assert_eq!([0, 1, 2].map(|number| count(number, "turn")), ["0 turns", "1 turn", "2 turns"]);
    }
}
