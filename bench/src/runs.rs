//! Debates that run themselves: how many steps a second, what a step costs beside the provider's
//! own time, and how soon a debate goes on whose server was killed.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use aw_testbed::{Asked, Cluster, Gate, Model, Options, Play};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::client::{Ask, Client};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Place, Server};
use crate::stats::{Better, Latencies, Rounds, millis, real};

/// How many servers share the work.
const SERVERS: usize = 4;

/// How many turns a round has.
const TURNS: usize = 3;

/// How many rounds the debate has that runs alone.
const ROUNDS_ALONE: usize = 20;

/// How often the provider is asked without a server between.
const CALLS: usize = 60;

/// The lease of the server that is killed.
const LEASE: Duration = Duration::from_secs(1);

/// How often the list is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// How long anything here may take before it counts as a hang.
const PATIENCE: Duration = Duration::from_mins(2);

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
        let model = Model::start(Play::debate)?;
        let call = own_time(&model).await?;
        figures.call_ms.push(millis(call));
        figures.sqlite_step_ms.push(millis(alone(plan, Place::New, &model).await?));
        let database = cluster.create_database()?;
        let place = Place::Url(database.url());
        figures.postgres_step_ms.push(millis(alone(plan, place, &model).await?));
        figures.steps_per_second.push(crowd(plan, database.url(), &model).await?);
        figures.beyond_lease_s.push(killed(plan).await?.as_secs_f64());
    }
    tell(plan, &figures, report);
    Ok(())
}

/// What a call to the provider takes by itself.
async fn own_time(model: &Model) -> anyhow::Result<Duration> {
    let address: SocketAddr =
        model.url().trim_start_matches("http://").trim_end_matches("/v1").parse()?;
    let body = json!({ "messages": [{ "role": "user", "content": "{\"task\":\"argue\"}" }] });
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let started = Instant::now();
        let client = Client::connect(address).await?;
        client.exhaust(&Ask::command("/v1/chat/completions", body.to_string())).await?;
        calls.push(started.elapsed());
    }
    Ok(Latencies::of(calls).percentile(50))
}

fn start(plan: &Plan, place: Place<'_>, model: &Model, lease: Duration) -> anyhow::Result<Server> {
    let lease = lease.as_secs().to_string();
    let environment = [
        ("OPENAI_BASE_URL", model.url()),
        ("OPENAI_API_KEY", "sk-bench"),
        ("RUNNER_MODEL_DEBATER", "openai:imitated"),
        ("RUNNER_MODEL_JUDGE", "openai:imitated"),
        ("RUNNER_LEASE_SECONDS", lease.as_str()),
    ];
    plan.binary.start_in(place, &[], &environment)
}

/// One debate of many rounds: what a step takes.
async fn alone(plan: &Plan, place: Place<'_>, model: &Model) -> anyhow::Result<Duration> {
    let server = start(plan, place, model, Duration::from_secs(15))?;
    let mut client = Client::connect(server.address()).await?;
    let run = create(&mut client, ROUNDS_ALONE).await?;
    let started = Instant::now();
    command(&mut client, &run, "start").await?;
    until_none_runs(&mut client).await?;
    let took = started.elapsed();
    server.stop()?;
    Ok(took / u32::try_from(ROUNDS_ALONE * TURNS)?)
}

/// Many debates on several servers at once: steps a second.
async fn crowd(plan: &Plan, url: &str, model: &Model) -> anyhow::Result<f64> {
    let debates = plan.scale.runs;
    let mut servers = Vec::new();
    let mut clients = Vec::new();
    for _ in 0..SERVERS {
        let server = start(plan, Place::Url(url), model, Duration::from_secs(30))?;
        clients.push(Client::connect(server.address()).await?);
        servers.push(server);
    }
    let client = clients.first_mut().context("there are servers")?;
    let mut runs = Vec::new();
    for _ in 0..debates {
        runs.push(create(client, 1).await?);
    }
    let before = model.asked().len();
    let started = Instant::now();
    for (number, run) in runs.iter().enumerate() {
        let client = clients.get_mut(number % SERVERS).context("there are servers")?;
        command(client, run, "start").await?;
    }
    let client = clients.first_mut().context("there are servers")?;
    until_none_runs(client).await?;
    let took = started.elapsed();
    let calls = model.asked().len() - before;
    if calls != debates * TURNS {
        bail!("{debates} debates of {TURNS} turns came to {calls} calls");
    }
    for server in servers {
        server.stop()?;
    }
    Ok(real(debates * TURNS) / took.as_secs_f64())
}

