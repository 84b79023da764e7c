//! From a commit to the clients that wait for it: a few among many, and a thousand at once.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Ask, Client};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Place, Server};
use crate::stats::{Better, Latencies, Rounds, millis};
use crate::theatre::{Scene, Theatre};
use crate::waiters::{Crowd, Transport};

/// How many empty requests give their median.
const HEALTH_CHECKS: usize = 300;

/// How often a thousand are woken at once in each round.
const FAN_OUTS: usize = 3;

/// One write for all who wait on one debate.
struct FanOut {
    transport: Transport,
    woken_ms: Rounds,
    polled_ms: Rounds,
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = plan.binary.start(Place::New, &[])?;
    let most = plan.scale.parked.iter().max().copied().unwrap_or_default();
    let mut theatre = Theatre::open(&server, &server, most).await?;
    let (transports, notes) = match theatre.stages.first() {
        Some(stage) => Transport::offered(&server, stage).await?,
        None => (Vec::new(), Vec::new()),
    };
    theatre.waiting.until_waiting(0).await?;
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
            let health = median_health(&mut theatre.writer).await?;
            theatre.play(scene, plan.scale.timed_writes, health).await?;
        }
        for fan_out in &mut fan_outs {
            wake_at_once(plan.scale.fan_out, &server, &mut theatre, fan_out).await?;
        }
    }
    server.stop()?;
    report.bars.extend(bars(plan, &scenes, &fan_outs));
    report.add(scenes_table(&scenes, notes));
    report.add(fan_out_table(plan.scale.fan_out, &fan_outs));
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
    server: &Server,
    theatre: &mut Theatre,
    fan_out: &mut FanOut,
) -> anyhow::Result<()> {
    let Theatre { stages, writer, waiting: gauge, .. } = theatre;
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
            Cell::median(&scene.yardstick_micros),
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
