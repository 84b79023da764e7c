//! The views of a text that the rules search: with folded case and split into words, then with
//! obfuscation removed in several ways, each for the source and for the rendered Markdown.
//!
//! Every pass is linear in the text, and there are at most twelve views.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::lookalike::{
    DigitReading, enclosed_letter, is_ignored, is_letter, is_spaceless, latin, leet,
};
use super::stretched_words::collapse_stretched_words;
use crate::markdown::plain_text;

/// Words between single spaces, with a space before the first and after the last. In scripts that
/// are written without spaces each character counts as a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The words with their spaces.
    pub(super) text: String,
    /// The byte offset of each word.
    pub(super) starts: Vec<usize>,
    /// Whether diacritics are removed, so that "vụ" and "vũ" are equal. Words that a rule spells
    /// with diacritics are not searched for in such a view.
    pub(super) marks_removed: bool,
}

/// Separates the fields of an evaluated text. Each field is rendered alone, so formatting that
/// begins in one field cannot change how another one is read.
const FIELD_SEPARATOR: char = '\u{1e}';

/// The text to evaluate for an item with these fields.
pub fn join_fields<'f>(fields: impl IntoIterator<Item = &'f str>) -> String {
    let mut text = String::new();
    for field in fields {
        if !text.is_empty() {
            text.push('\n');
            text.push(FIELD_SEPARATOR);
        }
        text.push_str(field);
    }
    text
}

/// An evaluated text as people read it: its fields on lines of their own.
#[must_use]
pub fn show_fields(text: &str) -> String {
    text.replace(FIELD_SEPARATOR, "")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_separator = |letter: char| letter.is_whitespace() || letter == FIELD_SEPARATOR;
    text.split(is_separator).filter(|word| !word.is_empty())
}

/// All views of `text`; the first is the source itself.
pub(super) fn views(text: &str) -> Vec<View> {
    let mut views = Vec::new();
    add_views(&mut views, text);
    let fields = text.split(FIELD_SEPARATOR).map(plain_text);
    let rendered = fields.collect::<Vec<_>>().join("\n");
    let has_no_markup = words(&rendered).eq(words(text));
    if !has_no_markup {
        add_views(&mut views, &rendered);
    }
    views
}

fn add_views(views: &mut Vec<View>, text: &str) {
    let mut add = |view: View| {
        // All words are searched for in a view with diacritics.
        let is_known =
            |known: &View| known.text == view.text && (view.marks_removed || !known.marks_removed);
        if !views.iter().any(is_known) {
            views.push(view);
        }
    };
    let folded = remove_ids(&normalize_chars(text));
    add(View::new(&folded, false));
    let bare = strip_marks(&folded);
    let substituted = undo_substitutions(&bare, DigitReading::OneAsI, 1);
    let only_letters = undo_substitutions(&bare, DigitReading::Unchanged, 1);
    for text in [
        join_spaced_letters(&substituted),
        join_spaced_letters(&undo_substitutions(&bare, DigitReading::OneAsL, 2)),
        join_split_words(&substituted),
        join_split_words(&only_letters),
        collapse_stretched_words(&join_split_words(&only_letters)),
    ] {
        add(View::new(&text, true));
    }
}

/// Folds case, width and presentation forms and removes invisible characters. Diacritics stay.
pub(super) fn normalize_chars(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for run in runs(text) {
        if run.is_ascii() {
            out.extend(run.chars().map(|letter| letter.to_ascii_lowercase()));
            continue;
        }
        let seen = run.chars().filter(|letter| !is_ignored(*letter));
        let seen = seen.map(|letter| enclosed_letter(letter).unwrap_or(letter)).nfkc();
        let seen = seen.filter(|letter| !is_ignored(*letter));
        let lower = seen.flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c });
        out.extend(lower.nfc());
    }
    out
}

/// Removes UUIDs: parts of them such as "1ed5" would be read as obfuscated words.
fn remove_ids(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let mut rest = folded;
    while let Some(first) = rest.chars().next() {
        let id = !out.ends_with(is_letter) && begins_with_id(rest);
        let (shown, length) =
            if id { (' ', Hyphenated::LENGTH) } else { (first, first.len_utf8()) };
        out.push(shown);
        rest = rest.split_at(length).1;
    }
    out
}

fn begins_with_id(text: &str) -> bool {
    text.split_at_checked(Hyphenated::LENGTH)
        .is_some_and(|(id, behind)| Uuid::try_parse(id).is_ok() && !behind.starts_with(is_letter))
}

/// Removes all diacritics from letters.
pub(super) fn strip_marks(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    for run in runs(folded) {
        if run.is_ascii() {
            out.push_str(run);
            continue;
        }
        out.extend(run.nfd().filter(|letter| !is_combining_mark(*letter)).nfc());
    }
    out
}

/// Splits a text into pieces of plain ASCII, which need no Unicode processing, and pieces that
/// begin with at most one ASCII letter, which a following mark may change.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let plain = rest.bytes().take_while(u8::is_ascii).count();
        let other = rest.bytes().skip(plain).take_while(|byte| !byte.is_ascii()).count();
        let length = if plain > 1 && other > 0 { plain - 1 } else { plain + other };
        let (run, after) = rest.split_at(length);
        rest = after;
        Some(run)
    })
}

