//! The server on PostgreSQL: claims compared with one transaction each, and clients of one process
//! woken by the writes of another.

use aw_testbed::{Cluster, Database, Options};

use crate::claims::{Arena, CONNECTIONS, CONNECTIONS_OF_BARS, DEBATES, UNBATCHED};
use crate::direct::{self, ClaimMethod, Throughput};
use crate::load::Series;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::DatabaseLocation;
use crate::stats::{Better, Rounds};
use crate::waiters::Transport;
use crate::wake_setup::{WakeMeasurement, WakeSetup};

/// The number of clients that wait on the second process.
const WAITING: usize = 1000;

/// The measurements at one number of connections.
#[derive(Default)]
struct Level {
    connections: usize,
    claims: Series,
    claims_per_commit: Rounds,
    unbatched: Series,
}

/// The measurements without a server, at the bars' number of connections.
#[derive(Default)]
struct Limits {
    stepwise: Throughput,
    one_call: Throughput,
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let scratch = Some(plan.binary.scratch.canonicalize()?);
    let cluster = Cluster::start_with(Options { scratch, ..Options::default() })?;
    measure_claims(plan, &cluster, report).await?;
    measure_wakes(plan, &cluster, report).await
}

async fn measure_claims(plan: &Plan, cluster: &Cluster, report: &mut Report) -> anyhow::Result<()> {
    let mut levels = CONNECTIONS.map(|connections| Level { connections, ..Level::default() });
    let mut limits = Limits::default();
    for _ in plan.load_rounds(Part::Postgres) {
        // New databases each round, so that no round pays for the rows of an earlier one.
        let databases = [(); 3].map(|()| cluster.create_database());
        let [batched_in, unbatched_in, direct_in] = databases;
        let (batched_in, unbatched_in, direct_in) = (batched_in?, unbatched_in?, direct_in?);
        let mut batched = Arena::start(plan, DatabaseLocation::Url(batched_in.url()), &[]).await?;
        let mut unbatched =
            Arena::start(plan, DatabaseLocation::Url(unbatched_in.url()), &UNBATCHED).await?;
        for level in &mut levels {
            let (connections, span) = (level.connections, plan.scale.span);
            let (claims, per_commit) = batched.claim(connections, span).await?;
            level.claims.push(&claims);
            level.claims_per_commit.push(per_commit);
            level.unbatched.push(&unbatched.claim(connections, span).await?.0);
            if connections == CONNECTIONS_OF_BARS {
                measure_limits(plan, &direct_in, &mut limits).await?;
            }
        }
        batched.server.stop()?;
        unbatched.server.stop()?;
    }
    report.add(claims_table(cluster, &levels, &limits));
    report.add(limits_table(&limits));
    for level in levels.iter().filter(|level| level.connections == CONNECTIONS_OF_BARS) {
        report.bars.extend(claims_bars(level, &limits));
    }
    Ok(())
}

/// Measures the server's tables without the server.
async fn measure_limits(plan: &Plan, on: &Database, limits: &mut Limits) -> anyhow::Result<()> {
    let Arena { server, debates } =
        Arena::start(plan, DatabaseLocation::Url(on.url()), &[]).await?;
    server.stop()?;
    direct::prepare(on.url()).await?;
    let (connections, span) = (CONNECTIONS_OF_BARS, plan.scale.span);
    for (method, pace) in [
        (ClaimMethod::Stepwise, &mut limits.stepwise),
        (ClaimMethod::OneCall, &mut limits.one_call),
    ] {
        pace.measure(on.url(), method, &debates, connections, span).await?;
    }
    Ok(())
}

async fn measure_wakes(plan: &Plan, cluster: &Cluster, report: &mut Report) -> anyhow::Result<()> {
    let database = cluster.create_database()?;
    let writes = plan.binary.start(DatabaseLocation::Url(database.url()), &[])?;
    let waits = plan.binary.start(DatabaseLocation::Url(database.url()), &[])?;
    direct::prepare(database.url()).await?;
    let mut wake_setup = WakeSetup::open(&writes, &waits, WAITING).await?;
    let mut measurements = Transport::ALL.map(|transport| WakeMeasurement::new(transport, WAITING));
    for _ in plan.crowd_rounds(Part::Postgres) {
        for measurement in &mut measurements {
            let write = direct::measure_single_write(database.url()).await?;
            wake_setup.measure(measurement, plan.scale.timed_writes, write).await?;
        }
    }
    writes.stop()?;
    waits.stop()?;
    report.add(wakes_table(&measurements));
    report.bars.extend(measurements.iter().map(wake_bar));
    Ok(())
}

