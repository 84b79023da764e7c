//! Parses the corpus and scores a rulebook on it.

use debate_core::forum::guardrail::{Category, Rulebook};

pub(crate) const KNOWN: &str = include_str!("known.txt");
pub(crate) const HELD_BACK: &str = include_str!("held-back.txt");
pub(crate) const PARAPHRASED: &str = include_str!("paraphrased.txt");

/// One line: `hit weapons en | text`.
#[derive(Debug)]
pub(crate) struct Line<'t> {
    pub(crate) must_hit: bool,
    pub(crate) category: Category,
    pub(crate) kind: &'t str,
    pub(crate) text: &'t str,
}

pub(crate) fn lines(corpus: &str) -> impl Iterator<Item = Line<'_>> {
    let lines = corpus.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (label, text) = line.split_once(" | ").expect("a label and a text");
        let [verdict, category, kind] = label.split(' ').collect::<Vec<_>>()[..] else {
            panic!("three labels: {line}")
        };
        assert!(["hit", "miss"].contains(&verdict), "{line}");
        let category = Category::from_name(category).expect("a category");
        Line { must_hit: verdict == "hit", category, kind, text }
    })
}

/// Correct and wrong decisions of a rulebook.
#[derive(Default)]
pub(crate) struct Score {
    found: u32,
    passed: u32,
    pub(crate) overlooked: Vec<String>,
    pub(crate) false_alarms: Vec<String>,
}

impl Score {
    /// A line is found if a rule of its category refuses it; a false alarm is a line
    /// that any rule refuses.
    pub(crate) fn of<'t>(rulebook: &Rulebook, lines: impl Iterator<Item = Line<'t>>) -> Self {
        let mut score = Self::default();
        for line in lines {
            let refused_by = rulebook.scan(line.text).refused_by;
            let rightly = refused_by.iter().any(|rule| rule.category == line.category);
            match (line.must_hit, rightly, refused_by.is_empty()) {
                (true, true, _) => score.found += 1,
                (true, false, _) => score.overlooked.push(line.text.to_owned()),
                (false, _, true) => score.passed += 1,
                (false, _, false) => score.false_alarms.push(line.text.to_owned()),
            }
        }
        score
    }

    /// The share of refused lines that should be refused.
    pub(crate) fn precision(&self) -> f64 {
        part(f64::from(self.found), count(&self.false_alarms))
    }

    /// The share of lines that should be refused and are.
    pub(crate) fn recall(&self) -> f64 {
        part(f64::from(self.found), count(&self.overlooked))
    }

    /// The share of harmless lines that are refused.
    pub(crate) fn false_alarm_rate(&self) -> f64 {
        part(count(&self.false_alarms), f64::from(self.passed))
    }
}

/// The share of `these` in both; 1 if both are empty.
fn part(these: f64, others: f64) -> f64 {
    if these + others == 0.0 { 1.0 } else { these / (these + others) }
}

fn count(lines: &[String]) -> f64 {
    f64::from(u32::try_from(lines.len()).expect("a corpus is short"))
}
