//! Durable claims a second, against an empty request, against a commit for each, and against
//! SQLite alone.

use std::time::Duration;

use crate::ceiling::{giant_transaction, syncs_per_second};
use crate::client::Ask;
use crate::debates::{self, Debate, Opening};
use crate::gauge::Gauge;
use crate::load::{self, Repeat, Series, Tally};
use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::server::{Binary, Place, Server};
use crate::stats::{Better, Rounds};

pub(crate) const CONNECTIONS: [usize; 4] = [1, 16, 64, 256];

/// The number of connections that the bars are about.
pub(crate) const CONNECTIONS_OF_BARS: usize = 64;

pub(crate) const DEBATES: usize = 1000;

/// A commit for each request.
pub(crate) const UNBATCHED: [&str; 2] = ["--write-batch", "1"];

/// What was measured at one number of connections.
#[derive(Default)]
struct Level {
    connections: usize,
    claims: Series,
    claims_per_commit: Rounds,
    unbatched: Series,
    health: Series,
}

/// What does not depend on the number of connections.
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
        place: Place<'_>,
        flags: &[&str],
    ) -> anyhow::Result<Self> {
        Self::with(plan.binary.start(place, flags)?).await
    }

    /// As `start`, with environment variables instead of flags.
    pub(crate) async fn start_in(
        binary: &Binary,
        place: Place<'_>,
        environment: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        Self::with(binary.start_in(place, &[], environment)?).await
    }

    async fn with(server: Server) -> anyhow::Result<Self> {
        let debates = debates::open(&server, DEBATES).await?;
        Ok(Self { server, debates })
    }

    /// Claims for `span`, and tells as well how many shared a commit.
    pub(crate) async fn claim(
        &mut self,
        connections: usize,
        span: Duration,
    ) -> anyhow::Result<(Tally, f64)> {
        let mut gauge = Gauge::of(&self.server).await?;
        let before = gauge.read().await?.writes_and_commits()?;
        let claims = debates::claim(&self.server, &mut self.debates, connections, span).await?;
        let after = gauge.read().await?.writes_and_commits()?;
        Ok((claims, (after.0 - before.0) / (after.1 - before.1)))
    }
}

pub(crate) async fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut levels = CONNECTIONS.map(|connections| Level { connections, ..Level::default() });
    let mut limits = Limits::default();
    for _ in plan.load_rounds(Part::Claims) {
        // New databases each round: a later round must not pay for an earlier one's rows.
        let mut batched = Arena::start(plan, Place::New, &[]).await?;
        let mut unbatched = Arena::start(plan, Place::New, &UNBATCHED).await?;
        for level in &mut levels {
            measure_level(plan, level, &mut batched, &mut unbatched).await?;
            // Beside what the bars hold against them, so that the machine is in the same mood.
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
    let health = Repeat::on(connections, &Ask::get("/health"));
    level.health.push(&load::run(&batched.server, health, span).await?.0);
    let (claims, per_commit) = batched.claim(connections, span).await?;
    level.claims.push(&claims);
    level.claims_per_commit.push(per_commit);
    level.unbatched.push(&unbatched.claim(connections, span).await?.0);
    Ok(())
}

async fn measure_limits(plan: &Plan, limits: &mut Limits, server: &Server) -> anyhow::Result<()> {
    let folder = plan.binary.folder()?;
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
            Cell::median(&claims.own_cpu_micros),
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
            Cell::median(&health.own_cpu_micros),
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