impl View {
    pub(super) fn new(text: &str, unmasked: bool) -> Self {
        let mut view =
            Self { text: String::from(" "), starts: Vec::new(), marks_removed: unmasked };
        let mut before = ' ';
        for letter in text.chars().filter(|letter| !is_combining_mark(*letter)) {
            view.push(letter, before);
            before = letter;
        }
        view.end_word();
        view
    }

    fn push(&mut self, letter: char, before: char) {
        if !is_letter(letter) {
            return self.end_word();
        }
        let (spaceless, was_spaceless) = (is_spaceless(letter), is_spaceless(before));
        if spaceless != was_spaceless {
            self.end_word();
        }
        if spaceless || self.text.ends_with(' ') {
            self.starts.push(self.text.len());
        }
        self.text.push(letter);
    }

    fn end_word(&mut self) {
        if !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// Replaces look-alike letters, digits and signs by the letters they stand for, and shortens
/// repeated letters to `keep`.
fn undo_substitutions(bare: &str, signs: DigitReading, keep: usize) -> String {
    let mut out = String::with_capacity(bare.len());
    let mut word: Vec<char> = Vec::new();
    for letter in bare.chars() {
        if is_letter(letter) || leet(letter, signs).is_some() {
            word.push(letter);
        } else {
            push_word(&mut out, &word, signs, keep);
            word.clear();
            out.push(letter);
        }
    }
    push_word(&mut out, &word, signs, keep);
    out
}

fn push_word(out: &mut String, word: &[char], signs: DigitReading, keep: usize) {
    // At the ends of a word these signs are punctuation.
    let ends = |sign: &char| ['!', '¡', '|', '+'].contains(sign);
    let begin = word.iter().take_while(|sign| ends(sign)).count();
    let end = word.len() - word.iter().rev().take_while(|sign| ends(sign)).count();
    let Some(word) = word.get(begin..end) else { return out.push(' ') };
    out.push_str(if begin > 0 { " " } else { "" });
    // Digits and signs that stand for letters do not count as letters.
    let is_alphabetic = |letter: char| is_letter(letter) && leet(letter, signs).is_none();
    let is_word = word.iter().any(|letter| is_alphabetic(*letter));
    let foreign = |letter: &&char| !letter.is_ascii() && is_alphabetic(**letter);
    let disguised = word.iter().filter(foreign).all(|letter| latin(*letter, signs).is_some());
    let (mut last, mut run) = (' ', 0_usize);
    for letter in word {
        let plain = match *letter {
            letter if !is_word => letter,
            letter if disguised && is_alphabetic(letter) => latin(letter, signs).unwrap_or(letter),
            letter if is_alphabetic(letter) => letter,
            sign => leet(sign, signs).unwrap_or(sign),
        };
        run = if plain == last { run + 1 } else { 1 };
        last = plain;
        match run {
            1 | 2 => out.push(plain),
            3 if keep == 1 => _ = out.pop(),
            _ => {}
        }
    }
}

/// The longest run of signs and spaces between two letters of one word: `b - o - m - b`.
const SEPARATOR_CHARS_MAX: usize = 4;

/// Joins single letters with at most [`SEPARATOR_CHARS_MAX`] other characters between them:
/// `w.e.a.p.o.n`, `w  e  a  p  o  n`. If the first letter can be a word ("a", "I"), the rest is
/// added once more without it.
fn join_spaced_letters(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut place = 0;
    while place < letters.len() {
        let (run, end) = spaced_run(&letters, place);
        if run.chars().count() >= 3 {
            out.push_str(&run);
            if let Some(rest) = run.strip_prefix(['a', 'i']) {
                out.push(' ');
                out.push_str(rest);
            }
            out.push(' ');
            place = end;
            continue;
        }
        let word = count_from(&letters, place, is_letter);
        let gap = count_from(&letters, place + word, |letter| !is_letter(letter));
        out.extend(letters.iter().skip(place).take(word + gap));
        place += word + gap;
    }
    out
}

/// The single letters from index `place`, and the index behind their last separator.
fn spaced_run(letters: &[char], mut place: usize) -> (String, usize) {
    let mut run = String::new();
    while count_from(letters, place, is_letter) == 1 {
        run.extend(letters.get(place));
        place += 1;
        let gap = count_from(letters, place, |letter| !is_letter(letter));
        if gap > SEPARATOR_CHARS_MAX {
            break;
        }
        place += gap;
    }
    (run, place)
}

/// The number of characters from index `place` for which `holds` is true.
fn count_from(letters: &[char], place: usize, holds: impl Fn(char) -> bool) -> usize {
    letters.iter().skip(place).take_while(|letter| holds(**letter)).count()
}

/// Joins parts of words with at most [`SEPARATOR_CHARS_MAX`] signs, and no space,
/// between them: `wea.pon`, `phish--ing`.
fn join_split_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = String::new();
    for letter in text.chars() {
        if !is_letter(letter) {
            signs.push(letter);
            continue;
        }
        let is_separator = out.ends_with(is_letter)
            && signs.chars().count() <= SEPARATOR_CHARS_MAX
            && !signs.contains(char::is_whitespace)
            && !signs.contains(FIELD_SEPARATOR);
        if !is_separator {
            out.push_str(&signs);
        }
        signs.clear();
        out.push(letter);
    }
    out.push_str(&signs);
    out
}

/// Normalizes a text for comparison: folded case and single spaces. Punctuation stays, since "1.5
/// m" is not "15 m".
#[must_use]
pub fn normalize(text: &str) -> String {
    let folded = normalize_chars(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ")
}
