//! What a claim and a list cost when there are a thousand times as many debates.

use crate::client::Ask;
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Place, Server};
use crate::stats::{Better, Rounds};
use crate::stock::{self, Which};

const CLAIMING_CONNECTIONS: usize = 64;

/// Fewer than the server's readers, so that no page waits for another.
const LISTING_CONNECTIONS: usize = 2;

const FIRST_PAGE: &str = "/debates";
const FILTERED_PAGE: &str = "/debates?state=AWAITING_PROPOSER";

/// One database, and what its server was seen to do.
struct Library {
    server: Server,
    debates: Vec<Debate>,
    claims: Series,
    first_page: Series,
    filtered_page: Series,
}

impl Library {
    async fn open(plan: &Plan, folder: &std::path::Path, which: Which) -> anyhow::Result<Self> {
        let path = folder.join(match which {
            Which::Active => "few.db",
            Which::All => "many.db",
        });
        let (total, made) = (plan.scale.debates_many, path.clone());
        tokio::task::spawn_blocking(move || stock::make(&made, total, which)).await??;
        let server = plan.binary.start(Place::File(&path), &[])?;
        // Every active debate once, so that both servers have them in their caches.
        let debates = debates::carry_on(&server, stock::active(total), 2).await?;
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
            let scripts = Repeat::on(LISTING_CONNECTIONS, &Ask::get(path));
            series.push(&load::run(&self.server, scripts, plan.scale.span).await?.0);
        }
        Ok(())
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    eprintln!("Growth, making the databases");
    let folder = plan.binary.folder()?;
    let mut few = Library::open(plan, folder.path(), Which::Active).await?;
    let mut many = Library::open(plan, folder.path(), Which::All).await?;
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

/// How a cost grew: of the processor, which is what the machine's other work disturbs least.
fn growth(few: &Series, many: &Series) -> Rounds {
    many.cpu_micros.ratio_to(&few.cpu_micros)
}

fn table(plan: &Plan, few: &Library, many: &Library) -> Section {
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
            stock::ACTIVE,
            plan.scale.debates_many,
            stock::ACTIVE
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

fn bars(few: &Library, many: &Library) -> [Bar; 3] {
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
