//! Patterns of the rule file: words, their order and the gaps between them.
//!
//! `bomb~` matches the word and its English forms, `оружи*` any ending, `*waffe` any beginning,
//! `(build|make|put together)~` one of several; `..` allows up to three words between, `..N` up to
//! N.

use super::inflect::forms;
use super::lookalike::is_spaceless;
use super::normalize::{View, normalize_chars, strip_marks};
use super::stretched_words::collapse_and_mark;

/// The number of words that `..` allows.
const GAP: u32 = 3;
/// The largest number of words that a gap can allow.
const GAP_MOST: u32 = 9;
/// The maximum number of sequences that one pattern expands to.
const LINES_MOST: usize = 64;

/// A step of a pattern: one of these words, with at most `gap` others before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatternStep {
    pub(super) gap: u32,
    pub(super) words: Vec<Word>,
}

/// A word as the automaton searches it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Word {
    /// The word with the spaces that must surround it in a view.
    pub(super) text: String,
    /// The number of words of a view that it covers: more than one only in scripts without spaces.
    pub(super) span: usize,
    /// Whether the rule spells it without diacritics. Otherwise it is searched for as spelled and
    /// without any diacritics; with different diacritics it does not match.
    pub(super) plain: bool,
}

/// The reason why a pattern is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPattern {
    /// The pattern contains no word.
    #[error("contains no word")]
    Empty,
    /// A gap is not between two words or has an invalid size.
    #[error("must have a word before and after each `..`; `..N` takes 1 to 9 for N")]
    Gap,
    /// The brackets do not contain words.
    #[error("must have words between its brackets, as in `(build|make|put together)~`")]
    Choice,
    /// The pattern expands to too many sequences.
    #[error("expands to more than {LINES_MOST} word sequences; split it into several patterns")]
    TooMany,
    /// A `*` or `~` is at a wrong position.
    #[error("may have `*` only next to a word of at least three letters, and `~` only after one")]
    Star,
}

/// The sequences of steps that `line` describes: more than one if a choice has several words.
pub(super) fn parse(line: &str) -> Result<Vec<Vec<PatternStep>>, NotAPattern> {
    let mut lines: Vec<Vec<PatternStep>> = vec![Vec::new()];
    let mut gap = None;
    for part in parts(line) {
        if let Some(words) = part.strip_prefix("..") {
            if gap.is_some() || lines.iter().any(Vec::is_empty) {
                return Err(NotAPattern::Gap);
            }
            gap = Some(parse_gap(words)?);
            continue;
        }
        let before = gap.take().unwrap_or(0);
        let choices = choices(part)?;
        lines = lines.iter().flat_map(|line| append_choices(line, before, &choices)).collect();
        if lines.len() > LINES_MOST {
            return Err(NotAPattern::TooMany);
        }
    }
    match (gap, lines.iter().any(Vec::is_empty)) {
        (Some(_), _) => Err(NotAPattern::Gap),
        (None, true) => Err(NotAPattern::Empty),
        (None, false) => Ok(lines),
    }
}

/// `line` extended by each of `choices`.
fn append_choices(
    line: &[PatternStep],
    gap: u32,
    choices: &[Vec<Vec<Word>>],
) -> Vec<Vec<PatternStep>> {
    let with = |choice: &Vec<Vec<Word>>| {
        let gaps = std::iter::once(gap).chain(std::iter::repeat(0));
        let steps = gaps.zip(choice.clone()).map(|(gap, words)| PatternStep { gap, words });
        line.iter().cloned().chain(steps).collect()
    };
    choices.iter().map(with).collect()
}

/// Splits at spaces outside of brackets.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    let parts = line.split(move |letter: char| {
        inside = (inside || letter == '(') && letter != ')';
        letter.is_whitespace() && !inside
    });
    parts.filter(|part| !part.is_empty())
}

fn parse_gap(words: &str) -> Result<u32, NotAPattern> {
    if words.is_empty() {
        return Ok(GAP);
    }
    words.parse().ok().filter(|gap| (1..=GAP_MOST).contains(gap)).ok_or(NotAPattern::Gap)
}

/// The choices of one part of a line, each a sequence of steps with alternative words. Choices of a
/// single word share a step.
fn choices(part: &str) -> Result<Vec<Vec<Vec<Word>>>, NotAPattern> {
    let (part, inflected) = match part.strip_suffix('~') {
        Some(part) => (part, true),
        None => (part, false),
    };
    let Some(listed) = part.strip_prefix('(') else {
        return Ok(vec![parse_word(part, inflected)?]);
    };
    let listed = listed.strip_suffix(')').ok_or(NotAPattern::Choice)?;
    let mut single: Vec<Word> = Vec::new();
    let mut longer = Vec::new();
    for choice in listed.split('|') {
        let words: Vec<&str> = choice.split_whitespace().collect();
        let Some((last, before)) = words.split_last() else { return Err(NotAPattern::Choice) };
        let mut places = Vec::new();
        for word in before {
            places.extend(parse_word(word, false)?);
        }
        places.extend(parse_word(last, inflected)?);
        match places.as_mut_slice() {
            [only] => single.append(only),
            _ => longer.push(places),
        }
    }
    if !single.is_empty() {
        longer.push(vec![single]);
    }
    Ok(longer)
}

fn parse_word(text: &str, inflected: bool) -> Result<Vec<Vec<Word>>, NotAPattern> {
    let (text, inflected) = text.strip_suffix('~').map_or((text, inflected), |text| (text, true));
    let (text, open_start) = text.strip_prefix('*').map_or((text, false), |text| (text, true));
    let (text, open_end) = text.strip_suffix('*').map_or((text, false), |text| (text, true));
    if text.contains(['*', '(', ')', '|', '~'])
        || ((open_start || open_end) && text.chars().count() < 3)
    {
        return Err(NotAPattern::Star);
    }
    let view = View::new(&normalize_chars(text), false);
    let runs: Vec<&str> = view.text.split_whitespace().collect();
    if runs.is_empty() {
        return Err(NotAPattern::Empty);
    }
    let last = runs.len() - 1;
    Ok(runs
        .iter()
        .enumerate()
        .map(|(nth, run)| {
            let texts = if inflected { forms(run) } else { vec![(*run).to_owned()] };
            let open = [open_start && nth == 0, open_end && nth == last];
            texts.iter().flat_map(|text| spellings(text, open)).collect()
        })
        .collect())
}

/// The spellings of a word: as written, without diacritics, and marked as stretched. A word with
/// any beginning has no stretched form: its mark would be in the middle.
fn spellings(text: &str, open: [bool; 2]) -> Vec<Word> {
    let bare = strip_marks(text);
    let spaceless = text.chars().any(is_spaceless);
    let span = if spaceless { text.chars().count() } else { 1 };
    let [before, after] = open.map(|open| if open || spaceless { "" } else { " " });
    let word = |text: &str, plain| Word { text: format!("{before}{text}{after}"), span, plain };
    let [open_start, _] = open;
    let mut words = vec![word(text, bare == text)];
    if bare != text {
        words.push(word(&bare, false));
    } else if !open_start && !spaceless {
        words.push(word(&collapse_and_mark(&bare), true));
    }
    words
}
