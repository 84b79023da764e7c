//! Invisible characters and characters that mislead a reader.

use std::fmt::Write;

/// The number of joiners in a row that one sign may have: a variation selector and a joiner.
const JOINERS_MOST: u32 = 2;

/// Whether a character has no width, so that a text looks the same without it: Unicode's
/// default-ignorable characters and format characters.
#[must_use]
pub(crate) const fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is invisible and yet needed to write emoji and some scripts.
const fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Whether a character hides, changes the direction of text around it, moves a cursor or looks like
/// a space. Output should show such a character by its code.
#[must_use]
pub fn is_misleading(letter: char) -> bool {
    letter.is_control()
        || (is_invisible(letter) && !is_joiner(letter))
        // Line separators without a visible break, the blank Braille pattern, and unassigned code
        // points.
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{10fff0}'..='\u{10ffff}')
}

/// The characters of a text, each with whether it misleads at its position. A joiner misleads if
/// there is nothing to join.
fn mark_misleading(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut joiners = JOINERS_MOST;
    text.chars().map(move |letter| {
        if is_joiner(letter) {
            joiners = joiners.saturating_add(1);
            return (letter, joiners > JOINERS_MOST);
        }
        joiners = if letter.is_whitespace() { JOINERS_MOST } else { 0 };
        (letter, is_misleading(letter))
    })
}

/// Replaces misleading characters, except those that `keep` accepts. ASCII control characters
/// become Unicode's control pictures; others become their code point between `brackets`.
pub fn escape_misleading(text: &str, keep: impl Fn(char) -> bool, brackets: [char; 2]) -> String {
    let mut out = String::with_capacity(text.len());
    for (letter, is_misleading) in mark_misleading(text) {
        if keep(letter) || !is_misleading {
            out.push(letter);
        } else {
            push_escape(&mut out, letter, brackets);
        }
    }
    out
}

fn push_escape(out: &mut String, letter: char, [open, close]: [char; 2]) {
    match u32::from(letter) {
        code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
        0x7f => out.push('␡'),
        code => {
            let _ = write!(out, "{open}U+{code:04X}{close}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mark_misleading;

    fn count_misleading(text: &str) -> usize {
        mark_misleading(text).filter(|(_, misleads)| *misleads).count()
    }

    #[test]
    fn ordinary_text_has_no_misleading_characters() {
        let text = "naïve 😀 👩‍👩‍👧 ❤️‍🔥 1️⃣ 日本語 עברית فارسی می‌خواهم \"quotes\" `code`";
        assert_eq!(count_misleading(text), 0);
    }

    #[test]
    fn hidden_and_direction_characters_are_misleading() {
        for hidden in [
            '\u{200b}',
            '\u{ad}',
            '\u{34f}',
            '\u{206a}',
            '\u{3164}',
            '\u{2800}',
            '\u{e0069}',
            '\u{e0101}',
            '\u{202e}',
            '\u{2066}',
            '\u{2028}',
            '\u{1b}',
            '\u{9b}',
            '\u{7f}',
        ] {
            assert_eq!(count_misleading(&format!("a{hidden}b")), 1, "{hidden:?}");
        }
        assert_eq!(
            count_misleading(&format!("a{}b", "\u{200d}".repeat(40))),
            38,
            "only two can join"
        );
        assert_eq!(count_misleading("a \u{200d}b"), 1, "there is nothing to join");
        assert_eq!(count_misleading("\u{fe0f}"), 1);
    }
}
