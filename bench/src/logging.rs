//! Claims per second at the default log level compared with `AW_LOG=warn`.

use crate::claims::CONNECTIONS_OF_BARS;
use crate::paired::{Variant, compare};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Report};

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let warn =
        Variant { binary: &plan.binary, environment: &[("AW_LOG", "warn")], has_seats: false };
    let info =
        Variant { binary: &plan.binary, environment: &[("AW_LOG", "info")], has_seats: false };
    let comparison = compare(plan, Part::Logging, warn, info).await?;
    let note = "At the default level rulings, interventions and deletions are logged with their \
                actor; claims are not.";
    let names = ["warn", "info, the default"];
    report.add(comparison.table("Claims and the log", note, names));
    report.bars.push(Bar::new(
        format!("claims/s at {CONNECTIONS_OF_BARS} connections, default log level : AW_LOG=warn"),
        Bound::AtLeast(0.97),
        &comparison.claims,
    ));
    Ok(())
}
