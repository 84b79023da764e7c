//! One line of the rule file: which words, in which order, how far apart.
//!
//! `bomb~` means the word and its English endings, `оружи*` any ending, `*waffe` any beginning;
//! `(build|make|put together)~` one of several; `..` that up to three words may stand between,
//! `..N` up to N.

use super::drawn_out::marked;
use super::fold::{View, bare, folded};
use super::inflect::forms;
use super::lookalike::is_spaceless;

/// How many words `..` lets pass.
const GAP: u32 = 3;
/// How many words a gap may let pass at most.
const GAP_MOST: u32 = 9;
/// How many sequences one line may stand for.
const LINES_MOST: usize = 64;

/// A place of a pattern: one of these words, with at most so many others before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) gap: u32,
    pub(super) words: Vec<Word>,
}

/// A word as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Word {
    /// With the spaces of the view that it must stand between.
    pub(super) text: String,
    /// How many words of the view it is: one, but for scripts without spaces.
    pub(super) span: usize,
    /// Whether the rule spells it without marks. If not, it is looked for as it is spelled, and
    /// without any mark; with other marks it is another word.
    pub(super) plain: bool,
}

/// Why a line of the rule file means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPattern {
    /// No words.
    #[error("contains no word")]
    Empty,
    /// A gap that leads nowhere.
    #[error("must have a word before and after each `..`; `..N` takes 1 to 9 for N")]
    Gap,
    /// Something between brackets that is not one of several words.
    #[error("must have words between its brackets, as in `(build|make|put together)~`")]
    Choice,
    /// Too many choices at once.
    #[error("expands to more than {LINES_MOST} word sequences; split it into several patterns")]
    TooMany,
    /// A star that stands elsewhere.
    #[error("may have `*` only next to a word of at least three letters, and `~` only after one")]
    Star,
}

/// The sequences of steps that `line` describes: more than one where one of several choices is
/// itself more than one word.
pub(super) fn parse(line: &str) -> Result<Vec<Vec<Step>>, NotAPattern> {
    let mut lines: Vec<Vec<Step>> = vec![Vec::new()];
    let mut gap = None;
    for part in parts(line) {
        if let Some(words) = part.strip_prefix("..") {
            if gap.is_some() || lines.iter().any(Vec::is_empty) {
                return Err(NotAPattern::Gap);
            }
            gap = Some(gap_of(words)?);
            continue;
        }
        let before = gap.take().unwrap_or(0);
        let choices = choices(part)?;
        lines = lines.iter().flat_map(|line| extended(line, before, &choices)).collect();
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

/// `line` once with each of `choices` behind it.
fn extended(line: &[Step], gap: u32, choices: &[Vec<Vec<Word>>]) -> Vec<Vec<Step>> {
    let with = |choice: &Vec<Vec<Word>>| {
        let gaps = std::iter::once(gap).chain(std::iter::repeat(0));
        let steps = gaps.zip(choice.clone()).map(|(gap, words)| Step { gap, words });
        line.iter().cloned().chain(steps).collect()
    };
    choices.iter().map(with).collect()
}

/// Cut at spaces, but not at those between brackets.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    let parts = line.split(move |letter: char| {
        inside = (inside || letter == '(') && letter != ')';
        letter.is_whitespace() && !inside
    });
    parts.filter(|part| !part.is_empty())
}

fn gap_of(words: &str) -> Result<u32, NotAPattern> {
    if words.is_empty() {
        return Ok(GAP);
    }
    words.parse().ok().filter(|gap| (1..=GAP_MOST).contains(gap)).ok_or(NotAPattern::Gap)
}

/// What one part of a line stands for: choices, each a sequence of places, each one of several
/// words. Choices of a single word share a place.
fn choices(part: &str) -> Result<Vec<Vec<Vec<Word>>>, NotAPattern> {
    let (part, inflected) = match part.strip_suffix('~') {
        Some(part) => (part, true),
        None => (part, false),
    };
    let Some(listed) = part.strip_prefix('(') else {
        return Ok(vec![spelled(part, inflected)?]);
    };
    let listed = listed.strip_suffix(')').ok_or(NotAPattern::Choice)?;
    let mut single: Vec<Word> = Vec::new();
    let mut longer = Vec::new();
    for choice in listed.split('|') {
        let words: Vec<&str> = choice.split_whitespace().collect();
        let Some((last, before)) = words.split_last() else { return Err(NotAPattern::Choice) };
        let mut places = Vec::new();
        for word in before {
            places.extend(spelled(word, false)?);
        }
        places.extend(spelled(last, inflected)?);
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

fn spelled(text: &str, inflected: bool) -> Result<Vec<Vec<Word>>, NotAPattern> {
    let (text, inflected) = text.strip_suffix('~').map_or((text, inflected), |text| (text, true));
    let (text, open_start) = text.strip_prefix('*').map_or((text, false), |text| (text, true));
    let (text, open_end) = text.strip_suffix('*').map_or((text, false), |text| (text, true));
    if text.contains(['*', '(', ')', '|', '~'])
        || ((open_start || open_end) && text.chars().count() < 3)
    {
        return Err(NotAPattern::Star);
    }
    let view = View::of(&folded(text), false);
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

/// As it is spelled, without diacritics, and as its drawn-out forms are found. A word with any
/// beginning has no drawn-out form: its mark would have to stand in the middle.
fn spellings(text: &str, open: [bool; 2]) -> Vec<Word> {
    let bare = bare(text);
    let spaceless = text.chars().any(is_spaceless);
    let span = if spaceless { text.chars().count() } else { 1 };
    let [before, after] = open.map(|open| if open || spaceless { "" } else { " " });
    let word = |text: &str, plain| Word { text: format!("{before}{text}{after}"), span, plain };
    let [open_start, _] = open;
    let mut words = vec![word(text, bare == text)];
    if bare != text {
        words.push(word(&bare, false));
    } else if !open_start && !spaceless {
        words.push(word(&marked(&bare), true));
    }
    words
}
