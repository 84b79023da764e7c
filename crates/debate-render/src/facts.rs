//! The list of facts at the head of a transcript, such as its ID, its status and its times.

use std::fmt::Write;

use crate::{code_span, escape_line};

/// One line of the list: a label, and a text, a code or both.
pub(crate) struct Fact {
    pub(crate) label: String,
    pub(crate) text: String,
    /// An ID, a model name or a value of the API.
    pub(crate) code: Option<String>,
}

impl Fact {
    pub(crate) fn text(label: &str, text: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: text.into(), code: None }
    }

    pub(crate) fn code(label: &str, code: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: String::new(), code: Some(code.into()) }
    }

    /// A label together with the value of the API that it describes.
    pub(crate) fn value(label: &str, text: impl Into<String>, code: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: text.into(), code: Some(code.into()) }
    }

    pub(crate) fn time(label: &str, time: &str) -> Self {
        Self::text(label, utc(time))
    }
}

/// A time of the API as `YYYY-MM-DD HH:MM:SS UTC`. The arena writes times in that form, the runner
/// and the forum in ISO 8601 with fractions of a second.
pub(crate) fn utc(time: &str) -> String {
    format!("{} UTC", time.get(..19).unwrap_or(time).replace('T', " "))
}

/// The title and the facts as Markdown, followed by an empty line.
pub(crate) fn markdown_heading(title: &str, facts: &[Fact]) -> String {
    let mut out = format!("# {}\n\n", escape_line(title));
    for Fact { label, text, code } in facts {
        let _ = match (text.as_str(), code) {
            (text, None) => writeln!(out, "- {label}: {}", escape_line(text)),
            ("", Some(code)) => writeln!(out, "- {label}: {}", code_span(code)),
            (text, Some(code)) => {
                writeln!(out, "- {label}: {} ({})", escape_line(text), code_span(code))
            }
        };
    }
    out.push('\n');
    out
}
