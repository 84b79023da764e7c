//! What the forum does: posts beside the arena's claims, and a page of a long discussion.

use std::time::Instant;

use anyhow::Context;
use uuid::Uuid;

use crate::agents::{self, Poster};
use crate::claims::{CONNECTIONS_OF_BARS, DEBATES};
use crate::client::{Ask, Client};
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::Server;
use crate::stats::{Better, Rounds, real};

/// As many agents as there are connections.
const AGENTS: u16 = 64;

/// Fewer than the server's readers, so that no page waits for another.
const READERS: usize = 2;

/// From so many addresses, by turns.
const ADDRESSES: u16 = 2000;

/// How many answers each first post has.
const ANSWERS: usize = 4;

/// How many threads the discussions have; a page shows twenty.
const SHORT: usize = 64;
const LONG: usize = 2048;

/// How often the long discussion's cursor is followed, a hundred threads at a time.
const STEPS: usize = 19;

/// The same load, of one agent after the other.
#[derive(Default)]
struct Writes {
    claims: Series,
    posts: Series,
    /// Posts a second until the last of them could be seen by everyone.
    examined_per_second: Rounds,
}

/// Small reads at once: how many a second the forum answers, beside the arena.
#[derive(Default)]
struct Reads {
    forum: Series,
    arena: Series,
}

/// A page of a discussion, over and over.
struct Page {
    what: &'static str,
    asks: Vec<Ask>,
    seen: Series,
}

/// Pages that show as much as one another; the first is what the others are held against.
type Alike = Vec<Page>;

impl Page {
    /// From the API, which counts who asks.
    fn new(what: &'static str, path: &str) -> Self {
        let asks = (0..ADDRESSES).map(|reader| agents::read(path, reader)).collect();
        Self { what, asks, seen: Series::default() }
    }

    /// For a person.
    fn rendered(what: &'static str, solution: Uuid) -> Self {
        let path = format!("/forum/solutions/{solution}");
        let asks = (0..ADDRESSES).map(|reader| agents::view(&path, reader)).collect();
        Self { what, asks, seen: Series::default() }
    }

    fn growth(&self, base: &Self) -> Rounds {
        self.seen.cpu_micros.ratio_to(&base.seen.cpu_micros)
    }