/// How long after its lease has ended a debate goes on whose server was killed in the middle of a
/// turn. The next server is there when it happens.
async fn killed(plan: &Plan) -> anyhow::Result<Duration> {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Model::start(move |asked: &Asked| {
        let mut plays = Play::debate(asked);
        if asked.number == 1 {
            plays.insert(0, Play::Wait(held.clone()));
        }
        plays
    })?;
    let scratch = Some(plan.binary.scratch.canonicalize()?);
    let cluster = Cluster::start_with(Options { scratch, ..Options::default() })?;
    let database = cluster.create_database()?;
    let place = Place::Url(database.url());
    let dying = start(plan, place, &model, LEASE)?;
    let mut client = Client::connect(dying.address()).await?;
    let run = create(&mut client, 1).await?;
    command(&mut client, &run, "start").await?;
    tokio::task::block_in_place(|| model.wait_for(1));
    let next = start(plan, place, &model, LEASE)?;
    let mut client = Client::connect(next.address()).await?;
    drop(dying);
    let died = Timestamp::now();
    until_none_runs(&mut client).await?;
    gate.open();
    let attempts = ask_json(&mut client, &format!("/runner/debates/{run}/attempts")).await?;
    let again = attempts.get(1).and_then(|attempt| attempt.get("started_at"));
    let again: Timestamp = again.and_then(Value::as_str).context("nobody asked again")?.parse()?;
    next.stop()?;
    // Renewed last at most this long before it died.
    let after = Duration::try_from(again.duration_since(died))?;
    Ok(after.saturating_sub(LEASE))
}

async fn create(client: &mut Client, rounds: usize) -> anyhow::Result<String> {
    let settings = json!({ "max_rounds": rounds, "max_total_output_tokens": 2_000_000 });
    let body = json!({ "topic": "Tea", "settings": settings }).to_string();
    let made = client.ask(&Ask::post("/runner/debates", body)).await?;
    let made: Value = serde_json::from_slice(made)?;
    Ok(made.get("id").and_then(Value::as_str).context("a debate without an id")?.to_owned())
}

async fn command(client: &mut Client, run: &str, name: &str) -> anyhow::Result<()> {
    client.ask(&Ask::command(format!("/runner/debates/{run}/{name}"), "{}".to_owned())).await?;
    Ok(())
}

async fn ask_json(client: &mut Client, path: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(client.ask(&Ask::get(path)).await?)?)
}

async fn until_none_runs(client: &mut Client) -> anyhow::Result<()> {
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        let running = ask_json(client, "/runner/debates?status=running&limit=1").await?;
        if running.as_array().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        sleep(GLANCE).await;
    }
    bail!("debates still run after {PATIENCE:?}")
}

fn tell(plan: &Plan, figures: &Figures, report: &mut Report) {
    let Figures { steps_per_second, call_ms, sqlite_step_ms, postgres_step_ms, beyond_lease_s } =
        figures;
    let within = Bound::AtMost(2.0);
    report.bars.push(Bar::new("going on after a kill, s beyond the lease", within, beyond_lease_s));
    let row = |name: &str, rounds: &Rounds, better| {
        let of_call = match better {
            Better::Lower => Cell::spread(&rounds.ratio_to(call_ms), better),
            Better::Higher => Cell::text(""),
        };
        vec![Cell::text(name), Cell::spread(rounds, better), of_call]
    };
    let debates = plan.scale.runs;
    report.add(Section {
        title: "Debates that run themselves",
        notes: vec![format!(
            "A step is taken, recorded, asked and kept in three transactions. The provider is \
             imitated and answers at once; what it takes by itself is measured without a server. \
             The crowd is {debates} debates of one round on {SERVERS} servers and one PostgreSQL, \
             which share the machine with the provider and the client."
        )],
        columns: &["", "", "× a call by itself"],
        rows: vec![
            row("a call by itself, ms", call_ms, Better::Lower),
            row("a step on SQLite, ms", sqlite_step_ms, Better::Lower),
            row("a step on PostgreSQL, ms", postgres_step_ms, Better::Lower),
            row("steps a second of the crowd", steps_per_second, Better::Higher),
        ],
    });
}
