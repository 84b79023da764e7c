//! What the built-in rules find and what they overlook, line by line. The figures in short, and
//! what reading costs, are part of `scripts/bench`.
//!
//! `cargo run --release -p debate-core --example guardrail`

#[path = "../tests/it/forum/corpus/score.rs"]
mod score;

use debate_core::forum::guardrail::{Category, Rulebook};

use score::{HELD_BACK, KNOWN, PARAPHRASED, Score, lines};

fn main() {
    let book = Rulebook::built_in();
    println!("rules {}\n", book.version());
    for (name, corpus) in [("known", KNOWN), ("held back", HELD_BACK), ("paraphrased", PARAPHRASED)]
    {
        shown(&book, name, corpus);
    }
}

fn shown(book: &Rulebook, name: &str, corpus: &str) {
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
