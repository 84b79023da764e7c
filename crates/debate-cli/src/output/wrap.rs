//! Breaks text that arrives in parts into rows of a terminal.
//!
//! Not `textwrap`: it wraps complete texts, and `unicode-width` can count fewer columns than a
//! terminal uses for joined emoji. A row that is wider than assumed would break the number of rows
//! to remove, so widths are estimated from above here.

/// The maximum width of a character.
fn char_columns(c: char) -> usize {
    // The first wide characters are at U+1100.
    if u32::from(c) < 0x1100 { 1 } else { 2 }
}

/// The maximum width of a text.
pub(in crate::output) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

/// The beginning of a text, at most `width` columns wide.
pub(in crate::output) fn clip(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += char_columns(c);
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Breaks text into rows, between words where it can.
#[derive(Debug)]
pub(in crate::output) struct Wrap {
    width: usize,
    /// The text of the last, incomplete row.
    tail: String,
}

impl Wrap {
    pub(in crate::output) fn new(width: usize) -> Self {
        Self { width: width.max(8), tail: String::new() }
    }

    /// The text of the last, incomplete row.
    pub(in crate::output) fn tail(&self) -> &str {
        &self.tail
    }

    /// Adds text and returns the rows that are complete now.
    pub(in crate::output) fn push(&mut self, piece: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for (number, line) in piece.replace('\t', "    ").split('\n').enumerate() {
            if number > 0 {
                rows.push(std::mem::take(&mut self.tail));
            }
            self.tail.push_str(line);
            while let Some(at) = self.overflow() {
                let rest = self.tail.split_off(at);
                let row = std::mem::replace(&mut self.tail, rest.trim_start().to_owned());
                rows.push(row.trim_end().to_owned());
            }
        }
        rows
    }

    /// The position at which the row must be broken: after the last space that fits, or
    /// at the full width.
    fn overflow(&self) -> Option<usize> {
        let mut used = 0;
        let mut space = None;
        for (at, c) in self.tail.char_indices() {
            used += char_columns(c);
            if used > self.width && c != ' ' {
                return Some(space.unwrap_or(at)).filter(|at| *at > 0);
            }
            if c == ' ' && !self.tail.get(..at).unwrap_or_default().trim().is_empty() {
                space = Some(at + 1);
            }
        }
        None
    }
}

/// A complete text in rows.
pub(in crate::output) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    let mut wrap = Wrap::new(width);
    let mut rows = wrap.push(text);
    rows.push(wrap.tail);
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Wrap, clip, columns, wrap_text};

    #[test]
    fn long_text_breaks_at_spaces_and_inside_long_tokens() {
        assert_eq!(wrap_text("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrap_text("one\n\ntwo", 10), ["one", "", "two"]);
        assert_eq!(wrap_text("abcdefghijklm", 10), ["abcdefghij", "klm"]);
        assert_eq!(wrap_text("日本語日本語", 8), ["日本語日", "本語"]);
    }

    #[test]
    fn clipped_text_ends_with_an_ellipsis() {
        assert_eq!(clip("round 1 of 5", 20), "round 1 of 5");
        assert_eq!(clip("round 1 of 5", 8), "round 1…");
    }

    proptest! {
        #[test]
        fn rows_fit_the_width_and_contain_all_text(
            words in prop::collection::vec("[a-zäé日 \\n]{0,12}", 0..12),
            width in 8_usize..40,
        ) {
            let mut wrap = Wrap::new(width);
            let mut rows: Vec<String> = words.iter().flat_map(|word| wrap.push(word)).collect();
            rows.push(wrap.tail().to_owned());
            for row in rows.iter().take(rows.len() - 1) {
                prop_assert!(columns(row.trim_end()) <= width, "{row:?}");
            }
            let all: String = words.concat();
            let letters = |text: &str| text.replace([' ', '\n'], "");
            prop_assert_eq!(letters(&rows.concat()), letters(&all), "nothing is lost");
        }
    }
}
