//! What the guardrails' rules find and overlook, and what reading a text costs.

#[expect(dead_code, reason = "the list of single lines is for the example that shows them")]
#[path = "../../crates/debate-core/tests/it/forum/corpus/score.rs"]
mod score;

use std::hint::black_box;
use std::time::{Duration, Instant};

use debate_core::forum::guardrail::Rulebook;

use self::score::{HELD_BACK, KNOWN, PARAPHRASED, Score, lines};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::stats::{Better, Latencies, Rounds, micros};

/// What was written with the rules in hand, what was held back from them, and what avoids every
/// telling word.
const CORPORA: [(&str, &str); 3] =
    [("known", KNOWN), ("held back", HELD_BACK), ("paraphrased", PARAPHRASED)];

/// Each keeps many patterns busy, or folds badly.
const HOSTILE: [(&str, &str); 4] = [
    ("many patterns at once", "track monitor follow every all people without sell buy "),
    ("letters one by one", "a.b.c.d."),
    ("marks upon marks", "e\u{301}\u{301}\u{336}"),
    ("long expansions", "\u{3316}"),
];

const SMALL_BYTES: usize = 1000;
const LARGE_BYTES: usize = 10_000;
const READINGS: usize = 101;

/// One hostile text, in two sizes.
struct Hostile {
    what: &'static str,
    small_micros: Rounds,
    large_micros: Rounds,
}

impl Hostile {
    /// How much dearer a byte of the large one is.
    fn growth(&self) -> Rounds {
        let bytes = crate::stats::real(LARGE_BYTES / SMALL_BYTES);
        let whole = self.large_micros.ratio_to(&self.small_micros);
        whole.ratio_to(&std::iter::repeat_n(bytes, READINGS).collect())
    }
}

pub(crate) fn measure(plan: &Plan, report: &mut Report) {
    let book = Rulebook::built_in();
    report.add(corpora_table(&book));
    let mut hostile = HOSTILE.map(|(what, _)| Hostile {
        what,
        small_micros: Rounds::default(),
        large_micros: Rounds::default(),
    });
    for _ in plan.load_rounds(Part::Guardrail) {
        for (text, (_, piece)) in hostile.iter_mut().zip(HOSTILE) {
            let of = |bytes: usize| micros(time(&book, &piece.repeat(bytes / piece.len())));
            text.small_micros.push(of(SMALL_BYTES));
            text.large_micros.push(of(LARGE_BYTES));
        }
    }
    report.bars.extend(hostile.iter().map(|text| {
        let what = format!("rules, {}: a byte of 10 KB : a byte of 1 KB", text.what);
        Bar::new(what, Bound::AtMost(2.0), &text.growth())
    }));
    report.add(hostile_table(&hostile));
}

/// The median of many readings.
fn time(book: &Rulebook, text: &str) -> Duration {
    let reading = || {
        let started = Instant::now();
        black_box(book.read_text(black_box(text)));
        started.elapsed()
    };
    Latencies::of((0..READINGS).map(|_| reading()).collect()).percentile(50)
}

fn corpora_table(book: &Rulebook) -> Section {
    let row = |(name, corpus): (&str, &'static str)| {
        let score = Score::of(book, lines(corpus));
        let share = |figure: f64| Cell::text(format!("{figure:.3}"));
        vec![
            Cell::text(name),
            Cell::text(lines(corpus).count().to_string()),
            share(score.precision()),
            share(score.recall()),
            share(score.false_alarm_rate()),
        ]
    };
    Section {
        title: "The guardrails' rules",
        notes: vec![format!(
            "Rules {}. One author wrote both rules and lines, which flatters the first two; \
             the last avoid every telling word, which is what the second layer is for. Line by \
             line: cargo run --release -p debate-core --example guardrail",
            book.version()
        )],
        columns: &["lines", "count", "precision", "recall", "false alarms"],
        rows: CORPORA.map(row).into(),
    }
}

fn hostile_table(hostile: &[Hostile]) -> Section {
    let row = |text: &Hostile| {
        vec![
            Cell::text(text.what),
            Cell::spread(&text.small_micros, Better::Lower),
            Cell::spread(&text.large_micros, Better::Lower),
            Cell::spread(&text.growth(), Better::Lower),
        ]
    };
    Section {
        title: "Reading hostile texts",
        notes: Vec::new(),
        columns: &["", "1 KB, µs", "10 KB, µs", "a byte of 10 KB : of 1 KB"],
        rows: hostile.iter().map(row).collect(),
    }
}
