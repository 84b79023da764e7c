//! The cost of a claim and of a list with a thousand times as many debates.

use crate::client::Request;
use crate::dataset::{self, DebateSet};
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{DatabaseLocation, Server};
use crate::stats::{Better, Rounds};

const CLAIMING_CONNECTIONS: usize = 64;

/// Fewer than the server's read connections, so that no page waits for another.
const LISTING_CONNECTIONS: usize = 2;

const FIRST_PAGE: &str = "/debates";
const FILTERED_PAGE: &str = "/debates?state=AWAITING_PROPOSER";

/// One database and the measurements of its server.
struct DatabaseMeasurement {
    server: Server,
    debates: Vec<Debate>,
    claims: Series,
    first_page: Series,
    filtered_page: Series,
}

impl DatabaseMeasurement {
    async fn open(plan: &Plan, folder: &std::path::Path, set: DebateSet) -> anyhow::Result<Self> {
        let path = folder.join(match set {
            DebateSet::Active => "few.db",
            DebateSet::All => "many.db",
        });
        let (total, made) = (plan.scale.debates_many, path.clone());
        tokio::task::spawn_blocking(move || dataset::make(&made, total, set)).await??;
        let server = plan.binary.start(DatabaseLocation::File(&path), &[])?;
        // Claims in every active debate, so that both servers have them in their caches.
        let debates = debates::claim_rounds(&server, dataset::active(total), 2).await?;
        Ok(Self {
            server,
            debates,
            claims: Series::default(),
            first_page: Series::default(),
            filtered_page: Series::default(),
        })
    }

    async fn claim(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let Self { server, debates, claims, .. } = self;
        let (connections, span) = (CLAIMING_CONNECTIONS, plan.scale.span);
        claims.push(&debates::claim(server, debates, connections, span).await?);
        Ok(())
    }

    async fn list(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let pages = [(FIRST_PAGE, &mut self.first_page), (FILTERED_PAGE, &mut self.filtered_page)];
        for (path, series) in pages {
            let scripts = Repeat::for_connections(LISTING_CONNECTIONS, &Request::get(path));
            series.push(&load::run(&self.server, scripts, plan.scale.span).await?.0);
        }
        Ok(())
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    eprintln!("Growth, making the databases");
    let folder = plan.binary.create_dir()?;
    let mut few = DatabaseMeasurement::open(plan, folder.path(), DebateSet::Active).await?;
    let mut many = DatabaseMeasurement::open(plan, folder.path(), DebateSet::All).await?;
    for _ in plan.load_rounds(Part::Growth) {
        few.claim(plan).await?;
        many.claim(plan).await?;
        few.list(plan).await?;
        many.list(plan).await?;
    }
    report.bars.extend(bars(&few, &many));
    report.add(table(plan, &few, &many));
    few.server.stop()?;
    many.server.stop()
}

/// The growth of the CPU cost, which other work on the machine disturbs least.
fn growth(few: &Series, many: &Series) -> Rounds {
    many.cpu_micros.ratio_to(&few.cpu_micros)
}

fn table(plan: &Plan, few: &DatabaseMeasurement, many: &DatabaseMeasurement) -> Section {
    let row = |what: String, few: &Series, many: &Series| {
        vec![
            Cell::text(what),
            Cell::spread(&few.cpu_micros, Better::Lower),
            Cell::spread(&many.cpu_micros, Better::Lower),
            Cell::spread(&growth(few, many), Better::Lower),
            Cell::median(&few.p50_ms),
            Cell::median(&many.p50_ms),
            Cell::median(&few.per_second),
            Cell::median(&many.per_second),
        ]
    };
    Section {
        title: "Growth",
        notes: vec![format!(
            "\"Few\" is {} debates, \"many\" is {}. Claims are made in the same {} debates of \
             each, spread evenly over the ids.",
            dataset::ACTIVE,
            plan.scale.debates_many,
            dataset::ACTIVE
        )],
        columns: &[
            "",
            "few, CPU µs each",
            "many, CPU µs each",
            "many : few",
            "few, p50 ms",
            "many, p50 ms",
            "few /s",
            "many /s",
        ],
        rows: vec![
            row(format!("claims, {CLAIMING_CONNECTIONS} connections"), &few.claims, &many.claims),
            row(format!("GET {FIRST_PAGE}"), &few.first_page, &many.first_page),
            row(format!("GET {FILTERED_PAGE}"), &few.filtered_page, &many.filtered_page),
        ],
    }
}

fn bars(few: &DatabaseMeasurement, many: &DatabaseMeasurement) -> [Bar; 3] {
    let bar = |what: &str, most: f64, few: &Series, many: &Series| {
        let what = format!("CPU of {what}, a million debates : a thousand");
        Bar::new(what, Bound::AtMost(most), &growth(few, many))
    };
    [
        bar("a claim", 1.3, &few.claims, &many.claims),
        bar("the first page", 1.5, &few.first_page, &many.first_page),
        bar("a page of one state", 1.5, &few.filtered_page, &many.filtered_page),
    ]
}
