//! From a commit to the clients that wait for it: a few among many, and a thousand at once.
//!
//! A client can't see the commit itself. It lies between the instant a claim was sent and the
//! instant its answer arrived, so both are taken as the start: the first says what it took at most
//! (the request and the sync of the disk are in it), the second what it took beyond the answer.
//! Between them: since it was sent, less the time which the server says the commit took, and never
//! less than since the answer. The claim's own way to the server is still in that.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Ask, Client};
use crate::debates;
use crate::gauge::Gauge;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::Server;
use crate::stats::{Better, Latencies, Rounds, micros, millis};
use crate::waiters::{Crowd, Stage, Transport};

/// How many wait on each debate.
const EACH: usize = 2;

/// How many empty requests give their median.
const HEALTH_CHECKS: usize = 300;

/// How often a thousand are woken at once in each round.
const FAN_OUTS: usize = 3;

/// So many clients waiting over one transport.
struct Scene {
    transport: Transport,
    parked: usize,
    health_micros: Rounds,
    sent: Wakes,
    commit: Wakes,
    answered: Wakes,
}

/// How long waking took, in microseconds, counted from one of the three starts.
#[derive(Default)]
struct Wakes {
    p50: Rounds,
    p99: Rounds,
}

impl Wakes {
    fn push(&mut self, spans: Vec<Duration>) {
        let latencies = Latencies::of(spans);
        self.p50.push(micros(latencies.percentile(50)));
        self.p99.push(micros(latencies.percentile(99)));
    }
}

impl Scene {
    fn new(transport: Transport, parked: usize) -> Self {
        Self {
            transport,
            parked,
            health_micros: Rounds::default(),
            sent: Wakes::default(),
            commit: Wakes::default(),
            answered: Wakes::default(),
        }
    }

    /// The 99th percentile as a multiple of an empty request.
    fn multiple(&self, wakes: &Wakes) -> Rounds {
        wakes.p99.ratio_to(&self.health_micros)
    }
}

/// One write for all who wait on one debate.
struct FanOut {
    transport: Transport,
    woken_ms: Rounds,
    polled_ms: Rounds,
}

/// The server, its debates, and the two connections that write and watch.
struct Theatre {
    server: Server,
    stages: Vec<Stage>,
    writer: Client,
    gauge: Gauge,
}

