//! Claims per second in debates with seats compared with open debates.

use crate::claims::CONNECTIONS_OF_BARS;
use crate::paired::{Variant, compare};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Report};

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let open = Variant { binary: &plan.binary, environment: &[], has_seats: false };
    let comparison = compare(plan, Part::Seats, open, Variant { has_seats: true, ..open }).await?;
    let note = "A claim in a debate with seats carries the token of its seat.";
    report.add(comparison.table("Claims and seats", note, ["open debates", "with seats"]));
    report.bars.push(Bar::new(
        format!("claims/s at {CONNECTIONS_OF_BARS} connections, with seats : open"),
        Bound::AtLeast(0.95),
        &comparison.claims,
    ));
    Ok(())
}
