//! Words whose letters are repeated to hide them, as in `bbooommbb`.
//!
//! Repeated letters also make real words ("rapping" is not "raping"), so only a word with more
//! repetition than real words have is reduced, and it is marked: a marked word matches only the
//! marked spelling of a rule's word.

use super::lookalike::is_letter;

/// Precedes a reduced word. A letter, so that it is part of the word, and one that no rule uses.
const MARK: char = 'ꙮ';

/// `text` with the letters of each drawn-out word reduced to one of each run, and the word marked.
pub(super) fn collapse_stretched_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(|letter| !is_letter(letter)) {
        let word = part.trim_end_matches(|letter| !is_letter(letter));
        if is_stretched(word) {
            out.push_str(&collapse_and_mark(word));
            out.push_str(part.strip_prefix(word).unwrap_or_default());
        } else {
            out.push_str(part);
        }
    }
    out
}

/// The spelling under which a drawn-out `word` is found.
pub(super) fn collapse_and_mark(word: &str) -> String {
    let mut out = String::from(MARK);
    for letter in word.chars() {
        if !out.ends_with(letter) {
            out.push(letter);
        }
    }
    out
}

/// Whether a word has a letter three times in a row, three doubled letters, doubled letters for
/// half of its sounds, or a doubled consonant where real words have none: at the beginning, or at
/// the end behind another consonant.
fn is_stretched(word: &str) -> bool {
    let runs = runs(word);
    let doubled = runs.iter().filter(|(_, count)| *count > 1).count();
    let is_doubled = |run: Option<&(char, usize)>| run.is_some_and(is_doubled_consonant);
    let before_last = runs.len().checked_sub(2).and_then(|place| runs.get(place));
    runs.iter().any(|(_, count)| *count > 2)
        || doubled > 2
        || (doubled == 2 && runs.len() <= 4)
        || is_doubled(runs.first())
        || (is_doubled(runs.last()) && before_last.is_some_and(|(letter, _)| !is_vowel(*letter)))
}

/// The letters of `word`, each with how often it is repeated.
fn runs(word: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for letter in word.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            Some(_) | None => runs.push((letter, 1)),
        }
    }
    runs
}

const fn is_doubled_consonant((letter, count): &(char, usize)) -> bool {
    *count > 1 && letter.is_ascii_alphabetic() && !is_vowel(*letter)
}

const fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::collapse_stretched_words;

    #[test]
    fn stretched_spellings_are_collapsed_and_marked() {
        for word in ["bbooommbb", "bboommbb", "bbomb", "bombb", "boommb", "booomb"] {
            assert_eq!(collapse_stretched_words(word), "ꙮbomb", "{word}");
        }
        assert_eq!(collapse_stretched_words("a bbomb, now"), "a ꙮbomb, now");
    }

    #[test]
    fn ordinary_spellings_are_unchanged() {
        let text = "rapping, rapper, assassin, success, ebb, egg, hall, too, see, address, book";
        assert_eq!(collapse_stretched_words(text), text);
    }
}
