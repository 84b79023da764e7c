//! The errors of the built-in rules and the time to scan a text.
//!
//! `cargo run --release -p debate-core --example guardrail` prints tables; with the argument
//! `figures` it prints numbers for the bench, which uses no crate of ours.

#[path = "../tests/it/forum/corpus/score.rs"]
mod score;

use std::hint::black_box;
use std::time::{Duration, Instant};

use debate_core::forum::guardrail::{Category, Rulebook};

use score::{HELD_BACK, KNOWN, PARAPHRASED, Score, lines};

/// Each text matches many patterns partially, or is expensive to normalise.
const ADVERSARIAL: [(&str, &str); 4] = [
    ("many patterns at once", "track monitor follow every all people without sell buy "),
    ("letters one by one", "a.b.c.d."),
    ("marks upon marks", "e\u{301}\u{301}\u{336}"),
    ("long expansions", "\u{3316}"),
];

const CORPORA: [(&str, &str); 3] =
    [("known", KNOWN), ("held back", HELD_BACK), ("paraphrased", PARAPHRASED)];

fn main() {
    let book = Rulebook::built_in();
    if std::env::args().nth(1).as_deref() == Some("figures") {
        return figures(&book);
    }
    println!("rules {}\n", book.version());
    for (name, corpus) in CORPORA {
        print_table(&book, name, corpus);
    }
}

/// Lines of fields separated by tabs: the kind, the name, the numbers.
fn figures(book: &Rulebook) {
    println!("rules\t{}", book.version());
    for (name, corpus) in CORPORA {
        let (count, score) = (lines(corpus).count(), Score::of(book, lines(corpus)));
        let (precision, recall) = (score.precision(), score.recall());
        let alarms = score.false_alarm_rate();
        println!("corpus\t{name}\t{count}\t{precision:.3}\t{recall:.3}\t{alarms:.3}");
    }
    for (name, piece) in ADVERSARIAL {
        let [small, large] =
            [1_000, 10_000].map(|bytes| time(book, &piece.repeat(bytes / piece.len())));
        let (small, large) = (small.as_secs_f64() * 1e6, large.as_secs_f64() * 1e6);
        println!("hostile\t{name}\t{small:.1}\t{large:.1}");
    }
}

fn print_table(book: &Rulebook, name: &str, corpus: &str) {
    println!("| {name} | precision | recall | false alarms |");
    println!("|---|---|---|---|");
    let row = |name: &str, score: &Score| {
        let (precision, recall) = (score.precision(), score.recall());
        println!("| {name} | {precision:.3} | {recall:.3} | {:.3} |", score.false_alarm_rate());
    };
    for category in Category::ALL {
        let own = lines(corpus).filter(|line| line.category == category);
        row(category.name(), &Score::of(book, own));
    }
    for kind in ["en", "de", "es", "fr", "ru", "vi", "zh", "obfuscated"] {
        row(kind, &Score::of(book, lines(corpus).filter(|line| line.kind == kind)));
    }
    let all = Score::of(book, lines(corpus));
    row("all", &all);
    for text in all.overlooked.iter().filter(|_| name != "paraphrased") {
        println!("overlooked: {text}");
    }
    for text in &all.false_alarms {
        println!("refused wrongly: {text}");
    }
    println!();
}

/// The median of many scans.
fn time(book: &Rulebook, text: &str) -> Duration {
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let started = Instant::now();
            black_box(book.scan(black_box(text)));
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.get(50).copied().unwrap_or_default()
}