fn claims_table(cluster: &Cluster, levels: &[Level], limits: &Limits) -> Section {
    let row = |level: &Level| {
        let Level { connections, claims, claims_per_commit, unbatched } = level;
        let ratio = |base: &Rounds| match *connections {
            CONNECTIONS_OF_BARS => Cell::spread(&claims.per_second.ratio_to(base), Better::Higher),
            _ => Cell::text(""),
        };
        vec![
            Cell::text(connections.to_string()),
            Cell::spread(&claims.per_second, Better::Higher),
            Cell::median(&claims.p50_ms),
            Cell::median(&claims.p99_ms),
            Cell::median(&claims.cpu_micros),
            Cell::median(claims_per_commit),
            Cell::spread(&unbatched.per_second, Better::Higher),
            Cell::spread(&claims.per_second.ratio_to(&unbatched.per_second), Better::Higher),
            ratio(&limits.stepwise.per_second),
            ratio(&limits.one_call.per_second),
        ]
    };
    Section {
        title: "PostgreSQL, claims",
        notes: vec![format!(
            "Durable claims of 1 KB over {DEBATES} debates, told to every process by NOTIFY. \
             PostgreSQL {} on this machine, as durable as it is by default; its processor time is \
             not in the server's.",
            cluster.version()
        )],
        columns: &[
            "connections",
            "claims/s",
            "p50 ms",
            "p99 ms",
            "CPU µs each",
            "claims per commit",
            "batching off, claims/s",
            "× batching off",
            "× direct, stepwise",
            "× direct, one call",
        ],
        rows: levels.iter().map(row).collect(),
    }
}

fn limits_table(limits: &Limits) -> Section {
    let row = |what: &str, pace: &Throughput| {
        vec![
            Cell::text(what),
            Cell::spread(&pace.per_second, Better::Higher),
            Cell::median(&pace.p50_ms),
            Cell::median(&pace.p99_ms),
        ]
    };
    Section {
        title: "PostgreSQL alone",
        notes: vec![format!(
            "The statements of a claim straight from {CONNECTIONS_OF_BARS} connections, a \
             transaction for each, without HTTP and without NOTIFY. \"Stepwise\": begin, four \
             statements, commit, each after the answer to the one before. \"One call\": a \
             function that does all of it."
        )],
        columns: &["", "claims/s", "p50 ms", "p99 ms"],
        rows: vec![row("stepwise", &limits.stepwise), row("one call", &limits.one_call)],
    }
}

fn wakes_table(measurements: &[WakeMeasurement]) -> Section {
    let row = |measurement: &WakeMeasurement| {
        let mut row = vec![
            Cell::text(measurement.transport.name()),
            Cell::text(measurement.waiting.to_string()),
            Cell::median(&measurement.base_micros),
        ];
        for wakes in [&measurement.sent, &measurement.commit] {
            row.push(Cell::spread(&wakes.p50, Better::Lower));
            row.push(Cell::spread(&wakes.p99, Better::Lower));
            row.push(Cell::spread(&measurement.multiple(wakes), Better::Lower));
        }
        row
    };
    Section {
        title: "PostgreSQL, wake across processes",
        notes: vec![
            "Claims are made on one process, one at a time; clients wait on another. Counted as \
             under \"Wake\". \"One write\": the median of one committed insert of 1 KB, straight \
             into PostgreSQL."
                .to_owned(),
        ],
        columns: &[
            "transport",
            "waiting",
            "one write µs",
            "sent p50 µs",
            "sent p99 µs",
            "sent p99 × one write",
            "commit p50 µs",
            "commit p99 µs",
            "commit p99 × one write",
        ],
        rows: measurements.iter().map(row).collect(),
    }
}

fn claims_bars(level: &Level, limits: &Limits) -> [Bar; 2] {
    let at = level.connections;
    let bar = |what: &str, base: &Rounds| {
        let what = format!("PostgreSQL, claims/s at {at} connections : {what}");
        Bar::new(what, Bound::AtLeast(2.0), &level.claims.per_second.ratio_to(base))
    };
    [
        bar("a transaction for each, stepwise", &limits.stepwise.per_second),
        bar("batching off", &level.unbatched.per_second),
    ]
}

fn wake_bar(measurement: &WakeMeasurement) -> Bar {
    let name = measurement.transport.name();
    let what =
        format!("PostgreSQL, {name}: p99 from a commit to another process's client : one write");
    Bar::new(what, Bound::AtMost(20.0), &measurement.multiple(&measurement.commit))
}
