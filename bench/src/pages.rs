//! The cost of a web page, in a short debate and in one a hundred times as long.

use anyhow::Context;

use crate::client::Request;
use crate::debates;
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::DatabaseLocation;
use crate::stats::{Better, Rounds};

/// Fewer than the server's read connections, so that no page waits for another.
const CONNECTIONS: usize = 2;

/// The number of arguments of the short debate (one page) and of the long debate.
const SHORT: usize = 100;
const LONG: usize = 10_000;

/// One page, of the short debate and of the long debate.
struct Pair {
    what: &'static str,
    short: (Request, Series),
    long: (Request, Series),
}

impl Pair {
    fn new(what: &'static str, short: String, long: String) -> Self {
        let exchange_with = |path| (Request::get(path), Series::default());
        Self { what, short: exchange_with(short), long: exchange_with(long) }
    }

    fn growth(&self) -> Rounds {
        self.long.1.cpu_micros.ratio_to(&self.short.1.cpu_micros)
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = plan.binary.start(DatabaseLocation::New, &[])?;
    let mut opened = debates::open(&server, 2).await?;
    let short = vec![opened.pop().context("two were opened")?];
    let short = debates::claim_rounds(&server, short, SHORT).await?;
    let long = debates::claim_rounds(&server, opened, LONG).await?;
    let (short, long) =
        (short.first().context("one debate is open")?.id, long.first().context("one")?.id);
    let mut pairs = [
        Pair::new("the newest page", format!("/arena/{short}"), format!("/arena/{long}")),
        Pair::new(
            "a page of the middle",
            format!("/arena/{short}?at={}", SHORT / 2),
            format!("/arena/{long}?at={}", LONG / 2),
        ),
        Pair::new(
            "what is new",
            format!("/arena/{short}/entries?after={SHORT}"),
            format!("/arena/{long}/entries?after={LONG}"),
        ),
    ];
    for _ in plan.load_rounds(Part::Pages) {
        for pair in &mut pairs {
            for (request, series) in [&mut pair.short, &mut pair.long] {
                let scripts = Repeat::for_connections(CONNECTIONS, request);
                series.push(&load::run(&server, scripts, plan.scale.span).await?.0);
            }
        }
    }
    server.stop()?;
    report.bars.extend(pairs.iter().map(bar));
    report.add(table(&pairs));
    Ok(())
}

fn bar(pair: &Pair) -> Bar {
    let what = format!("CPU of {}, {LONG} arguments : {SHORT}", pair.what);
    Bar::new(what, Bound::AtMost(1.5), &pair.growth())
}

fn table(pairs: &[Pair]) -> Section {
    let row = |pair: &Pair| {
        let (short, long) = (&pair.short.1, &pair.long.1);
        vec![
            Cell::text(pair.what.to_owned()),
            Cell::spread(&short.cpu_micros, Better::Lower),
            Cell::spread(&long.cpu_micros, Better::Lower),
            Cell::spread(&pair.growth(), Better::Lower),
            Cell::median(&short.p50_ms),
            Cell::median(&long.p50_ms),
        ]
    };
    Section {
        title: "Pages",
        notes: vec![format!(
            "A debate's page shows fifty arguments, here of 1 KB each, rendered and cleaned. The \
             short debate has {SHORT} of them, the long one {LONG}."
        )],
        columns: &[
            "",
            "short, CPU µs each",
            "long, CPU µs each",
            "long : short",
            "short, p50 ms",
            "long, p50 ms",
        ],
        rows: pairs.iter().map(row).collect(),
    }
}
