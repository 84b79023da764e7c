//! Text made plain to the eye: what would hide itself, or turn the direction of what stands around
//! it, is shown for what it is.

use debate_core::made_plain;

/// No signs of HTML or Markdown.
const BRACKETS: [char; 2] = ['⟨', '⟩'];

/// Text of several lines: line ends and tabs stay.
pub(crate) fn block(text: &str) -> String {
    made_plain(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t'), BRACKETS)
}

/// Text on one line: line ends are shown too.
pub(crate) fn line(text: &str) -> String {
    made_plain(text, |_| false, BRACKETS)
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
