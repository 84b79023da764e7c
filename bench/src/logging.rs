//! Claims a second at the default log level against claims a second where only warnings are logged.

use std::time::Duration;

use crate::claims::{Arena, CONNECTIONS_OF_BARS};
use crate::load::Series;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::Place;
use crate::stats::{Better, Rounds};

/// How often the two are measured in turn in each round: what is compared differs by less than one
/// measurement differs from the next.
const PAIRS: usize = 4;

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let (mut quiet, mut usual, mut ratios) =
        (Series::default(), Series::default(), Rounds::default());
    for _ in plan.load_rounds(Part::Logging) {
        let mut at_warn = Arena::start_in(plan, Place::New, &[("AW_LOG", "warn")]).await?;
        let mut at_info = Arena::start_in(plan, Place::New, &[("AW_LOG", "info")]).await?;
        for pair in 0..PAIRS {
            // In turns, so that neither always comes first.
            let (warn, info) = if pair % 2 == 0 {
                let warn = claim(&mut at_warn, plan.scale.span).await?;
                (warn, claim(&mut at_info, plan.scale.span).await?)
            } else {
                let info = claim(&mut at_info, plan.scale.span).await?;
                (claim(&mut at_warn, plan.scale.span).await?, info)
            };
            ratios.push(info.per_second() / warn.per_second());
            quiet.push(&warn);
            usual.push(&info);
        }
        at_warn.server.stop()?;
        at_info.server.stop()?;
    }
    report.add(table(&quiet, &usual));
    report.bars.push(Bar::new(
        format!("claims/s at {CONNECTIONS_OF_BARS} connections, default log level : AW_LOG=warn"),
        Bound::AtLeast(0.97),
        &ratios,
    ));
    Ok(())
}

async fn claim(arena: &mut Arena, span: Duration) -> anyhow::Result<crate::load::Tally> {
    Ok(arena.claim(CONNECTIONS_OF_BARS, span).await?.0)
}

fn table(quiet: &Series, usual: &Series) -> Section {
    let row = |name: &str, claims: &Series| {
        vec![
            Cell::text(name),
            Cell::spread(&claims.per_second, Better::Higher),
            Cell::median(&claims.p99_ms),
            Cell::median(&claims.cpu_micros),
        ]
    };
    Section {
        title: "Claims and the log",
        notes: vec![format!(
            "{CONNECTIONS_OF_BARS} connections. At the default level rulings, interventions and \
             deletions are logged with their actor; claims are not."
        )],
        columns: &["log level", "claims/s", "p99 ms", "CPU µs each"],
        rows: vec![row("warn", quiet), row("info, the default", usual)],
    }
}
