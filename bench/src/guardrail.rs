//! The errors of the guardrail rules and the cost of scanning a text, as reported by an example
//! program of the core, since this program uses no crate of the server.

use std::process::Command;

use anyhow::{Context, ensure};

use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::stats::{Better, Rounds};

/// One hostile text in two sizes.
struct HostileText {
    what: String,
    small_micros: Rounds,
    large_micros: Rounds,
}

impl HostileText {
    fn growth(&self) -> Rounds {
        self.large_micros.ratio_to(&self.small_micros)
    }
}

pub(crate) fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut hostile: Vec<HostileText> = Vec::new();
    let mut output = String::new();
    for _ in plan.load_rounds(Part::Guardrail) {
        output = run_example(plan)?;
        for (what, [small, large]) in rows(&output, "hostile")? {
            if hostile.iter().all(|text| text.what != what) {
                let (small_micros, large_micros) = <(Rounds, Rounds)>::default();
                hostile.push(HostileText { what: what.to_owned(), small_micros, large_micros });
            }
            for text in hostile.iter_mut().filter(|text| text.what == what) {
                text.small_micros.push(small.parse()?);
                text.large_micros.push(large.parse()?);
            }
        }
    }
    report.add(corpora_table(&output)?);
    report.bars.extend(hostile.iter().map(|text| {
        let what = format!("rules, time for {}, 10 KB : 1 KB", text.what);
        Bar::new(what, Bound::AtMost(20.0), &text.growth())
    }));
    report.add(hostile_table(&hostile));
    Ok(())
}

/// The output of the example program: lines of fields separated by tabs.
fn run_example(plan: &Plan) -> anyhow::Result<String> {
    let rules = plan.rules.as_ref().context("--rules names the program that has the rules")?;
    let output = Command::new(rules).arg("figures").output()?;
    ensure!(output.status.success(), "{} ended with {}", rules.display(), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// The lines of one kind: a name and its values.
fn rows<'t, const N: usize>(
    output: &'t str,
    kind: &str,
) -> anyhow::Result<Vec<(&'t str, [&'t str; N])>> {
    let of_kind = output.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix('\t'));
    let row = |line: &'t str| {
        let mut fields = line.split('\t');
        let name = fields.next().context("a line without a name")?;
        let values: Vec<_> = fields.collect();
        let values =
            values.try_into().map_err(|_| anyhow::anyhow!("wrong number of fields: {line}"))?;
        Ok((name, values))
    };
    let rows: Vec<_> = of_kind.map(row).collect::<anyhow::Result<_>>()?;
    ensure!(!rows.is_empty(), "no lines of kind {kind}");
    Ok(rows)
}

fn corpora_table(output: &str) -> anyhow::Result<Section> {
    let row = |(name, values): (&str, [&str; 4])| {
        [name].into_iter().chain(values).map(Cell::text).collect::<Vec<_>>()
    };
    let version = rows::<0>(output, "rules")?.first().map_or("", |(version, _)| version).to_owned();
    Ok(Section {
        title: "The guardrails' rules",
        notes: vec![format!(
            "Rules {version}. One author wrote both rules and lines, which flatters the first \
             two; the last avoid every telling word, which is what the second layer is for. Line \
             by line: cargo run --release -p debate-core --example guardrail"
        )],
        columns: &["lines", "count", "precision", "recall", "false alarms"],
        rows: rows(output, "corpus")?.into_iter().map(row).collect(),
    })
}

fn hostile_table(hostile: &[HostileText]) -> Section {
    let row = |text: &HostileText| {
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
    fn rows_of_one_kind_are_parsed_and_must_be_complete() {
        let output = "rules\t1-ab\nhostile\tmarks\t1.5\t15.0\nhostile\tletters\t2.0\t19.0\n";
        let hostile = rows(output, "hostile").unwrap();
        assert_eq!(hostile, [("marks", ["1.5", "15.0"]), ("letters", ["2.0", "19.0"])]);
        assert_eq!(rows(output, "rules").unwrap(), [("1-ab", [])]);
        assert!(rows::<3>(output, "hostile").is_err(), "a field is missing");
        assert!(rows::<4>(output, "corpus").is_err(), "no such lines");
    }
}