    async fn look(&mut self, plan: &Plan, server: &Server) -> anyhow::Result<()> {
        let scripts = (0..READERS).map(|_| Repeat::of(self.asks.clone())).collect();
        self.seen.push(&load::run(server, scripts, plan.scale.span).await?.0);
        Ok(())
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = agents::start(plan)?;
    let short = agents::discuss(&server, SHORT, ANSWERS, AGENTS).await?;
    let long = agents::discuss(&server, LONG, ANSWERS, AGENTS).await?;
    let deep = deep_cursor(&server, long).await?;
    let path = |solution: Uuid| format!("/solutions/{solution}/debates");
    let mut pages: [Alike; 2] = [
        vec![
            Page::new("first page, short discussion", &path(short)),
            Page::new("first page, long discussion", &path(long)),
            Page::new("deep page, long discussion", &format!("{}?cursor={deep}", path(long))),
        ],
        vec![
            Page::rendered("page in the browser, short discussion", short),
            Page::rendered("page in the browser, long discussion", long),
        ],
    ];
    let (mut writes, mut reads) = (Writes::default(), Reads::default());
    let mut debates = debates::open(&server, DEBATES).await?;
    for _ in plan.load_rounds(Part::Forum) {
        for page in pages.iter_mut().flatten() {
            page.look(plan, &server).await?;
        }
        read(plan, &server, short, &debates, &mut reads).await?;
        write(plan, &server, &mut debates, &mut writes).await?;
    }
    server.stop()?;
    report.bars.extend(bars(&pages));
    report.add(pages_table(&pages));
    report.add(reads_table(&reads));
    report.add(writes_table(&writes));
    Ok(())
}

/// Where the last pages begin.
async fn deep_cursor(server: &Server, solution: Uuid) -> anyhow::Result<String> {
    let mut client = Client::connect(server.address()).await?;
    let path = format!("/solutions/{solution}/debates?limit=100");
    let mut cursor = String::new();
    for step in 0..STEPS {
        let next = if step == 0 { path.clone() } else { format!("{path}&cursor={cursor}") };
        let page: serde_json::Value =
            serde_json::from_slice(client.ask(&agents::read(&next, 0)).await?)?;
        let next = page.pointer("/meta/nextCursor").and_then(|cursor| cursor.as_str());
        next.context("the discussion is shorter than it was made")?.clone_into(&mut cursor);
    }
    Ok(cursor)
}

async fn read(
    plan: &Plan,
    server: &Server,
    solution: Uuid,
    debates: &[Debate],
    reads: &mut Reads,
) -> anyhow::Result<()> {
    let path = format!("/solutions/{solution}");
    let asks: Vec<Ask> = (0..ADDRESSES).map(|reader| agents::read(&path, reader)).collect();
    // Each connection begins at an address of its own.
    let scripts = (0..CONNECTIONS_OF_BARS).map(|number| {
        let mut asks = asks.clone();
        let from = number * asks.len() / CONNECTIONS_OF_BARS;
        asks.rotate_left(from);
        Repeat::of(asks)
    });
    reads.forum.push(&load::run(server, scripts.collect(), plan.scale.span).await?.0);
    let debate = Ask::get(debates.first().context("debates are open")?.path("?limit=1"));
    let scripts = Repeat::on(CONNECTIONS_OF_BARS, &debate);
    reads.arena.push(&load::run(server, scripts, plan.scale.span).await?.0);
    Ok(())
}

async fn write(
    plan: &Plan,
    server: &Server,
    debates: &mut Vec<Debate>,
    writes: &mut Writes,
) -> anyhow::Result<()> {
    let span = plan.scale.span;
    let claims = debates::claim(server, debates, CONNECTIONS_OF_BARS, span).await?;
    writes.claims.push(&claims);
    // New agents each round, each well within its limit.
    let solution = agents::solution(server).await?;
    let posters = Poster::endless(agents::register(server, AGENTS).await?, solution);
    let started = Instant::now();
    let (posts, _) = load::run(server, posters, span).await?;
    agents::examined(server, solution).await?;
    writes.examined_per_second.push(real(posts.answers) / started.elapsed().as_secs_f64());
    writes.posts.push(&posts);
    Ok(())
}

/// Every page beside the one it is held against.
fn beside(pages: &[Alike]) -> impl Iterator<Item = (&Page, &Page)> {
    pages.iter().filter_map(|alike| alike.split_first()).flat_map(|(base, others)| {
        std::iter::once((base, base)).chain(others.iter().map(move |page| (page, base)))
    })
}

fn bars(pages: &[Alike]) -> impl Iterator<Item = Bar> {
    let others = beside(pages).filter(|(page, base)| page.what != base.what);
    others.map(|(page, base)| {
        let what = format!("forum, CPU of the {} : short", page.what);
        Bar::new(what, Bound::AtMost(1.5), &page.growth(base))
    })
}

fn pages_table(pages: &[Alike]) -> Section {
    let row = |(page, base): (&Page, &Page)| {
        vec![
            Cell::text(page.what),
            Cell::spread(&page.seen.cpu_micros, Better::Lower),
            Cell::spread(&page.growth(base), Better::Lower),
            Cell::median(&page.seen.p50_ms),
            Cell::median(&page.seen.p99_ms),
            Cell::median(&page.seen.per_second),
        ]
    };
    Section {
        title: "The forum's pages",
        notes: vec![format!(
            "A page is twenty threads of a first post and {ANSWERS} answers, 1 KB each. The short \
             discussion has {} posts, the long one {}. The API counts its readers' requests.",
            SHORT * (ANSWERS + 1),
            LONG * (ANSWERS + 1)
        )],
        columns: &["", "CPU µs each", "× short", "p50 ms", "p99 ms", "/s"],
        rows: beside(pages).map(row).collect(),
    }
}

fn reads_table(reads: &Reads) -> Section {
    let Reads { forum, arena } = reads;
    let row = |what: &str, series: &Series| {
        vec![
            Cell::text(what),
            Cell::spread(&series.per_second, Better::Higher),
            Cell::spread(&series.per_second.ratio_to(&arena.per_second), Better::Higher),
            Cell::median(&series.p50_ms),
            Cell::median(&series.p99_ms),
            Cell::median(&series.cpu_micros),
        ]
    };
    Section {
        title: "The forum's reads",
        notes: vec![format!(
            "{CONNECTIONS_OF_BARS} connections, {ADDRESSES} addresses without a key. Each request \
             to the forum counts in two rate windows."
        )],
        columns: &["", "GET/s", "× arena", "p50 ms", "p99 ms", "CPU µs each"],
        rows: vec![row("a debate of the arena", arena), row("a solution of the forum", forum)],
    }
}

fn writes_table(writes: &Writes) -> Section {
    let Writes { claims, posts, examined_per_second } = writes;
    let row = |what: &str, series: &Series| {
        vec![
            Cell::text(what),
            Cell::spread(&series.per_second, Better::Higher),
            Cell::spread(&series.per_second.ratio_to(&claims.per_second), Better::Higher),
            Cell::median(&series.p50_ms),
            Cell::median(&series.p99_ms),
            Cell::median(&series.cpu_micros),
        ]
    };
    let missing = Cell::text("");
    Section {
        title: "The forum's posts",
        notes: vec![format!(
            "By {AGENTS} agents on one solution, {CONNECTIONS_OF_BARS} connections, 1 KB each. A \
             post is counted against its agent's limit, kept, and meanwhile examined by the rules."
        )],
        columns: &["", "/s", "× claims", "p50 ms", "p99 ms", "CPU µs each"],
        rows: vec![
            row("the arena's claims", claims),
            row("posts, accepted", posts),
            vec![
                Cell::text("posts, until all were public"),
                Cell::spread(examined_per_second, Better::Higher),
                Cell::spread(&examined_per_second.ratio_to(&claims.per_second), Better::Higher),
                missing.clone(),
                missing.clone(),
                missing,
            ],
        ],
    }
}
