//! Runs: steps per second, the server's share of a step's time, and the time until a run continues
//! whose server was killed.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use aw_testbed::{Cluster, Gate, Model, ModelRequest, Options, ScriptStep};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::client::{Client, Request};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{DatabaseLocation, Server};
use crate::stats::{Better, Latencies, Rounds, millis, to_f64};

/// The number of servers that share the work.
const SERVERS: usize = 4;

/// The number of turns in a round.
const TURNS: usize = 3;

/// The number of rounds of the single run.
const SINGLE_RUN_ROUNDS: usize = 20;

/// The number of calls to the provider without a server.
const CALLS: usize = 60;

/// The lease of the server that is killed.
const LEASE: Duration = Duration::from_secs(1);

/// The interval between two reads of the list.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A time limit that only a hang reaches.
const TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Default)]
struct Figures {
    steps_per_second: Rounds,
    call_ms: Rounds,
    sqlite_step_ms: Rounds,
    postgres_step_ms: Rounds,
    beyond_lease_s: Rounds,
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let scratch = Some(plan.binary.scratch.canonicalize()?);
    let cluster = Cluster::start_with(Options { scratch, ..Options::default() })?;
    let mut figures = Figures::default();
    for _ in plan.crowd_rounds(Part::Runs) {
        let model = Model::start(ScriptStep::debate)?;
        let call = measure_provider_call(&model).await?;
        figures.call_ms.push(millis(call));
        figures
            .sqlite_step_ms
            .push(millis(measure_step(plan, DatabaseLocation::New, &model).await?));
        let database = cluster.create_database()?;
        let location = DatabaseLocation::Url(database.url());
        figures.postgres_step_ms.push(millis(measure_step(plan, location, &model).await?));
        figures.steps_per_second.push(measure_throughput(plan, database.url(), &model).await?);
        figures.beyond_lease_s.push(measure_takeover(plan).await?.as_secs_f64());
    }
    add_to_report(plan, &figures, report);
    Ok(())
}

/// The time of a call to the provider without a server.
async fn measure_provider_call(model: &Model) -> anyhow::Result<Duration> {
    let address: SocketAddr =
        model.url().trim_start_matches("http://").trim_end_matches("/v1").parse()?;
    let body = json!({ "messages": [{ "role": "user", "content": "{\"task\":\"argue\"}" }] });
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let started = Instant::now();
        let client = Client::connect(address).await?;
        client.read_to_end(&Request::command("/v1/chat/completions", body.to_string())).await?;
        calls.push(started.elapsed());
    }
    Ok(Latencies::new(calls).percentile(50))
}

fn start(
    plan: &Plan,
    location: DatabaseLocation<'_>,
    model: &Model,
    lease: Duration,
) -> anyhow::Result<Server> {
    let lease = lease.as_secs().to_string();
    let environment = [
        ("OPENAI_BASE_URL", model.url()),
        ("OPENAI_API_KEY", "sk-bench"),
        ("RUNNER_MODEL_DEBATER", "openai:imitated"),
        ("RUNNER_MODEL_JUDGE", "openai:imitated"),
        ("RUNNER_LEASE_SECONDS", lease.as_str()),
    ];
    plan.binary.start_in(location, &[], &environment)
}

/// The time per step of one run of many rounds.
async fn measure_step(
    plan: &Plan,
    location: DatabaseLocation<'_>,
    model: &Model,
) -> anyhow::Result<Duration> {
    let server = start(plan, location, model, Duration::from_secs(15))?;
    let mut client = Client::connect(server.address()).await?;
    let run = create(&mut client, SINGLE_RUN_ROUNDS).await?;
    let started = Instant::now();
    command(&mut client, &run, "start").await?;
    wait_until_finished(&mut client).await?;
    let took = started.elapsed();
    server.stop()?;
    Ok(took / u32::try_from(SINGLE_RUN_ROUNDS * TURNS)?)
}

/// Steps per second of many runs on several servers.
async fn measure_throughput(plan: &Plan, url: &str, model: &Model) -> anyhow::Result<f64> {
    let debates = plan.scale.runs;
    let mut servers = Vec::new();
    let mut clients = Vec::new();
    for _ in 0..SERVERS {
        let server = start(plan, DatabaseLocation::Url(url), model, Duration::from_secs(30))?;
        clients.push(Client::connect(server.address()).await?);
        servers.push(server);
    }
    let client = clients.first_mut().context("there are servers")?;
    let mut runs = Vec::new();
    for _ in 0..debates {
        runs.push(create(client, 1).await?);
    }
    let before = model.requests().len();
    let started = Instant::now();
    for (number, run) in runs.iter().enumerate() {
        let client = clients.get_mut(number % SERVERS).context("there are servers")?;
        command(client, run, "start").await?;
    }
    let client = clients.first_mut().context("there are servers")?;
    wait_until_finished(client).await?;
    let took = started.elapsed();
    let calls = model.requests().len() - before;
    if calls != debates * TURNS {
        bail!("{debates} debates of {TURNS} turns came to {calls} calls");
    }
    for server in servers {
        server.stop()?;
    }
    Ok(to_f64(debates * TURNS) / took.as_secs_f64())
}

