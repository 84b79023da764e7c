//! What everything that is taken away as a file has in common.

use std::fmt::{Display, Write};

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use jiff::Timestamp;

use super::signs;

pub(super) const MARKDOWN: [(HeaderName, HeaderValue); 1] =
    [(CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"))];

/// What the file is called: by what it is of, never by what anyone wrote.
pub(super) fn named(kind: &str, id: impl Display, ending: &str) -> [(HeaderName, HeaderValue); 1] {
    let text = format!("attachment; filename=\"{kind}-{id}.{ending}\"");
    [(CONTENT_DISPOSITION, HeaderValue::try_from(text).expect("an id is letters and digits"))]
}

/// Every line behind a `>`: what is inside can't end the quote, and so can pass for nothing else.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in signs::block(text).split('\n') {
        let _ = writeln!(out, "{}{line}", if line.is_empty() { ">" } else { "> " });
    }
    out
}

/// On one line, between more backticks than are in it.
pub(super) fn code(text: &str) -> String {
    let text = signs::line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// As the contract writes it.
pub(super) fn time(time: Timestamp) -> impl Display {
    time.strftime("%Y-%m-%d %H:%M:%S")
}

#[cfg(test)]
mod tests {
    use super::{code, quoted};

    #[test]
    fn nothing_gets_out_of_a_quote_or_of_code() {
        assert_eq!(quoted("one\n\r\n## two\u{2028}\n"), "> one\n>\n> ## two⟨U+2028⟩\n>\n");
        assert_eq!(code("demo:fast"), "`demo:fast`");
        assert_eq!(code("a`b``c\n"), "``` a`b``c␊ ```");
    }
}
