//! The built-in rules on a corpus: lines that must be refused, and similar harmless lines.
//!
//! `known.txt` contains the lines that the rules were written for; each must be decided correctly.
//! `held-back.txt` was written before the rules and `paraphrased.txt` after them; neither is read
//! when a rule changes.

mod score;

use std::collections::BTreeSet;

use debate_core::forum::guardrail::{Category, Rulebook};

use score::{HELD_BACK, KNOWN, Line, PARAPHRASED, Score, lines};

fn score(corpus: &str) -> Score {
    Score::of(&Rulebook::built_in(), lines(corpus))
}

#[test]
fn rules_decide_every_known_line_correctly() {
    let score = score(KNOWN);
    assert_eq!(score.overlooked, Vec::<String>::new());
    assert_eq!(score.false_alarms, Vec::<String>::new());
}

/// Measured at the first run: precision 0.99, recall 1.00. The threshold allows for stricter or
/// milder rules, but not for the loss of one.
#[test]
fn rules_decide_held_back_lines_with_high_precision_and_recall() {
    let score = score(HELD_BACK);
    assert!(score.precision() >= 0.96, "{:?}", score.false_alarms);
    assert!(score.recall() >= 0.95, "{:?}", score.overlooked);
}

/// Harm without a typical word is left to the next layers, so its recall has no threshold. But the
/// rules must not refuse everything instead.
#[test]
fn rules_rarely_refuse_harmless_paraphrases() {
    let rate = score(PARAPHRASED).false_alarm_rate();
    assert!(rate <= 0.05, "{rate}");
}

#[test]
fn corpus_covers_every_category() {
    let all: Vec<Line<'_>> = [KNOWN, HELD_BACK, PARAPHRASED].into_iter().flat_map(lines).collect();
    assert!(all.len() >= 400);
    for category in Category::ALL {
        let own: Vec<_> = all.iter().filter(|line| line.category == category).collect();
        assert!(own.iter().filter(|line| line.must_hit).count() >= 15, "{category:?}");
        assert!(own.iter().filter(|line| !line.must_hit).count() >= 5, "{category:?}");
    }
    let kinds: BTreeSet<&str> = all.iter().map(|line| line.kind).collect();
    let wanted = ["de", "en", "es", "fr", "obfuscated", "ru", "vi", "zh"];
    assert_eq!(kinds, BTreeSet::from(wanted));
}
