//! A text as the rules look at it: folded, cut into words, and once more with its disguise off.
//!
//! Every pass is linear in the text, and there are at most four views.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::lookalike::{One, is_letter, is_spaceless, is_unread, latin, leet, on_tile};

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

/// Every way in which `text` is read; the first is as it stands.
pub(super) fn views(text: &str) -> Vec<View> {
    let folded = without_ids(&folded(text));
    let mut views = vec![View::of(&folded, false)];
    let bare = bare(&folded);
    let mut add = |text: &str| {
        let view = View::of(text, true);
        if views.iter().all(|known| known.text != view.text) {
            views.push(view);
        }
    };
    let revealed = revealed(&bare, One::I, 1);
    add(&letters_joined(&revealed));
    add(&letters_joined(&self::revealed(&bare, One::L, 2)));
    add(&closed_up(&revealed));
    views
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
fn revealed(bare: &str, one: One, keep: usize) -> String {
    let mut out = String::with_capacity(bare.len());
    let mut word: Vec<char> = Vec::new();
    for letter in bare.chars() {
        if is_letter(letter) || leet(letter, one).is_some() {
            word.push(letter);
        } else {
            reveal(&mut out, &word, one, keep);
            word.clear();
            out.push(letter);
        }
    }
    reveal(&mut out, &word, one, keep);
    out
}

fn reveal(out: &mut String, word: &[char], one: One, keep: usize) {
    // At the ends of a word these are what they are.
    let ends = |sign: &char| ['!', '¡', '|', '+'].contains(sign);
    let begin = word.iter().take_while(|sign| ends(sign)).count();
    let end = word.len() - word.iter().rev().take_while(|sign| ends(sign)).count();
    let Some(word) = word.get(begin..end) else { return out.push(' ') };
    out.push_str(if begin > 0 { " " } else { "" });
    // Signs that stand for letters are none themselves.
    let is_alphabetic = |letter: char| is_letter(letter) && leet(letter, one).is_none();
    let is_word = word.iter().any(|letter| is_alphabetic(*letter));
    let foreign = |letter: &&char| !letter.is_ascii() && is_alphabetic(**letter);
    let disguised = word.iter().filter(foreign).all(|letter| latin(*letter).is_some());
    let (mut last, mut run) = (' ', 0_usize);
    for letter in word {
        let plain = match *letter {
            letter if !is_word => letter,
            letter if disguised && is_alphabetic(letter) => latin(letter).unwrap_or(letter),
            letter if is_alphabetic(letter) => letter,
            sign => leet(sign, one).unwrap_or(sign),
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

/// "w.e.a.p.o.n" and "w e a p o n" as one word. Where the first letter is a word of its own ("a",
/// "I"), the rest stands once more without it.
fn letters_joined(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = |place: usize| letters.get(place).copied().unwrap_or(' ');
    let is_word = |place: usize| is_letter(at(place));
    let mut out = String::with_capacity(text.len());
    let mut place = 0;
    while place < letters.len() {
        let mut run = String::new();
        let mut next = place;
        while is_word(next) && !is_word(next + 1) {
            run.push(at(next));
            next += 2;
        }
        if run.chars().count() >= 3 {
            out.push_str(&run);
            if let Some(rest) = run.strip_prefix(['a', 'i']) {
                out.push(' ');
                out.push_str(rest);
            }
            out.push(' ');
            place = next;
            continue;
        }
        // The word, and what follows it up to the next.
        while is_word(place) {
            out.push(at(place));
            place += 1;
        }
        while place < letters.len() && !is_word(place) {
            out.push(at(place));
            place += 1;
        }
    }
    out
}

/// "wea.pon" and "phish-ing" as one word: single signs between letters left out.
fn closed_up(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (place, letter) in letters.iter().enumerate() {
        let beside = |by: Option<usize>| {
            by.and_then(|place| letters.get(place)).is_some_and(|letter| is_letter(*letter))
        };
        let between = beside(place.checked_sub(1)) && beside(place.checked_add(1));
        if !(between && is_inner_sign(*letter)) {
            out.push(*letter);
        }
    }
    out
}

const fn is_inner_sign(sign: char) -> bool {
    matches!(sign, '.' | '-' | '_' | '*' | '·' | '~' | '\'' | '/' | '\\' | '•' | '‐' | '‑')
}

/// A text as it is compared with others: folded, with single spaces. Signs stay, since "1.5 m" is
/// not "15 m".
#[must_use]
pub fn normalised(text: &str) -> String {
    let folded = folded(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ")
}
