//! Reads a second, against an empty request.

use anyhow::Context;

use crate::client::{Ask, Client};
use crate::debates::{self, Debate};
use crate::load::{self, Repeat, Series};
use crate::plan::{Part, Plan};
use crate::report::{Cell, Report, Section};
use crate::server::Place;
use crate::stats::{Better, real};

const CONNECTIONS: usize = 64;
const DEBATES: usize = 100;
const ARGUMENTS: usize = 20;

/// One question, over many debates.
struct Question {
    name: &'static str,
    asks: Vec<Ask>,
    answer_bytes: usize,
    series: Series,
}

impl Question {
    fn new(name: &'static str, asks: Vec<Ask>) -> Self {
        Self { name, asks, answer_bytes: 0, series: Series::default() }
    }

    /// Each connection begins elsewhere, so that they don't march through the debates in step.
    fn scripts(&self) -> Vec<Repeat> {
        let script = |connection: usize| {
            let mut asks = self.asks.clone();
            let from = connection % asks.len();
            asks.rotate_left(from);
            Repeat::of(asks)
        };
        (0..CONNECTIONS).map(script).collect()
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = plan.binary.start(Place::New, &[])?;
    let debates = debates::open(&server, DEBATES).await?;
    let debates = debates::carry_on(&server, debates, ARGUMENTS).await?;
    let mut client = Client::connect(server.address()).await?;
    let mut questions = questions(&mut client, &debates).await?;
    for question in &mut questions {
        let first = question.asks.first().context("there are debates")?;
        question.answer_bytes = client.ask(first).await?.len();
    }
    for _ in plan.load_rounds(Part::Reads) {
        for question in &mut questions {
            let (tally, _) = load::run(&server, question.scripts(), plan.scale.span).await?;
            question.series.push(&tally);
        }
    }
    server.stop()?;
    report.add(table(&questions));
    Ok(())
}

/// The empty request first: the others are held against it.
async fn questions(client: &mut Client, debates: &[Debate]) -> anyhow::Result<Vec<Question>> {
    let (mut whole, mut all_seen, mut one_unseen) = (Vec::new(), Vec::new(), Vec::new());
    for debate in debates {
        let ask = Ask::get(debate.path(""));
        let data = client.data(&ask).await?;
        let arguments = data.get("arguments").and_then(|list| list.as_array());
        let arguments = arguments.context("a debate without arguments")?;
        let mut newest_first =
            arguments.iter().rev().filter_map(|argument| argument["id"].as_str());
        let mut poll = || -> anyhow::Result<Ask> {
            let seen = newest_first.next().context("a debate with too few arguments")?;
            Ok(Ask::get(debate.path(&format!("/poll?role=opponent&argument_id={seen}"))))
        };
        all_seen.push(poll()?);
        one_unseen.push(poll()?);
        whole.push(ask);
    }
    Ok(vec![
        Question::new("GET /health", vec![Ask::get("/health")]),
        Question::new("GET a debate with 20 arguments of 1 KB", whole),
        Question::new("poll, nothing new", all_seen),
        Question::new("poll, one new argument of 1 KB", one_unseen),
    ])
}

fn table(questions: &[Question]) -> Section {
    let empty = questions.first().map(|question| &question.series);
    let row = |question: &Question| {
        let series = &question.series;
        let of_empty = empty.map(|empty| series.per_second.ratio_to(&empty.per_second));
        let cpu_of_empty = empty.map(|empty| series.cpu_micros.ratio_to(&empty.cpu_micros));
        vec![
            Cell::text(question.name),
            Cell::Number(real(question.answer_bytes)),
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
        rows: questions.iter().map(row).collect(),
    }
}
