//! The result of a run: one model, rendered as a Markdown page and as JSON.

use serde_json::{Map, Value, json};

use crate::machine::Machine;
use crate::stats::{Better, Rounds};

/// Everything that one run measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) sections: Vec<Section>,
    pub(crate) bars: Vec<Bar>,
}

/// One table with the notes that a reader needs.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) notes: Vec<String>,
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Text(String),
    Number(f64),
    /// The best round and the median round.
    Spread {
        best: f64,
        median: f64,
    },
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn spread(rounds: &Rounds, better: Better) -> Self {
        Self::Spread { best: rounds.best(better), median: rounds.median() }
    }

    pub(crate) fn median(rounds: &Rounds) -> Self {
        Self::Number(rounds.median())
    }

    fn markdown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => readable(*number),
            Self::Spread { best, median } => format!("{} / {}", readable(*best), readable(*median)),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(number) => json!(number),
            Self::Spread { best, median } => json!({"best": best, "median": median}),
        }
    }
}

/// The limit that a figure must meet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn is_met_by(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(least) => figure >= least,
            Self::AtMost(most) => figure <= most,
        }
    }

    const fn better(self) -> Better {
        match self {
            Self::AtLeast(_) => Better::Higher,
            Self::AtMost(_) => Better::Lower,
        }
    }

    fn markdown(self) -> String {
        match self {
            Self::AtLeast(least) => format!("≥ {least}"),
            Self::AtMost(most) => format!("≤ {most}"),
        }
    }
}

/// A performance target and whether this run met it. The median decides.
#[derive(Debug)]
pub(crate) struct Bar {
    what: String,
    bound: Bound,
    best: f64,
    median: f64,
}

impl Bar {
    pub(crate) fn new(what: impl Into<String>, bound: Bound, rounds: &Rounds) -> Self {
        let (best, median) = (rounds.best(bound.better()), rounds.median());
        Self { what: what.into(), bound, best, median }
    }

    fn verdict(&self) -> &'static str {
        match (self.median.is_nan(), self.bound.is_met_by(self.median)) {
            (true, _) => "not measured",
            (false, true) => "met",
            (false, false) => "not met",
        }
    }

    fn markdown(&self) -> String {
        let measured = Cell::Spread { best: self.best, median: self.median }.markdown();
        let Self { what, bound, .. } = self;
        format!("| {what} | {} | {measured} | {} |\n", bound.markdown(), self.verdict())
    }

    fn json(&self) -> Value {
        json!({
            "bar": self.what,
            "asked": self.bound.markdown(),
            "best": self.best,
            "median": self.median,
            "verdict": self.verdict(),
        })
    }
}

impl Section {
    fn markdown(&self) -> String {
        let mut page = format!("\n## {}\n\n", self.title);
        page += &line(self.columns.iter().map(|column| (*column).to_owned()));
        page += &line(self.columns.iter().map(|_| "---".to_owned()));
        for row in &self.rows {
            page += &line(row.iter().map(Cell::markdown));
        }
        for note in &self.notes {
            page.extend(["\n", note, "\n"]);
        }
        page
    }

    fn json(&self) -> Value {
        let row = |cells: &Vec<Cell>| -> Value {
            let named = self.columns.iter().zip(cells);
            Value::Object(named.map(|(name, cell)| ((*name).to_owned(), cell.json())).collect())
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"title": self.title, "notes": self.notes, "rows": rows})
    }
}

impl Report {
    pub(crate) fn add(&mut self, section: Section) {
        self.sections.push(section);
    }

    pub(crate) fn markdown(&self, machine: &Machine) -> String {
        let mut page = "# What the server does, and what the machine would allow\n\n".to_owned();
        page += &machine.sentence();
        page += "\n\nClient, server and database share this machine. Figures are best / median of \
                 the rounds, or the median alone; variants take turns within a round, and ratios \
                 are taken within one. CPU is the server's, all threads, user and system.\n";
        page += "\n## Bars\n\n| | asked | best / median | |\n| --- | --- | --- | --- |\n";
        for bar in &self.bars {
            page += &bar.markdown();
        }
        for section in &self.sections {
            page += &section.markdown();
        }
        page
    }

    pub(crate) fn json(&self, machine: &Machine) -> Value {
        let mut total_bytes = Map::new();
        total_bytes.insert("machine".to_owned(), machine.json());
        let bars: Vec<Value> = self.bars.iter().map(Bar::json).collect();
        total_bytes.insert("bars".to_owned(), json!(bars));
        let sections: Vec<Value> = self.sections.iter().map(Section::json).collect();
        total_bytes.insert("sections".to_owned(), json!(sections));
        Value::Object(total_bytes)
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Rounds to about three significant digits and groups thousands.
fn readable(number: f64) -> String {
    match number.abs() {
        _ if number.is_nan() => "–".to_owned(),
        size if size >= 99.95 => grouped(&format!("{number:.0}")),
        size if size >= 9.995 => format!("{number:.1}"),
        size if size >= 0.0995 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_number_has_about_three_significant_digits() {
        assert_eq!(readable(1_234_567.4), "1,234,567");
        assert_eq!(readable(12_345.6), "12,346");
        assert_eq!(readable(999.9), "1,000");
        assert_eq!(readable(99.96), "100");
        assert_eq!(readable(42.04), "42.0");
        assert_eq!(readable(4.204), "4.20");
        assert_eq!(readable(0.1534), "0.15");
        assert_eq!(readable(0.0123), "0.012");
        assert_eq!(readable(0.0), "0.000");
        assert_eq!(readable(-123.0), "-123");
        assert_eq!(readable(f64::NAN), "–");
    }

    #[test]
    fn bar_is_met_by_the_median() {
        let rounds: Rounds = [2.0, 5.0, 2.5].into_iter().collect();
        let verdict = |bound| Bar::new("claims", bound, &rounds).verdict();
        assert_eq!(verdict(Bound::AtLeast(3.0)), "not met");
        assert_eq!(verdict(Bound::AtLeast(2.5)), "met");
        assert_eq!(verdict(Bound::AtMost(2.5)), "met");
        assert_eq!(verdict(Bound::AtMost(2.4)), "not met");
    }

    #[test]
    fn bar_without_rounds_is_not_measured() {
        let bar = Bar::new("claims", Bound::AtMost(1.0), &Rounds::default());
        assert_eq!(bar.verdict(), "not measured");
        assert_eq!(bar.json().get("median"), Some(&Value::Null));
    }

    #[test]
    fn markdown_and_json_contain_the_same_rows() {
        let rounds: Rounds = [1.0, 3.0, 2.0].into_iter().collect();
        let section = Section {
            title: "Claims",
            notes: vec!["A note.".to_owned()],
            columns: &["connections", "claims/s"],
            rows: vec![vec![Cell::text("64"), Cell::spread(&rounds, Better::Higher)]],
        };
        assert_eq!(
            section.markdown(),
            "\n## Claims\n\n| connections | claims/s |\n| --- | --- |\n| 64 | 3.00 / 2.00 |\n\n\
             A note.\n"
        );
        let rows = json!([{"connections": "64", "claims/s": {"best": 3.0, "median": 2.0}}]);
        assert_eq!(section.json().get("rows"), Some(&rows));
    }
}
