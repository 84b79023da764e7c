//! Claims per second and CPU per claim of two servers that are measured in turn.

use crate::claims::{Arena, CONNECTIONS_OF_BARS};
use crate::load::{LoadResult, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Binary, DatabaseLocation};
use crate::stats::{Better, Rounds};

/// Pairs of measurements in each round. The difference between the servers is smaller than
/// the variation between measurements.
const PAIRS: usize = 4;

/// A server that is compared: its binary and its environment.
#[derive(Clone, Copy)]
pub(crate) struct Variant<'v> {
    pub(crate) binary: &'v Binary,
    pub(crate) environment: &'v [(&'v str, &'v str)],
    /// Whether the debates have seats.
    pub(crate) has_seats: bool,
}

impl Variant<'_> {
    async fn start(&self) -> anyhow::Result<Arena> {
        if self.has_seats {
            return Arena::start_with_seats(self.binary, self.environment).await;
        }
        Arena::start_in(self.binary, DatabaseLocation::New, self.environment).await
    }
}

#[derive(Default)]
pub(crate) struct Comparison {
    pub(crate) base: Series,
    pub(crate) other: Series,
    /// Claims per second, other : base, pair by pair.
    pub(crate) claims: Rounds,
}

/// Measures both variants alternately on new databases.
pub(crate) async fn compare(
    plan: &Plan,
    part: Part,
    base: Variant<'_>,
    other: Variant<'_>,
) -> anyhow::Result<Comparison> {
    let mut comparison = Comparison::default();
    for _ in plan.load_rounds(part) {
        let mut base_arena = base.start().await?;
        let mut other_arena = other.start().await?;
        for pair in 0..PAIRS {
            // The variant that is measured first alternates.
            let (base, other) = if pair % 2 == 0 {
                let base = claim(&mut base_arena, plan).await?;
                (base, claim(&mut other_arena, plan).await?)
            } else {
                let other = claim(&mut other_arena, plan).await?;
                (claim(&mut base_arena, plan).await?, other)
            };
            comparison.claims.push(other.per_second() / base.per_second());
            comparison.base.push(&base);
            comparison.other.push(&other);
        }
        base_arena.server.stop()?;
        other_arena.server.stop()?;
    }
    Ok(comparison)
}

async fn claim(arena: &mut Arena, plan: &Plan) -> anyhow::Result<LoadResult> {
    Ok(arena.claim(CONNECTIONS_OF_BARS, plan.scale.span).await?.0)
}

impl Comparison {
    /// A table with a row for each variant.
    pub(crate) fn table(&self, title: &'static str, note: &str, names: [&str; 2]) -> Section {
        let row = |name: &str, claims: &Series| {
            vec![
                Cell::text(name),
                Cell::spread(&claims.per_second, Better::Higher),
                Cell::median(&claims.p99_ms),
                Cell::median(&claims.cpu_micros),
            ]
        };
        let [base, other] = names;
        Section {
            title,
            notes: vec![format!("{CONNECTIONS_OF_BARS} connections. {note}")],
            columns: &["", "claims/s", "p99 ms", "CPU µs each"],
            rows: vec![row(base, &self.base), row(other, &self.other)],
        }
    }
}

/// Compares the measured binary with the one that `--against` names.
pub(crate) async fn measure_against(
    plan: &Plan,
    base: &Binary,
    report: &mut Report,
) -> anyhow::Result<()> {
    let base = Variant { binary: base, environment: &[], has_seats: false };
    let other = Variant { binary: &plan.binary, environment: &[], has_seats: false };
    let comparison = compare(plan, Part::Against, base, other).await?;
    let note = "Both binaries are measured in turn.";
    report.add(comparison.table("Claims of two binaries", note, ["--against", "--aw"]));
    let what = format!("claims/s at {CONNECTIONS_OF_BARS} connections, --aw : --against");
    report.bars.push(Bar::new(what, Bound::AtLeast(0.95), &comparison.claims));
    let cpu = comparison.other.cpu_micros.ratio_to(&comparison.base.cpu_micros);
    report.bars.push(Bar::new(
        "CPU per claim, --aw : --against".to_owned(),
        Bound::AtMost(1.05),
        &cpu,
    ));
    Ok(())
}
