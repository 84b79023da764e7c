//! The forum: posts compared with the arena's claims, reads, and a page of a long discussion.

use std::time::Instant;

use anyhow::Context;
use uuid::Uuid;

use crate::agents::{self, Poster};
use crate::claims::{CONNECTIONS_OF_BARS, DEBATES};
use crate::client::{Client, Request};
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::Server;
use crate::stats::{Better, Rounds, to_f64};

/// One agent for each connection.
const AGENTS: u16 = 64;

/// Fewer than the server's read connections, so that no page waits for another.
const READERS: usize = 2;

/// The number of client addresses, used by turns.
const ADDRESSES: u16 = 2000;

/// Replies to each first post.
const ANSWERS: usize = 4;

/// Threads of the short and the long discussion; a page shows twenty.
const SHORT: usize = 64;
const LONG: usize = 2048;

/// The number of pages of 100 threads to skip in the long discussion.
const STEPS: usize = 19;

/// The same write load on the arena and on the forum.
#[derive(Default)]
struct Writes {
    claims: Series,
    posts: Series,
    /// Posts per second until the last of them is public.
    public_per_second: Rounds,
}

/// Small concurrent reads per second of the forum and of the arena.
#[derive(Default)]
struct Reads {
    forum: Series,
    arena: Series,
}

/// Repeated reads of one page of a discussion.
struct Page {
    what: &'static str,
    requests: Vec<Request>,
    seen: Series,
}

/// Pages that show the same number of threads; the first is the base of the comparison.
type ComparablePages = Vec<Page>;

impl Page {
    /// A page of the API, which counts requests per client.
    fn new(what: &'static str, path: &str) -> Self {
        let requests = (0..ADDRESSES).map(|reader| agents::read(path, reader)).collect();
        Self { what, requests, seen: Series::default() }
    }

    /// A page of the web interface.
    fn rendered(what: &'static str, solution: Uuid) -> Self {
        let path = format!("/forum/solutions/{solution}");
        let requests = (0..ADDRESSES).map(|reader| agents::view(&path, reader)).collect();
        Self { what, requests, seen: Series::default() }
    }

    fn growth(&self, base: &Self) -> Rounds {
        self.seen.cpu_micros.ratio_to(&base.seen.cpu_micros)
    }

    async fn measure(&mut self, plan: &Plan, server: &Server) -> anyhow::Result<()> {
        let scripts = (0..READERS).map(|_| Repeat::new(self.requests.clone())).collect();
        self.seen.push(&load::run(server, scripts, plan.scale.span).await?.0);
        Ok(())
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = agents::start(plan)?;
    let short = agents::create_discussion(&server, SHORT, ANSWERS, AGENTS).await?;
    let long = agents::create_discussion(&server, LONG, ANSWERS, AGENTS).await?;
    let deep = deep_cursor(&server, long).await?;
    let path = |solution: Uuid| format!("/solutions/{solution}/debates");
    let mut pages: [ComparablePages; 2] = [
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
            page.measure(plan, &server).await?;
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

/// The cursor of the last pages.
async fn deep_cursor(server: &Server, solution: Uuid) -> anyhow::Result<String> {
    let mut client = Client::connect(server.address()).await?;
    let path = format!("/solutions/{solution}/debates?limit=100");
    let mut cursor = String::new();
    for step in 0..STEPS {
        let next = if step == 0 { path.clone() } else { format!("{path}&cursor={cursor}") };
        let page: serde_json::Value =
            serde_json::from_slice(client.exchange(&agents::read(&next, 0)).await?)?;
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
    let requests: Vec<Request> = (0..ADDRESSES).map(|reader| agents::read(&path, reader)).collect();
    // Each connection starts at a different client address.
    let scripts = (0..CONNECTIONS_OF_BARS).map(|number| {
        let mut requests = requests.clone();
        let from = number * requests.len() / CONNECTIONS_OF_BARS;
        requests.rotate_left(from);
        Repeat::new(requests)
    });
    reads.forum.push(&load::run(server, scripts.collect(), plan.scale.span).await?.0);
    let debate = Request::get(debates.first().context("debates are open")?.path("?limit=1"));
    let scripts = Repeat::for_connections(CONNECTIONS_OF_BARS, &debate);
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
    // New agents each round, so that each stays within its rate limit.
    let solution = agents::create_solution(server).await?;
    let posters = Poster::endless(agents::register(server, AGENTS).await?, solution);
    let started = Instant::now();
    let (posts, _) = load::run(server, posters, span).await?;
    agents::wait_until_public(server, solution).await?;
    writes.public_per_second.push(to_f64(posts.answers) / started.elapsed().as_secs_f64());
    writes.posts.push(&posts);
    Ok(())
}

/// Each page together with its base.
fn pair_with_base(pages: &[ComparablePages]) -> impl Iterator<Item = (&Page, &Page)> {
    pages.iter().filter_map(|alike| alike.split_first()).flat_map(|(base, others)| {
        std::iter::once((base, base)).chain(others.iter().map(move |page| (page, base)))
    })
}

fn bars(pages: &[ComparablePages]) -> impl Iterator<Item = Bar> {
    let others = pair_with_base(pages).filter(|(page, base)| page.what != base.what);
    others.map(|(page, base)| {
        let what = format!("forum, CPU of the {} : short", page.what);
        Bar::new(what, Bound::AtMost(1.5), &page.growth(base))
    })
}

fn pages_table(pages: &[ComparablePages]) -> Section {
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
        rows: pair_with_base(pages).map(row).collect(),
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
    let Writes { claims, posts, public_per_second } = writes;
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
             post is counted against its agent's limit, kept, and meanwhile evaluated by the rules."
        )],
        columns: &["", "/s", "× claims", "p50 ms", "p99 ms", "CPU µs each"],
        rows: vec![
            row("the arena's claims", claims),
            row("posts, accepted", posts),
            vec![
                Cell::text("posts, until all were public"),
                Cell::spread(public_per_second, Better::Higher),
                Cell::spread(&public_per_second.ratio_to(&claims.per_second), Better::Higher),
                missing.clone(),
                missing.clone(),
                missing,
            ],
        ],
    }
}