/// The time from the end of its lease until a run continues whose server was killed in the middle
/// of a turn. The next server is already running at the kill.
async fn measure_takeover(plan: &Plan) -> anyhow::Result<Duration> {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Model::start(move |exchange_with: &ModelRequest| {
        let mut plays = ScriptStep::debate(exchange_with);
        if exchange_with.number == 1 {
            plays.insert(0, ScriptStep::Wait(held.clone()));
        }
        plays
    })?;
    let scratch = Some(plan.binary.scratch.canonicalize()?);
    let cluster = Cluster::start_with(Options { scratch, ..Options::default() })?;
    let database = cluster.create_database()?;
    let location = DatabaseLocation::Url(database.url());
    let dying = start(plan, location, &model, LEASE)?;
    let mut client = Client::connect(dying.address()).await?;
    let run = create(&mut client, 1).await?;
    command(&mut client, &run, "start").await?;
    tokio::task::block_in_place(|| model.wait_for(1));
    let next = start(plan, location, &model, LEASE)?;
    let mut client = Client::connect(next.address()).await?;
    drop(dying);
    let died = Timestamp::now();
    wait_until_finished(&mut client).await?;
    gate.open();
    let attempts = ask_json(&mut client, &format!("/runner/debates/{run}/attempts")).await?;
    let again = attempts.get(1).and_then(|attempt| attempt.get("started_at"));
    let again: Timestamp = again.and_then(Value::as_str).context("no later call")?.parse()?;
    next.stop()?;
    // The lease was renewed at most this long before the kill.
    let after = Duration::try_from(again.duration_since(died))?;
    Ok(after.saturating_sub(LEASE))
}

async fn create(client: &mut Client, rounds: usize) -> anyhow::Result<String> {
    let settings = json!({ "max_rounds": rounds, "max_total_output_tokens": 2_000_000 });
    let body = json!({ "topic": "Tea", "settings": settings }).to_string();
    let made = client.exchange(&Request::post("/runner/debates", body)).await?;
    let made: Value = serde_json::from_slice(made)?;
    Ok(made.get("id").and_then(Value::as_str).context("a debate without an id")?.to_owned())
}

async fn command(client: &mut Client, run: &str, name: &str) -> anyhow::Result<()> {
    client
        .exchange(&Request::command(format!("/runner/debates/{run}/{name}"), "{}".to_owned()))
        .await?;
    Ok(())
}

async fn ask_json(client: &mut Client, path: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(client.exchange(&Request::get(path)).await?)?)
}

async fn wait_until_finished(client: &mut Client) -> anyhow::Result<()> {
    let exchange_with = Instant::now();
    while exchange_with.elapsed() < TIMEOUT {
        let running = ask_json(client, "/runner/debates?status=running&limit=1").await?;
        if running.as_array().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        sleep(POLL_INTERVAL).await;
    }
    bail!("debates still run after {TIMEOUT:?}")
}

fn add_to_report(plan: &Plan, figures: &Figures, report: &mut Report) {
    let Figures { steps_per_second, call_ms, sqlite_step_ms, postgres_step_ms, beyond_lease_s } =
        figures;
    let within = Bound::AtMost(2.0);
    report.bars.push(Bar::new("takeover after a kill, s beyond the lease", within, beyond_lease_s));
    let row = |name: &str, rounds: &Rounds, better| {
        let of_call = match better {
            Better::Lower => Cell::spread(&rounds.ratio_to(call_ms), better),
            Better::Higher => Cell::text(""),
        };
        vec![Cell::text(name), Cell::spread(rounds, better), of_call]
    };
    let debates = plan.scale.runs;
    report.add(Section {
        title: "Runs",
        notes: vec![format!(
            "A step is taken, recorded, asked and kept in three transactions. The provider is \
             imitated and answers at once; what it takes by itself is measured without a server. \
             The crowd is {debates} debates of one round on {SERVERS} servers and one PostgreSQL, \
             which share the machine with the provider and the client."
        )],
        columns: &["", "", "× a call by itself"],
        rows: vec![
            row("a provider call, ms", call_ms, Better::Lower),
            row("a step on SQLite, ms", sqlite_step_ms, Better::Lower),
            row("a step on PostgreSQL, ms", postgres_step_ms, Better::Lower),
            row("steps per second of the crowd", steps_per_second, Better::Higher),
        ],
    });
}
