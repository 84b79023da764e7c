//! Durable claims per second, compared with an empty request, with one commit for each claim, and
//! with SQLite without a server.

use std::time::Duration;

use crate::ceiling::{giant_transaction, syncs_per_second};
use crate::client::Request;
use crate::debates::{self, Debate, Opening};
use crate::load::{self, LoadResult, Repeat, Series};
use crate::metrics::MetricsClient;
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Binary, DatabaseLocation, Server};
use crate::stats::{Better, Rounds};

pub(crate) const CONNECTIONS: [usize; 4] = [1, 16, 64, 256];

/// The number of connections at which the bars are checked.
pub(crate) const CONNECTIONS_OF_BARS: usize = 64;

pub(crate) const DEBATES: usize = 1000;

/// Flags of a server that commits each request separately.
pub(crate) const UNBATCHED: [&str; 2] = ["--write-batch", "1"];

/// The measurements at one number of connections.
#[derive(Default)]
struct Level {
    connections: usize,
    claims: Series,
    claims_per_commit: Rounds,
    unbatched: Series,
    health: Series,
}

/// The measurements that do not depend on the number of connections.
#[derive(Default)]
struct Limits {
    opening: Series,
    giant_per_second: Rounds,
    giant_cpu_micros: Rounds,
    syncs_per_second: Rounds,
}

/// A server with debates to claim in.
pub(crate) struct Arena {
    pub(crate) server: Server,
    pub(crate) debates: Vec<Debate>,
}

impl Arena {
    pub(crate) async fn start(
        plan: &Plan,
        place: DatabaseLocation<'_>,
        flags: &[&str],
    ) -> anyhow::Result<Self> {
        Self::from_server(plan.binary.start(place, flags)?).await
    }

    /// Like `start`, with environment variables instead of flags.
    pub(crate) async fn start_in(
        binary: &Binary,
        place: DatabaseLocation<'_>,
        environment: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        Self::from_server(binary.start_in(place, &[], environment)?).await
    }

    /// A server with debates whose seats are taken.
    pub(crate) async fn start_with_seats(
        binary: &Binary,
        environment: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let server = binary.start_in(DatabaseLocation::New, &[], environment)?;
        let debates = debates::open_with_seats(&server, DEBATES).await?;
        Ok(Self { server, debates })
    }

    async fn from_server(server: Server) -> anyhow::Result<Self> {
        let debates = debates::open(&server, DEBATES).await?;
        Ok(Self { server, debates })
    }

