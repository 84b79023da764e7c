//! What the guardrails' rules find and overlook, and what reading a text costs: told by a program
//! that has them, since nothing of the server's own is used here.

use std::process::Command;

use anyhow::{Context, ensure};

use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::stats::{Better, Rounds};

/// One hostile text, in two sizes.
struct Hostile {
    what: String,
    small_micros: Rounds,
    large_micros: Rounds,
}

impl Hostile {
    fn growth(&self) -> Rounds {
        self.large_micros.ratio_to(&self.small_micros)
    }
}

pub(crate) fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut hostile: Vec<Hostile> = Vec::new();
    let mut told = String::new();
    for _ in plan.load_rounds(Part::Guardrail) {
        told = ask(plan)?;
        for (what, [small, large]) in rows(&told, "hostile")? {
            if hostile.iter().all(|text| text.what != what) {
                let (small_micros, large_micros) = <(Rounds, Rounds)>::default();
                hostile.push(Hostile { what: what.to_owned(), small_micros, large_micros });
            }
            for text in hostile.iter_mut().filter(|text| text.what == what) {
                text.small_micros.push(small.parse()?);
                text.large_micros.push(large.parse()?);
            }
        }
    }
    report.add(corpora_table(&told)?);
    report.bars.extend(hostile.iter().map(|text| {
        let what = format!("rules, time for {}, 10 KB : 1 KB", text.what);
        Bar::new(what, Bound::AtMost(20.0), &text.growth())
    }));
    report.add(hostile_table(&hostile));
    Ok(())
}

/// What the program says: lines of fields with tabs between them.
fn ask(plan: &Plan) -> anyhow::Result<String> {
    let rules = plan.rules.as_ref().context("--rules names the program that has the rules")?;
    let output = Command::new(rules).arg("figures").output()?;
    ensure!(output.status.success(), "{} ended with {}", rules.display(), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// The lines of one kind: a name, and what is said of it.
fn rows<'t, const N: usize>(
    told: &'t str,
    kind: &str,
) -> anyhow::Result<Vec<(&'t str, [&'t str; N])>> {
    let of_kind = told.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix('\t'));
    let row = |line: &'t str| {
        let mut fields = line.split('\t');
        let name = fields.next().context("a line without a name")?;
        let said: Vec<_> = fields.collect();
        let said = said.try_into().map_err(|_| anyhow::anyhow!("not as agreed: {line}"))?;
        Ok((name, said))
    };
    let rows: Vec<_> = of_kind.map(row).collect::<anyhow::Result<_>>()?;
    ensure!(!rows.is_empty(), "nothing was said of {kind}");
    Ok(rows)
}

fn corpora_table(told: &str) -> anyhow::Result<Section> {
    let row = |(name, said): (&str, [&str; 4])| {
        [name].into_iter().chain(said).map(Cell::text).collect::<Vec<_>>()
    };
    let version = rows::<0>(told, "rules")?.first().map_or("", |(version, _)| version).to_owned();
    Ok(Section {
        title: "The guardrails' rules",
        notes: vec![format!(
            "Rules {version}. One author wrote both rules and lines, which flatters the first \
             two; the last avoid every telling word, which is what the second layer is for. Line \
             by line: cargo run --release -p debate-core --example guardrail"
        )],
        columns: &["lines", "count", "precision", "recall", "false alarms"],
        rows: rows(told, "corpus")?.into_iter().map(row).collect(),
    })
}

fn hostile_table(hostile: &[Hostile]) -> Section {
    let row = |text: &Hostile| {
        vec![
            Cell::text(&text.what),
            Cell::spread(&text.small_micros, Better::Lower),
            Cell::spread(&text.large_micros, Better::Lower),
            Cell::spread(&text.growth(), Better::Lower),
        ]
    };
    Section {
        title: "Reading hostile texts",
        notes: Vec::new(),
        columns: &["", "1 KB, µs", "10 KB, µs", "10 KB : 1 KB"],
        rows: hostile.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_are_told_by_their_kind_and_must_be_whole() {
        let told = "rules\t1-ab\nhostile\tmarks\t1.5\t15.0\nhostile\tletters\t2.0\t19.0\n";
        let hostile = rows(told, "hostile").unwrap();
        assert_eq!(hostile, [("marks", ["1.5", "15.0"]), ("letters", ["2.0", "19.0"])]);
        assert_eq!(rows(told, "rules").unwrap(), [("1-ab", [])]);
        assert!(rows::<3>(told, "hostile").is_err(), "a field is missing");
        assert!(rows::<4>(told, "corpus").is_err(), "nothing was said");
    }
}
