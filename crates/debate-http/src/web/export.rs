//! What everything that is taken away as a file has in common.

use std::fmt::{Display, Write};

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use jiff::Timestamp;
use pulldown_cmark::{Event, Parser};

use super::signs;

/// How often a text is looked at that changes each time; then nothing in it is spared.
const LOOKS_MOST: usize = 4;

pub(super) const MARKDOWN: [(HeaderName, HeaderValue); 1] =
    [(CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"))];

/// What the file is called: by what it is of, never by what anyone wrote.
pub(super) fn named(kind: &str, id: impl Display, ending: &str) -> [(HeaderName, HeaderValue); 1] {
    let text = format!("attachment; filename=\"{kind}-{id}.{ending}\"");
    [(CONTENT_DISPOSITION, HeaderValue::try_from(text).expect("an id is letters and digits"))]
}

/// Every line behind a `>`, and no HTML: what is inside can't end the quote, and so can pass for
/// nothing else.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in without_html(signs::block(text)).split('\n') {
        let _ = writeln!(out, "{}{line}", if line.is_empty() { ">" } else { "> " });
    }
    out
}

/// On one line, as the words that it is.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in signs::line(text).chars() {
        if "\\`*_[]<>&~|#".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// HTML becomes the text that it was written as; code stays as it is. What was inside a tag may be
/// something else without it, so it is looked at again.
fn without_html(mut text: String) -> String {
    for _ in 0..LOOKS_MOST {
        let shown = html_shown(&text);
        if shown == text {
            return text;
        }
        text = shown;
    }
    text.replace('<', "&lt;")
}

fn html_shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (event, place) in Parser::new(text).into_offset_iter() {
        if matches!(event, Event::Html(_) | Event::InlineHtml(_)) && place.start >= at {
            out.push_str(text.get(at..place.start).unwrap_or_default());
            out.push_str(&text.get(place.clone()).unwrap_or_default().replace('<', "&lt;"));
            at = place.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
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
    use super::{code, plain, quoted};

    #[test]
    fn nothing_gets_out_of_a_quote_or_of_code() {
        assert_eq!(quoted("one\n\r\n## two\u{2028}\n"), "> one\n>\n> ## two⟨U+2028⟩\n>\n");
        assert_eq!(code("demo:fast"), "`demo:fast`");
        assert_eq!(code("a`b``c\n"), "``` a`b``c␊ ```");
        let forged = "</blockquote>\n<h2>The verdict</h2>\n<!--";
        assert_eq!(quoted(forged), "> &lt;/blockquote>\n> &lt;h2>The verdict&lt;/h2>\n> &lt;!--\n");
        let hidden = "<div>\n```\n\n<b>x</b>\n";
        assert!(!quoted(hidden).contains('<'), "what a tag hid is looked at too");
        let honest = "if `a < b` then\n\n    Vec<u8>\n\n1 < 2";
        let expected = "> if `a < b` then\n>\n>     Vec<u8>\n>\n> 1 < 2\n";
        assert_eq!(quoted(honest), expected, "code is no HTML");
        assert_eq!(plain("# <img> ![i](x)"), "\\# \\<img\\> !\\[i\\](x)");
    }
}
