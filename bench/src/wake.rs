//! The time from a commit to the clients that wait for it: a few among many, and
//! a thousand at once.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Client, Request};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{DatabaseLocation, Server};
use crate::stats::{Better, Latencies, Rounds, millis};
use crate::waiters::{Crowd, Transport};
use crate::wake_setup::{WakeMeasurement, WakeSetup};

/// The number of empty requests whose median is the base.
const HEALTH_CHECKS: usize = 300;

/// Wake-ups of a thousand clients per round.
const FAN_OUTS: usize = 3;

/// One write that wakes all clients of one debate.
struct FanOut {
    transport: Transport,
    woken_ms: Rounds,
    polled_ms: Rounds,
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let server = plan.binary.start(DatabaseLocation::New, &[])?;
    let most = plan.scale.waiting.iter().max().copied().unwrap_or_default();
    let mut wake_setup = WakeSetup::open(&server, &server, most).await?;
    let (transports, notes) = match wake_setup.watched_debates.first() {
        Some(watched) => Transport::offered_transports(&server, watched).await?,
        None => (Vec::new(), Vec::new()),
    };
    wake_setup.waiting.wait_for_waiters(0).await?;
    let measurements = transports.iter().flat_map(|transport| {
        plan.scale.waiting.iter().map(|waiting| WakeMeasurement::new(*transport, *waiting))
    });
    let mut measurements: Vec<WakeMeasurement> = measurements.collect();
    let fan_out = |transport: &Transport| FanOut {
        transport: *transport,
        woken_ms: Rounds::default(),
        polled_ms: Rounds::default(),
    };
    let mut fan_outs: Vec<FanOut> = transports.iter().map(fan_out).collect();
    for _ in plan.crowd_rounds(Part::Wake) {
        for measurement in &mut measurements {
            let health = median_health(&mut wake_setup.writer).await?;
            wake_setup.measure(measurement, plan.scale.timed_writes, health).await?;
        }
        for fan_out in &mut fan_outs {
            wake_at_once(plan.scale.fan_out, &server, &mut wake_setup, fan_out).await?;
        }
    }
    server.stop()?;
    report.bars.extend(bars(plan, &measurements, &fan_outs));
    report.add(wakes_table(&measurements, notes));
    report.add(fan_out_table(plan.scale.fan_out, &fan_outs));
    Ok(())
}

async fn median_health(client: &mut Client) -> anyhow::Result<Duration> {
    let request = Request::get("/health");
    let mut spans = Vec::with_capacity(HEALTH_CHECKS);
    for _ in 0..HEALTH_CHECKS {
        let sent = Instant::now();
        client.exchange(&request).await?;
        spans.push(sent.elapsed());
    }
    Ok(Latencies::new(spans).percentile(50))
}

/// One write wakes all clients; then as many poll at once for the same argument.
async fn wake_at_once(
    count: usize,
    server: &Server,
    wake_setup: &mut WakeSetup,
    fan_out: &mut FanOut,
) -> anyhow::Result<()> {
    let WakeSetup { watched_debates, writer, waiting: metrics, .. } = wake_setup;
    let Some(watched) = watched_debates.first_mut() else { return Ok(()) };
    let mut pollers = Vec::with_capacity(count);
    for _ in 0..count {
        pollers.push(Client::connect(server.address()).await?);
    }
    let here = std::slice::from_ref(&*watched);
    let mut crowd = Crowd::connect(metrics, fan_out.transport, here, count, count).await?;
    for _ in 0..FAN_OUTS {
        let seen = watched.newest();
        let claimed = watched.claim(writer).await?;
        let last = crowd.next_wakes(count).await?.into_iter().max().unwrap_or(claimed.sent);
        fan_out.woken_ms.push(millis(last - claimed.sent));
        crowd.wait_until_all_wait(metrics).await?;
        let (took, back) = poll_at_once(pollers, &watched.poll_after(seen)).await?;
        fan_out.polled_ms.push(millis(took));
        pollers = back;
    }
    crowd.disconnect(metrics).await
}

async fn poll_at_once(
    pollers: Vec<Client>,
    request: &Request,
) -> anyhow::Result<(Duration, Vec<Client>)> {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for mut client in pollers {
        let request = request.clone();
        tasks.spawn(async move { anyhow::Ok((client.exchange(&request).await?.len(), client)) });
    }
    let mut back = Vec::with_capacity(tasks.len());
    while let Some(done) = tasks.join_next().await {
        back.push(done??.1);
    }
    Ok((started.elapsed(), back))
}

fn wakes_table(measurements: &[WakeMeasurement], mut notes: Vec<String>) -> Section {
    let row = |measurement: &WakeMeasurement| {
        let mut row = vec![
            Cell::text(measurement.transport.name()),
            Cell::text(measurement.waiting.to_string()),
            Cell::median(&measurement.base_micros),
        ];
        for wakes in [&measurement.sent, &measurement.commit, &measurement.answered] {
            row.push(Cell::spread(&wakes.p50, Better::Lower));
            row.push(Cell::spread(&wakes.p99, Better::Lower));
            row.push(Cell::spread(&measurement.multiple(wakes), Better::Lower));
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
        rows: measurements.iter().map(row).collect(),
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

fn bars(plan: &Plan, measurements: &[WakeMeasurement], fan_outs: &[FanOut]) -> Vec<Bar> {
    let most = plan.scale.waiting.iter().max().copied().unwrap_or_default();
    let mut bars = Vec::new();
    for measurement in measurements.iter().filter(|measurement| measurement.waiting == most) {
        let name = measurement.transport.name();
        let what = format!("{name}, {most} waiting: p99 from commit to client : GET /health");
        bars.push(Bar::new(what, Bound::AtMost(20.0), &measurement.multiple(&measurement.commit)));
    }
    for fan_out in fan_outs {
        let (name, count) = (fan_out.transport.name(), plan.scale.fan_out);
        let what = format!("{name}, {count} on one debate: all woken : all polled");
        let ratio = fan_out.woken_ms.ratio_to(&fan_out.polled_ms);
        bars.push(Bar::new(what, Bound::AtMost(2.0), &ratio));
    }
    bars
}