impl Theatre {
    async fn open(plan: &Plan) -> anyhow::Result<Self> {
        let server = plan.binary.start(&[])?;
        let most = plan.scale.parked.iter().max().copied().unwrap_or_default();
        let debates = debates::open(&server, most.div_ceil(EACH)).await?;
        let stages = debates.into_iter().map(Stage::fresh).collect();
        let writer = Client::connect(server.address()).await?;
        let gauge = Gauge::of(&server).await?;
        Ok(Self { server, stages, writer, gauge })
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut theatre = Theatre::open(plan).await?;
    let (transports, notes) = match theatre.stages.first() {
        Some(stage) => Transport::offered(&theatre.server, stage).await?,
        None => (Vec::new(), Vec::new()),
    };
    theatre.gauge.until_waiting(0).await?;
    let scenes = transports.iter().flat_map(|transport| {
        plan.scale.parked.iter().map(|parked| Scene::new(*transport, *parked))
    });
    let mut scenes: Vec<Scene> = scenes.collect();
    let fan_out = |transport: &Transport| FanOut {
        transport: *transport,
        woken_ms: Rounds::default(),
        polled_ms: Rounds::default(),
    };
    let mut fan_outs: Vec<FanOut> = transports.iter().map(fan_out).collect();
    for _ in plan.crowd_rounds(Part::Wake) {
        for scene in &mut scenes {
            play(plan, &mut theatre, scene).await?;
        }
        for fan_out in &mut fan_outs {
            wake_at_once(plan.scale.fan_out, &mut theatre, fan_out).await?;
        }
    }
    theatre.server.stop()?;
    report.bars.extend(bars(plan, &scenes, &fan_outs));
    report.add(scenes_table(&scenes, notes));
    report.add(fan_out_table(plan.scale.fan_out, &fan_outs));
    Ok(())
}

/// Writes one claim at a time to debates chosen at random, everyone waiting before each.
async fn play(plan: &Plan, theatre: &mut Theatre, scene: &mut Scene) -> anyhow::Result<()> {
    let Theatre { stages, writer, gauge, .. } = theatre;
    let used = scene.parked.div_ceil(EACH);
    let audience = EACH.min(scene.parked);
    let mut crowd = Crowd::park(gauge, scene.transport, stages, scene.parked, EACH).await?;
    scene.health_micros.push(micros(median_health(writer).await?));
    let mut chance = fastrand::Rng::with_seed(7);
    let (mut sent, mut commit, mut answered) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = gauge.read().await?.commits()?;
    for _ in 0..plan.scale.timed_writes {
        let Some(stage) = stages.get_mut(chance.usize(..used)) else { continue };
        let claimed = stage.claim(writer).await?;
        let woken = crowd.woken(audience).await?;
        crowd.settled(gauge).await?;
        let after = gauge.until_committed(before).await?;
        let took = after.took.saturating_sub(before.took);
        for woken in woken {
            let since_sent = woken - claimed.sent;
            let since_answered = woken.saturating_duration_since(claimed.answered);
            let less_commit = since_sent.saturating_sub(took);
            sent.push(since_sent);
            commit.push(less_commit.max(since_answered));
            answered.push(since_answered);
        }
        before = after;
    }
    crowd.disperse(gauge).await?;
    scene.sent.push(sent);
    scene.commit.push(commit);
    scene.answered.push(answered);
    Ok(())
}

async fn median_health(client: &mut Client) -> anyhow::Result<Duration> {
    let ask = Ask::get("/health");
    let mut spans = Vec::with_capacity(HEALTH_CHECKS);
    for _ in 0..HEALTH_CHECKS {
        let sent = Instant::now();
        client.ask(&ask).await?;
        spans.push(sent.elapsed());
    }
    Ok(Latencies::of(spans).percentile(50))
}

/// One write wakes everyone; then as many poll at once for the same argument.
async fn wake_at_once(
    count: usize,
    theatre: &mut Theatre,
    fan_out: &mut FanOut,
) -> anyhow::Result<()> {
    let Theatre { server, stages, writer, gauge } = theatre;
    let Some(stage) = stages.first_mut() else { return Ok(()) };
    let mut pollers = Vec::with_capacity(count);
    for _ in 0..count {
        pollers.push(Client::connect(server.address()).await?);
    }
    let here = std::slice::from_ref(&*stage);
    let mut crowd = Crowd::park(gauge, fan_out.transport, here, count, count).await?;
    for _ in 0..FAN_OUTS {
        let seen = stage.newest();
        let claimed = stage.claim(writer).await?;
        let last = crowd.woken(count).await?.into_iter().max().unwrap_or(claimed.sent);
        fan_out.woken_ms.push(millis(last - claimed.sent));
        crowd.settled(gauge).await?;
        let (took, back) = poll_at_once(pollers, &stage.poll_after(seen)).await?;
        fan_out.polled_ms.push(millis(took));
        pollers = back;
    }
    crowd.disperse(gauge).await
}

async fn poll_at_once(pollers: Vec<Client>, ask: &Ask) -> anyhow::Result<(Duration, Vec<Client>)> {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for mut client in pollers {
        let ask = ask.clone();
        tasks.spawn(async move { anyhow::Ok((client.ask(&ask).await?.len(), client)) });
    }
    let mut back = Vec::with_capacity(tasks.len());
    while let Some(done) = tasks.join_next().await {
        back.push(done??.1);
    }
    Ok((started.elapsed(), back))
}

fn scenes_table(scenes: &[Scene], mut notes: Vec<String>) -> Section {
    let row = |scene: &Scene| {
        let mut row = vec![
            Cell::text(scene.transport.name()),
            Cell::text(scene.parked.to_string()),
            Cell::median(&scene.health_micros),
        ];
        for wakes in [&scene.sent, &scene.commit, &scene.answered] {
            row.push(Cell::spread(&wakes.p50, Better::Lower));
            row.push(Cell::spread(&wakes.p99, Better::Lower));
            row.push(Cell::spread(&scene.multiple(wakes), Better::Lower));
        }
        row
    };
    notes.push(
        "A claim of 1 KB to a debate chosen at random, to its waiters having the whole answer; \
         two wait on each debate. \"Sent\": since the claim was sent, an upper bound with the \
         request and the sync in it. \"Commit\": the same less the time that the server says the \
         commit took. \"Answered\": since the writer had its answer."
            .to_owned(),
    );
    Section {
        title: "Wake",
        notes,
        columns: &[
            "transport",
            "waiting",
            "GET /health µs",
            "sent p50 µs",
            "sent p99 µs",
            "sent p99 × health",
            "commit p50 µs",
            "commit p99 µs",
            "commit p99 × health",
            "answered p50 µs",
            "answered p99 µs",
            "answered p99 × health",
        ],
        rows: scenes.iter().map(row).collect(),
    }
}

fn fan_out_table(count: usize, fan_outs: &[FanOut]) -> Section {
    let row = |fan_out: &FanOut| {
        vec![
            Cell::text(fan_out.transport.name()),
            Cell::spread(&fan_out.woken_ms, Better::Lower),
            Cell::spread(&fan_out.polled_ms, Better::Lower),
            Cell::spread(&fan_out.woken_ms.ratio_to(&fan_out.polled_ms), Better::Lower),
        ]
    };
    Section {
        title: "Fan-out",
        notes: vec![format!(
            "One claim of 1 KB, from its sending until all of {count} waiters of one debate have \
             it, against {count} polls for the same argument at once on open connections."
        )],
        columns: &["transport", "all woken ms", "all polled ms", "woken : polled"],
        rows: fan_outs.iter().map(row).collect(),
    }
}

fn bars(plan: &Plan, scenes: &[Scene], fan_outs: &[FanOut]) -> Vec<Bar> {
    let most = plan.scale.parked.iter().max().copied().unwrap_or_default();
    let mut bars = Vec::new();
    for scene in scenes.iter().filter(|scene| scene.parked == most) {
        let name = scene.transport.name();
        let what = format!("{name}, {most} waiting: p99 from commit to client : GET /health");
        bars.push(Bar::new(what, Bound::AtMost(20.0), &scene.multiple(&scene.commit)));
    }
    for fan_out in fan_outs {
        let (name, count) = (fan_out.transport.name(), plan.scale.fan_out);
        let what = format!("{name}, {count} on one debate: all woken : all polled");
        let ratio = fan_out.woken_ms.ratio_to(&fan_out.polled_ms);
        bars.push(Bar::new(what, Bound::AtMost(2.0), &ratio));
    }
    bars
}
