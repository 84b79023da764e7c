//! What the eye does not get of a text: characters that hide, and those that mislead it.

use std::fmt::Write;

/// So many in a row belong to one sign: a choice of its look, and what joins it to the next.
const JOINERS_MOST: u32 = 2;

/// Takes no room: text reads the same without it. What Unicode calls default-ignorable, and what
/// marks up others.
#[must_use]
pub(crate) const fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Unseen, and yet of use: emoji and some scripts are written with them.
const fn joins(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Whether it hides, turns what stands around it, moves a cursor or passes for nothing: whoever
/// reads should be shown what it is.
#[must_use]
pub fn misleads(letter: char) -> bool {
    letter.is_control()
        || (is_unseen(letter) && !joins(letter))
        // Ends of lines that look like none, a letter without a dot, and what nobody defines.
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{10fff0}'..='\u{10ffff}')
}

/// The letters of a text, each with whether it misleads where it stands: what joins does so where
/// there is nothing to join.
fn looked_at(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut joiners = JOINERS_MOST;
    text.chars().map(move |letter| {
        if joins(letter) {
            joiners = joiners.saturating_add(1);
            return (letter, joiners > JOINERS_MOST);
        }
        joiners = if letter.is_whitespace() { JOINERS_MOST } else { 0 };
        (letter, misleads(letter))
    })
}

/// A text with whatever misleads shown for what it is, but for what `stays`. Unicode has pictures
/// for the oldest such letters; the rest are told by number, between these brackets.
pub fn made_plain(text: &str, stays: impl Fn(char) -> bool, brackets: [char; 2]) -> String {
    let mut out = String::with_capacity(text.len());
    for (letter, misleads) in looked_at(text) {
        if stays(letter) || !misleads {
            out.push(letter);
        } else {
            push_picture(&mut out, letter, brackets);
        }
    }
    out
}

fn push_picture(out: &mut String, letter: char, [open, close]: [char; 2]) {
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
    use super::looked_at;

    fn misleading(text: &str) -> usize {
        looked_at(text).filter(|(_, misleads)| *misleads).count()
    }

    #[test]
    fn what_people_write_misleads_nobody() {
        let text = "naïve 😀 👩‍👩‍👧 ❤️‍🔥 1️⃣ 日本語 עברית فارسی می‌خواهم \"quotes\" `code`";
        assert_eq!(misleading(text), 0);
    }

    #[test]
    fn what_hides_or_turns_is_seen() {
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
            assert_eq!(misleading(&format!("a{hidden}b")), 1, "{hidden:?}");
        }
        assert_eq!(misleading(&format!("a{}b", "\u{200d}".repeat(40))), 38, "only two can join");
        assert_eq!(misleading("a \u{200d}b"), 1, "there is nothing to join");
        assert_eq!(misleading("\u{fe0f}"), 1);
    }
}
