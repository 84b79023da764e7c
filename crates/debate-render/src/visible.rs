//! Text of participants with its invisible characters made visible: control characters, characters
//! without width, and characters that change the direction of the text around them.

use debate_core::escape_misleading;

/// The brackets around a character's number. They have no meaning in HTML and Markdown.
const BRACKETS: [char; 2] = ['⟨', '⟩'];

/// Text of several lines: line ends and tabs are kept.
#[must_use]
pub fn block(text: &str) -> String {
    escape_misleading(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t'), BRACKETS)
}

/// Text on one line: line ends are made visible too.
#[must_use]
pub fn line(text: &str) -> String {
    escape_misleading(text, |_| false, BRACKETS)
}

/// The first `chars_max` characters of a text, with all its lines joined into one.
#[must_use]
pub fn excerpt(text: &str, chars_max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = text.chars().take(chars_max).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    line(&short)
}

#[cfg(test)]
mod tests {
    use debate_core::is_misleading;
    use proptest::prelude::*;

    use super::{block, excerpt, line};

    #[test]
    fn invisible_characters_are_shown_by_symbol_or_number() {
        let hidden = "a\u{1b}[31m\u{202e}txt\r\nnext\tcell\rzero\u{200b}width\u{e0041}";
        let shown = "a␛[31m⟨U+202E⟩txt\nnext\tcell␍zero⟨U+200B⟩width⟨U+E0041⟩";
        assert_eq!(block(hidden), shown);
        assert_eq!(block("red\u{7}\u{9b}2J\u{7f}"), "red␇⟨U+009B⟩2J␡");
        assert_eq!(line("one\ntwo"), "one␊two");
    }

    #[test]
    fn excerpt_is_one_line_of_limited_length() {
        assert_eq!(excerpt("  Tabs\n\n or\tspaces? ", 20), "Tabs or spaces?");
        assert_eq!(excerpt(&"ä".repeat(20), 20), "ä".repeat(20));
        assert_eq!(excerpt(&"ä".repeat(21), 20), format!("{}…", "ä".repeat(20)));
        assert_eq!(excerpt("a\u{202e}b", 20), "a⟨U+202E⟩b");
    }

    #[test]
    fn ordinary_text_of_any_script_is_unchanged() {
        let text = "naïve 😀 👩‍👩‍👧 日本語 עברית فارسی می‌خواهم \"quotes\"\n\tand `code`";
        assert_eq!(block(text), text);
    }

    proptest! {
        #[test]
        fn no_misleading_character_is_left(text in any::<String>()) {
            prop_assert!(!block(&text).chars().any(|c| is_misleading(c) && c != '\n' && c != '\t'));
            prop_assert!(!line(&text).chars().any(is_misleading));
        }
    }
}
