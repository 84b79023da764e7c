//! Text made plain to the eye: what would hide itself, or turn the direction of what stands around
//! it, is shown for what it is.

use std::fmt::Write;

use debate_core::looked_at;

/// Text of several lines: line ends and tabs stay.
pub(crate) fn block(text: &str) -> String {
    shown(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t'))
}

/// Text on one line: line ends are shown too.
pub(crate) fn line(text: &str) -> String {
    shown(text, |_| false)
}

/// The beginning of a text, on one line, whatever lines it had.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    line(&short)
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (c, misleads) in looked_at(text) {
        if stays(c) || !misleads {
            out.push(c);
        } else {
            push_picture(&mut out, c);
        }
    }
    out
}

/// Unicode has pictures for the oldest of them; the rest are told by number.
fn push_picture(out: &mut String, c: char) {
    match u32::from(c) {
        code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
        0x7f => out.push('␡'),
        code => {
            let _ = write!(out, "⟨U+{code:04X}⟩");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{block, excerpt, line};

    #[test]
    fn what_hides_or_turns_is_shown() {
        let nasty = "a\u{1b}[31m\u{202e}txt\r\nnext\tcell\rzero\u{200b}width\u{e0041}";
        let plain = "a␛[31m⟨U+202E⟩txt\nnext\tcell␍zero⟨U+200B⟩width⟨U+E0041⟩";
        assert_eq!(block(nasty), plain);
        assert_eq!(line("one\ntwo"), "one␊two");
    }

    #[test]
    fn an_excerpt_is_one_line_and_not_too_long() {
        assert_eq!(excerpt("  Tabs\n\n or\tspaces? ", 20), "Tabs or spaces?");
        assert_eq!(excerpt(&"ä".repeat(20), 20), "ä".repeat(20));
        assert_eq!(excerpt(&"ä".repeat(21), 20), format!("{}…", "ä".repeat(20)));
        assert_eq!(excerpt("a\u{202e}b", 20), "a⟨U+202E⟩b");
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        let text = "naïve 😀 👩‍👩‍👧 日本語 עברית فارسی می‌خواهم\n\tand `code`";
        assert_eq!(block(text), text);
    }
}
