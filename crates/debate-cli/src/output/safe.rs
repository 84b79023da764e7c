//! What was said, made safe to show: nothing in it moves the cursor, changes a colour, hides text
//! or turns its direction. What would is shown for what it is.

use debate_core::made_plain;

/// Every terminal has them.
const BRACKETS: [char; 2] = ['<', '>'];

/// Text of several lines: line ends and tabs stay.
pub(super) fn block(text: &str) -> String {
    made_plain(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t'), BRACKETS)
}

/// Text on one line: line ends are shown too.
pub(super) fn line(text: &str) -> String {
    made_plain(text, |_| false, BRACKETS)
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
