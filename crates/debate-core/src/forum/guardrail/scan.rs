//! Reading a text by the rules, in time linear in its length.
//!
//! One automaton finds every word of every rule. A step of a pattern remembers only where it was
//! reached last: whatever could follow an earlier place can follow a later one as well. So a word
//! costs as much as there are steps that look for it, which the rules decide and no text.

use std::collections::BTreeMap;

use super::category::Category;
use super::fold::{View, views};
use super::rulebook::{Effect, Rule, Rulebook, Slot};

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings<'r> {
    /// The rules that refuse it, each once, in the order of the file.
    pub refused_by: Vec<&'r Rule>,
    /// How many steps it took to find out: bytes read, and steps of patterns looked at.
    pub effort: usize,
}

/// From the first word of a match to its last.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first: usize,
    last: usize,
}

/// What one view shows.
#[derive(Default)]
struct Sighting {
    refusals: Vec<(usize, Stretch)>,
    excuses: BTreeMap<Category, Vec<Stretch>>,
}

impl Rulebook {
    /// What the rules find in `text`.
    #[must_use]
    pub fn read_text(&self, text: &str) -> Findings<'_> {
        let mut refused_by = Vec::new();
        let mut effort = 0;
        for view in views(text) {
            let mut reading = Reading::new(self, &view);
            reading.through();
            effort += reading.effort;
            refused_by.extend(self.unexcused(reading.sighting, view.starts.len()));
        }
        refused_by.sort_unstable();
        refused_by.dedup();
        let refused_by = refused_by.iter().filter_map(|rule| self.rules.get(*rule)).collect();
        Findings { refused_by, effort }
    }

    /// The numbers of the rules that refuse something no exception lies around.
    fn unexcused(&self, sighting: Sighting, words: usize) -> Vec<usize> {
        let furthest: BTreeMap<Category, Vec<usize>> = sighting
            .excuses
            .into_iter()
            .map(|(category, excuses)| (category, furthest_ends(&excuses, words)))
            .collect();
        let excused = |rule: usize, found: Stretch| {
            let ends = self.rules.get(rule).and_then(|rule| furthest.get(&rule.category));
            ends.and_then(|ends| ends.get(found.first)).is_some_and(|end| *end > found.last)
        };
        let refusals = sighting.refusals.into_iter();
        refusals.filter(|(rule, found)| !excused(*rule, *found)).map(|(rule, _)| rule).collect()
    }
}

/// For each word: behind which word the longest stretch ends that began there or earlier.
fn furthest_ends(stretches: &[Stretch], words: usize) -> Vec<usize> {
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

/// A view while it is read.
struct Reading<'r, 'v> {
    book: &'r Rulebook,
    view: &'v View,
    /// For each step of each pattern the stretch that reached it last.
    reached: Vec<Option<Stretch>>,
    /// The steps that look for the word being read.
    here: Vec<(usize, Slot)>,
    sighting: Sighting,
    effort: usize,
}

impl<'r, 'v> Reading<'r, 'v> {
    fn new(book: &'r Rulebook, view: &'v View) -> Self {
        let (reached, effort) = (vec![None; book.steps], view.text.len());
        let sighting = Sighting::default();
        Self { book, view, reached, here: Vec::new(), sighting, effort }
    }

    fn through(&mut self) {
        let (book, view) = (self.book, self.view);
        // Words are counted as matches go by: they come in the order in which they end.
        let mut words = 0;
        for found in book.automaton.find_overlapping_iter(&view.text) {
            let space = usize::from(view.text.get(found.end() - 1..found.end()) == Some(" "));
            let letter = found.end() - 1 - space;
            let before = words;
            while view.starts.get(words).is_some_and(|start| *start <= letter) {
                words += 1;
            }
            if words != before {
                self.turn();
            }
            let slots = book.slots.get(found.pattern().as_usize()).into_iter().flatten();
            self.here.extend(slots.map(|slot| (words - 1, *slot)));
        }
        self.turn();
    }

    /// The word is over: later steps first, so that one word is never two steps of a pattern.
    fn turn(&mut self) {
        let mut here = std::mem::take(&mut self.here);
        self.effort += here.len();
        here.sort_unstable_by_key(|(_, slot)| std::cmp::Reverse(slot.step));
        for (word, slot) in here.drain(..) {
            self.look(word, slot);
        }
        self.here = here;
    }

    fn look(&mut self, word: usize, slot: Slot) {
        let Some(pattern) = self.book.patterns.get(slot.pattern) else { return };
        let must_be_plain = matches!(pattern.effect, Effect::Refuses(_)) && self.view.unmasked;
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
        let stretch = Stretch { first, last: word };
        if slot.step + 1 == pattern.gaps.len() {
            match pattern.effect {
                Effect::Refuses(rule) => self.sighting.refusals.push((rule, stretch)),
                Effect::Excuses(category) => {
                    self.sighting.excuses.entry(category).or_default().push(stretch);
                }
            }
        }
        if let Some(reached) = self.reached.get_mut(pattern.first + slot.step) {
            *reached = Some(stretch);
        }
    }
}

fn follows(before: Stretch, begins: usize, gap: u32) -> bool {
    let between = begins.checked_sub(before.last + 1);
    between.is_some_and(|between| u32::try_from(between).is_ok_and(|between| between <= gap))
}
