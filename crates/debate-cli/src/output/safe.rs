//! What was said, made safe to show: nothing in it moves the cursor, changes a colour, hides text
//! or turns its direction. What would is shown for what it is.

use std::fmt::Write;

use debate_core::looked_at;

/// Text of several lines: line ends and tabs stay.
pub(super) fn block(text: &str) -> String {
    shown(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t'))
}

/// Text on one line: line ends are shown too.
pub(super) fn line(text: &str) -> String {
    shown(text, |_| false)
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
            let _ = write!(out, "<U+{code:04X}>");
        }
    }
}

#[cfg(test)]
mod tests {
    use debate_core::misleads;
    use proptest::prelude::*;

    use super::{block, line};

    #[test]
    fn escapes_are_shown_and_not_obeyed() {
        let nasty = "a\u{1b}[31mred\u{7}\u{9b}2J\u{202e}txt\r\nnext\tcell\rover\u{7f}\u{200b}";
        assert_eq!(block(nasty), "a␛[31mred␇<U+009B>2J<U+202E>txt\nnext\tcell␍over␡<U+200B>");
        assert_eq!(line("one\ntwo"), "one␊two");
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        let text = "naïve 😀 👩‍👩‍👧 日本語 עברית \"quotes\"\n\tand `code`";
        assert_eq!(block(text), text);
    }

    proptest! {
        #[test]
        fn nothing_harmful_is_left(text in any::<String>()) {
            prop_assert!(!block(&text).chars().any(|c| misleads(c) && c != '\n' && c != '\t'));
            prop_assert!(!line(&text).chars().any(misleads));
        }
    }
}