    /// Claims for `span`; also returns the mean number of claims per commit.
    pub(crate) async fn claim(
        &mut self,
        connections: usize,
        span: Duration,
    ) -> anyhow::Result<(LoadResult, f64)> {
        let mut metrics = MetricsClient::connect(&self.server).await?;
        let before = metrics.read().await?.writes_and_commits()?;
        let claims = debates::claim(&self.server, &mut self.debates, connections, span).await?;
        let after = metrics.read().await?.writes_and_commits()?;
        Ok((claims, (after.0 - before.0) / (after.1 - before.1)))
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut levels = CONNECTIONS.map(|connections| Level { connections, ..Level::default() });
    let mut limits = Limits::default();
    for _ in plan.load_rounds(Part::Claims) {
        // New databases each round, so that no round pays for the rows of an earlier one.
        let mut batched = Arena::start(plan, DatabaseLocation::New, &[]).await?;
        let mut unbatched = Arena::start(plan, DatabaseLocation::New, &UNBATCHED).await?;
        for level in &mut levels {
            measure_level(plan, level, &mut batched, &mut unbatched).await?;
            // Measured next to the figures of the bars, so that the machine's load is the same.
            if level.connections == CONNECTIONS_OF_BARS {
                measure_limits(plan, &mut limits, &batched.server).await?;
            }
        }
        batched.server.stop()?;
        unbatched.server.stop()?;
    }
    report.add(claims_table(&levels, &limits));
    report.add(limits_table(&levels));
    report.add(others_table(&limits));
    for level in levels.iter().filter(|level| level.connections == CONNECTIONS_OF_BARS) {
        report.bars.extend(bars(level, &limits));
    }
    Ok(())
}

async fn measure_level(
    plan: &Plan,
    level: &mut Level,
    batched: &mut Arena,
    unbatched: &mut Arena,
) -> anyhow::Result<()> {
    let (connections, span) = (level.connections, plan.scale.span);
    let health = Repeat::for_connections(connections, &Request::get("/health"));
    level.health.push(&load::run(&batched.server, health, span).await?.0);
    let (claims, per_commit) = batched.claim(connections, span).await?;
    level.claims.push(&claims);
    level.claims_per_commit.push(per_commit);
    level.unbatched.push(&unbatched.claim(connections, span).await?.0);
    Ok(())
}

async fn measure_limits(plan: &Plan, limits: &mut Limits, server: &Server) -> anyhow::Result<()> {
    let folder = plan.binary.create_dir()?;
    let (writes, span) = (plan.scale.giant_writes, plan.scale.span / 3);
    let (giant, syncs) = tokio::task::spawn_blocking(move || {
        let giant = giant_transaction(folder.path(), writes)?;
        anyhow::Ok((giant, syncs_per_second(folder.path(), span)?))
    })
    .await??;
    limits.giant_per_second.push(giant.per_second);
    limits.giant_cpu_micros.push(giant.cpu_micros_each);
    limits.syncs_per_second.push(syncs);
    let openings = Opening::endless(CONNECTIONS_OF_BARS);
    limits.opening.push(&load::run(server, openings, plan.scale.span).await?.0);
    Ok(())
}

fn claims_table(levels: &[Level], limits: &Limits) -> Section {
    let row = |level: &Level| {
        let claims = &level.claims;
        let ratio = |base: &Rounds| claims.per_second.ratio_to(base);
        vec![
            Cell::text(level.connections.to_string()),
            Cell::spread(&claims.per_second, Better::Higher),
            Cell::median(&claims.p50_ms),
            Cell::median(&claims.p99_ms),
            Cell::median(&claims.cpu_micros),
            Cell::median(&claims.client_cpu_micros),
            Cell::median(&level.claims_per_commit),
            Cell::spread(&ratio(&level.unbatched.per_second), Better::Higher),
            Cell::spread(&ratio(&level.health.per_second), Better::Higher),
            Cell::spread(&ratio(&limits.giant_per_second), Better::Higher),
            Cell::median(&claims.cpu_micros.ratio_to(&level.health.cpu_micros)),
            Cell::median(&claims.cpu_micros.ratio_to(&limits.giant_cpu_micros)),
        ]
    };
    Section {
        title: "Claims",
        notes: vec![format!(
            "Durable claims of 1 KB over {DEBATES} debates; each connection owns its share of them."
        )],
        columns: &[
            "connections",
            "claims/s",
            "p50 ms",
            "p99 ms",
            "CPU µs each",
            "client's CPU µs",
            "claims per commit",
            "× batching off",
            "× GET /health",
            "× giant transaction",
            "CPU × GET /health",
            "CPU × giant transaction",
        ],
        rows: levels.iter().map(row).collect(),
    }
}

fn limits_table(levels: &[Level]) -> Section {
    let row = |level: &Level| {
        let Level { connections, unbatched, health, .. } = level;
        vec![
            Cell::text(connections.to_string()),
            Cell::spread(&health.per_second, Better::Higher),
            Cell::median(&health.p50_ms),
            Cell::median(&health.p99_ms),
            Cell::median(&health.cpu_micros),
            Cell::median(&health.client_cpu_micros),
            Cell::spread(&unbatched.per_second, Better::Higher),
            Cell::median(&unbatched.p50_ms),
            Cell::median(&unbatched.p99_ms),
            Cell::median(&unbatched.cpu_micros),
        ]
    };
    Section {
        title: "What claims are held against",
        notes: Vec::new(),
        columns: &[
            "connections",
            "GET /health /s",
            "p50 ms",
            "p99 ms",
            "CPU µs each",
            "client's CPU µs",
            "batching off, claims/s",
            "its p50 ms",
            "its p99 ms",
            "its CPU µs each",
        ],
        rows: levels.iter().map(row).collect(),
    }
}

fn others_table(limits: &Limits) -> Section {
    let missing = Cell::text("");
    let opening = &limits.opening;
    Section {
        title: "Beside them",
        notes: vec![
            "The giant transaction runs the server's own statements for a claim in a debate that \
             it does not remember, a savepoint around each, and commits once. A sync writes one \
             page over and waits for the disk."
                .to_owned(),
        ],
        columns: &["", "/s", "p50 ms", "p99 ms", "CPU µs each"],
        rows: vec![
            vec![
                Cell::text(format!("opening debates, {CONNECTIONS_OF_BARS} connections")),
                Cell::spread(&opening.per_second, Better::Higher),
                Cell::median(&opening.p50_ms),
                Cell::median(&opening.p99_ms),
                Cell::median(&opening.cpu_micros),
            ],
            vec![
                Cell::text("SQLite alone, claims in one giant transaction"),
                Cell::spread(&limits.giant_per_second, Better::Higher),
                missing.clone(),
                missing.clone(),
                Cell::median(&limits.giant_cpu_micros),
            ],
            vec![
                Cell::text("the disk alone, syncs of 4 KB"),
                Cell::spread(&limits.syncs_per_second, Better::Higher),
                missing.clone(),
                missing.clone(),
                missing,
            ],
        ],
    }
}

fn bars(level: &Level, limits: &Limits) -> [Bar; 3] {
    let at = level.connections;
    let bar = |what: &str, least: f64, base: &Rounds| {
        let ratio = level.claims.per_second.ratio_to(base);
        Bar::new(format!("claims/s at {at} connections : {what}"), Bound::AtLeast(least), &ratio)
    };
    [
        bar("batching off", 3.0, &level.unbatched.per_second),
        bar("GET /health", 0.12, &level.health.per_second),
        bar("the giant transaction", 0.4, &limits.giant_per_second),
    ]
}
