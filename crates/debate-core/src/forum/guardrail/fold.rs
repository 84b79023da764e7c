//! The views of a text that the rules search: folded and cut into words, then with obfuscation
//! removed in several ways, each for the source and for the text that Markdown renders from it.
//!
//! Every pass is linear in the text, and there are at most twelve views.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::drawn_out::with_single_letters;
use super::lookalike::{Signs, is_letter, is_spaceless, is_unread, latin, leet, on_tile};
use crate::markdown::plain_text;

/// Words between single spaces, with a space before the first and after the last. Scripts that
/// are written without spaces stand as they are, but each of their characters counts as a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The words.
    pub(super) text: String,
    /// Where each begins.
    pub(super) starts: Vec<usize>,
    /// Whether marks are off, so that "vụ" and "vũ" are the same here: what a rule spells with
    /// marks is not looked for in it.
    pub(super) unmasked: bool,
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
        // Every word is searched for in a view that is not unmasked.
        let is_known = |known: &View| known.text == view.text && (view.unmasked || !known.unmasked);
        if !views.iter().any(is_known) {
            views.push(view);
        }
    };
    let folded = without_ids(&folded(text));
    add(View::of(&folded, false));
    let bare = bare(&folded);
    let revealed = revealed(&bare, Signs::OneIsI, 1);
    let only_letters = self::revealed(&bare, Signs::Kept, 1);
    for text in [
        letters_joined(&revealed),
        letters_joined(&self::revealed(&bare, Signs::OneIsL, 2)),
        closed_up(&revealed),
        closed_up(&only_letters),
        with_single_letters(&closed_up(&only_letters)),
    ] {
        add(View::of(&text, true));
    }
}

/// Case, width, presentation and characters without width are gone; marks are left.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for run in runs(text) {
        if run.is_ascii() {
            out.extend(run.chars().map(|letter| letter.to_ascii_lowercase()));
            continue;
        }
        let seen = run.chars().filter(|letter| !is_unread(*letter));
        let seen = seen.map(|letter| on_tile(letter).unwrap_or(letter)).nfkc();
        let seen = seen.filter(|letter| !is_unread(*letter));
        let lower = seen.flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c });
        out.extend(lower.nfc());
    }
    out
}

/// Without ids: they say nothing, but "1ed5" in the middle of one would be read as a word in
/// disguise.
fn without_ids(folded: &str) -> String {
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

/// Without marks on letters.
pub(super) fn bare(folded: &str) -> String {
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

/// The text in pieces that are either plain ASCII, for which Unicode has nothing to say, or begin
/// with at most one letter of it, which a mark behind it may change.
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
    pub(super) fn of(text: &str, unmasked: bool) -> Self {
        let mut view = Self { text: String::from(" "), starts: Vec::new(), unmasked };
        let mut before = ' ';
        for letter in text.chars().filter(|letter| !is_combining_mark(*letter)) {
            view.take(letter, before);
            before = letter;
        }
        view.end_word();
        view
    }

    fn take(&mut self, letter: char, before: char) {
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

/// Lookalikes and signs for letters turned back, and letters that are drawn out cut to `keep`.
fn revealed(bare: &str, signs: Signs, keep: usize) -> String {
    let mut out = String::with_capacity(bare.len());
    let mut word: Vec<char> = Vec::new();
    for letter in bare.chars() {
        if is_letter(letter) || leet(letter, signs).is_some() {
            word.push(letter);
        } else {
            reveal(&mut out, &word, signs, keep);
            word.clear();
            out.push(letter);
        }
    }
    reveal(&mut out, &word, signs, keep);
    out
}

fn reveal(out: &mut String, word: &[char], signs: Signs, keep: usize) {
    // At the ends of a word these are what they are.
    let ends = |sign: &char| ['!', '¡', '|', '+'].contains(sign);
    let begin = word.iter().take_while(|sign| ends(sign)).count();
    let end = word.len() - word.iter().rev().take_while(|sign| ends(sign)).count();
    let Some(word) = word.get(begin..end) else { return out.push(' ') };
    out.push_str(if begin > 0 { " " } else { "" });
    // Signs that stand for letters are none themselves.
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
fn letters_joined(text: &str) -> String {
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

/// The single letters from `place` on, and the index behind their last separator.
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

/// The number of characters from `place` on for which `holds`; at most one more than
/// [`SEPARATOR_CHARS_MAX`] are of interest to a run, all of them to a copy.
fn count_from(letters: &[char], place: usize, holds: impl Fn(char) -> bool) -> usize {
    letters.iter().skip(place).take_while(|letter| holds(**letter)).count()
}

/// Joins parts of words with at most [`SEPARATOR_CHARS_MAX`] signs, and no space, between them:
/// `wea.pon`, `phish--ing`.
fn closed_up(text: &str) -> String {
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

/// A text as it is compared with others: folded, with single spaces. Signs stay, since "1.5 m" is
/// not "15 m".
#[must_use]
pub fn normalised(text: &str) -> String {
    let folded = folded(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ")
}
