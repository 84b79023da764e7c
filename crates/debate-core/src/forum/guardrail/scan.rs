//! The search of a text for all rules, in time linear in its length.
//!
//! One automaton finds all words of all rules. Each step of a pattern remembers only its last
//! match, since a word that can follow an earlier match can also follow a later one. The cost of a
//! word is therefore the number of steps that it matches, which depends on the rules and not on the
//! text.

use std::collections::BTreeMap;

use super::category::Category;
use super::normalize::{View, views};
use super::rulebook::{Effect, Rule, Rulebook, Slot};

/// The result of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings<'r> {
    /// The rules that refuse the text, each once, in the order of the file.
    pub refused_by: Vec<&'r Rule>,
    /// The cost of the scan: bytes read plus steps examined.
    pub effort: usize,
}

/// The first and the last word of a match.
#[derive(Debug, Clone, Copy)]
struct WordSpan {
    first: usize,
    last: usize,
}

/// The matches in one view.
#[derive(Default)]
struct Matches {
    refusals: Vec<(usize, WordSpan)>,
    excuses: BTreeMap<Category, Vec<WordSpan>>,
}

impl Rulebook {
    /// Searches `text` for all rules.
    #[must_use]
    pub fn scan(&self, text: &str) -> Findings<'_> {
        let mut refused_by = Vec::new();
        let mut effort = 0;
        for view in views(text) {
            let mut reading = Scan::new(self, &view);
            reading.run();
            effort += reading.effort;
            refused_by.extend(self.matched_rules(reading.matches, view.starts.len()));
        }
        refused_by.sort_unstable();
        refused_by.dedup();
        let refused_by = refused_by.iter().filter_map(|rule| self.rules.get(*rule)).collect();
        Findings { refused_by, effort }
    }

    /// The indexes of rules with a match that is not inside an exception.
    fn matched_rules(&self, matches: Matches, words: usize) -> Vec<usize> {
        let furthest: BTreeMap<Category, Vec<usize>> = matches
            .excuses
            .into_iter()
            .map(|(category, excuses)| (category, furthest_ends(&excuses, words)))
            .collect();
        let excused = |rule: usize, found: WordSpan| {
            let ends = self.rules.get(rule).and_then(|rule| furthest.get(&rule.category));
            ends.and_then(|ends| ends.get(found.first)).is_some_and(|end| *end > found.last)
        };
        let refusals = matches.refusals.into_iter();
        refusals.filter(|(rule, found)| !excused(*rule, *found)).map(|(rule, _)| rule).collect()
    }
}

/// For each word the furthest end of all spans that begin at it or before it.
fn furthest_ends(stretches: &[WordSpan], words: usize) -> Vec<usize> {
    let mut ends = vec![0; words];
    for stretch in stretches {
        if let Some(end) = ends.get_mut(stretch.first) {
            *end = stretch.last.saturating_add(1).max(*end);
        }
    }
    let mut furthest = 0;
    for end in &mut ends {
        furthest = furthest.max(*end);
        *end = furthest;
    }
    ends
}

/// The scan of one view.
struct Scan<'r, 'v> {
    book: &'r Rulebook,
    view: &'v View,
    /// The last match of each step of each pattern.
    reached: Vec<Option<WordSpan>>,
    /// The steps that the current word matches.
    pending: Vec<(usize, Slot)>,
    matches: Matches,
    effort: usize,
}

impl<'r, 'v> Scan<'r, 'v> {
    fn new(book: &'r Rulebook, view: &'v View) -> Self {
        let (reached, effort) = (vec![None; book.steps], view.text.len());
        let matches = Matches::default();
        Self { book, view, reached, pending: Vec::new(), matches, effort }
    }

    fn run(&mut self) {
        let (book, view) = (self.book, self.view);
        // Matches are in the order of their ends, so words can be counted along the way.
        let mut words = 0;
        for found in book.automaton.find_overlapping_iter(&view.text) {
            // The last letter of a word, or the space behind it.
            let last = found.end() - 1;
            let before = words;
            while view.starts.get(words).is_some_and(|start| *start <= last) {
                words += 1;
            }
            if words != before {
                self.finish_word();
            }
            let slots = book.slots.get(found.pattern().as_usize()).into_iter().flatten();
            self.pending.extend(slots.map(|slot| (words - 1, *slot)));
        }
        self.finish_word();
    }

    /// Processes the matches of a finished word. Later steps come first, so that one word cannot
    /// match two steps of a pattern.
    fn finish_word(&mut self) {
        let mut here = std::mem::take(&mut self.pending);
        self.effort += here.len();
        here.sort_unstable_by_key(|(_, slot)| std::cmp::Reverse(slot.step));
        for (word, slot) in here.drain(..) {
            self.match_step(word, slot);
        }
        self.pending = here;
    }

    fn match_step(&mut self, word: usize, slot: Slot) {
        let Some(pattern) = self.book.patterns.get(slot.pattern) else { return };
        let must_be_plain = matches!(pattern.effect, Effect::Refuses(_)) && self.view.marks_removed;
        if must_be_plain && !slot.plain {
            return;
        }
        let begins = (word + 1).saturating_sub(slot.span);
        let first = match slot.step.checked_sub(1) {
            None => begins,
            Some(before) => {
                let gap = pattern.gaps.get(slot.step).copied().unwrap_or(0);
                let before = self.reached.get(pattern.first + before).copied().flatten();
                let Some(before) = before.filter(|before| follows(*before, begins, gap)) else {
                    return;
                };
                before.first
            }
        };
        let stretch = WordSpan { first, last: word };
        if slot.step + 1 == pattern.gaps.len() {
            match pattern.effect {
                Effect::Refuses(rule) => self.matches.refusals.push((rule, stretch)),
                Effect::Excuses(category) => {
                    self.matches.excuses.entry(category).or_default().push(stretch);
                }
            }
        }
        if let Some(reached) = self.reached.get_mut(pattern.first + slot.step) {
            *reached = Some(stretch);
        }
    }
}

fn follows(before: WordSpan, begins: usize, gap: u32) -> bool {
    let between = begins.checked_sub(before.last + 1);
    between.is_some_and(|between| u32::try_from(between).is_ok_and(|between| between <= gap))
}
