//! Reads per second compared with an empty request.

use anyhow::Context;

use crate::client::{Client, Request};
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Cell, Report, Section};
use crate::server::DatabaseLocation;
use crate::stats::{Better, to_f64};

const CONNECTIONS: usize = 64;
const DEBATES: usize = 100;
const ARGUMENTS: usize = 20;

/// One kind of read over many debates.
struct ReadKind {
    name: &'static str,
    requests: Vec<Request>,
    answer_bytes: usize,
    series: Series,
}

impl ReadKind {
    fn new(name: &'static str, requests: Vec<Request>) -> Self {
        Self { name, requests, answer_bytes: 0, series: Series::default() }
    }

    /// Each connection starts at a different debate, so that they do not read
    /// the same one together.
    fn scripts(&self) -> Vec<Repeat> {
        let script = |connection: usize| {
            let mut requests = self.requests.clone();
            let from = connection % requests.len();
            requests.rotate_left(from);
            Repeat::new(requests)
        };
        (0..CONNECTIONS).map(script).collect()
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = plan.binary.start(DatabaseLocation::New, &[])?;
    let debates = debates::open(&server, DEBATES).await?;
    let debates = debates::claim_rounds(&server, debates, ARGUMENTS).await?;
    let mut client = Client::connect(server.address()).await?;
    let mut reads = reads(&mut client, &debates).await?;
    for read in &mut reads {
        let first = read.requests.first().context("there are debates")?;
        read.answer_bytes = client.exchange(first).await?.len();
    }
    for _ in plan.load_rounds(Part::Reads) {
        for read in &mut reads {
            let (result, _) = load::run(&server, read.scripts(), plan.scale.span).await?;
            read.series.push(&result);
        }
    }
    server.stop()?;
    report.add(table(&reads));
    Ok(())
}

/// The empty request comes first; it is the base of the comparison.
async fn reads(client: &mut Client, debates: &[Debate]) -> anyhow::Result<Vec<ReadKind>> {
    let (mut total_bytes, mut all_seen, mut one_unseen) = (Vec::new(), Vec::new(), Vec::new());
    for debate in debates {
        let request = Request::get(debate.path(""));
        let data = client.exchange_json(&request).await?;
        let arguments = data.get("arguments").and_then(|list| list.as_array());
        let arguments = arguments.context("a debate without arguments")?;
        let mut newest_first =
            arguments.iter().rev().filter_map(|argument| argument["id"].as_str());
        let mut poll = || -> anyhow::Result<Request> {
            let seen = newest_first.next().context("a debate with too few arguments")?;
            Ok(Request::get(debate.path(&format!("/poll?role=opponent&argument_id={seen}"))))
        };
        all_seen.push(poll()?);
        one_unseen.push(poll()?);
        total_bytes.push(request);
    }
    Ok(vec![
        ReadKind::new("GET /health", vec![Request::get("/health")]),
        ReadKind::new("GET a debate with 20 arguments of 1 KB", total_bytes),
        ReadKind::new("poll, nothing new", all_seen),
        ReadKind::new("poll, one new argument of 1 KB", one_unseen),
    ])
}

fn table(reads: &[ReadKind]) -> Section {
    let empty = reads.first().map(|read| &read.series);
    let row = |read: &ReadKind| {
        let series = &read.series;
        let of_empty = empty.map(|empty| series.per_second.ratio_to(&empty.per_second));
        let cpu_of_empty = empty.map(|empty| series.cpu_micros.ratio_to(&empty.cpu_micros));
        vec![
            Cell::text(read.name),
            Cell::Number(to_f64(read.answer_bytes)),
            Cell::spread(&series.per_second, Better::Higher),
            Cell::median(&series.p50_ms),
            Cell::median(&series.p99_ms),
            Cell::median(&series.cpu_micros),
            Cell::spread(&of_empty.unwrap_or_default(), Better::Higher),
            Cell::median(&cpu_of_empty.unwrap_or_default()),
        ]
    };
    Section {
        title: "Reads",
        notes: vec![format!("At {CONNECTIONS} connections, over {DEBATES} debates.")],
        columns: &[
            "",
            "bytes",
            "/s",
            "p50 ms",
            "p99 ms",
            "CPU µs each",
            "× GET /health",
            "CPU × GET /health",
        ],
        rows: reads.iter().map(row).collect(),
    }
}
