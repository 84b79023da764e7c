//! F14: two servers on one database; one is killed, then the other, and clients move between them.

use std::sync::Arc;
use std::time::Duration;

use aw_testbed::Database;

use crate::ground::Ground;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::storage::until_told;
use crate::subscribers::Crowd;
use crate::writers::Manner;

/// The longest both live before one is killed.
const LIFE_MS_MAX: u64 = 1_000;

/// Writes that go through while one of them is dead.
const MEANWHILE: u64 = 10;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let database = Database::fresh()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let ground = Arc::new(Ground::both(servers.each_ref()));
    let crowd = Crowd { each: 20, kinds: plan.transports.clone(), life_ms_max: 2_500 };
    let load = Load::start_on(ground, plan, Manner::ORDINARY, &crowd, &mut rng).await;

    let kills = plan.by_tier(12, 150);
    let mut slowest = Duration::ZERO;
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=LIFE_MS_MAX))).await;
        if let Some(server) = rng.choice(servers.iter_mut()) {
            slowest = slowest.max(die_and_rise(server, &load).await?);
        }
    }
    report.fact(format!("{kills} kills; the slowest restart took {slowest:?}"));
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// The other one takes over for a while.
async fn die_and_rise(server: &mut Server, load: &Load) -> anyhow::Result<Duration> {
    server.kill().await?;
    until_told(&load.ground, "201", MEANWHILE).await?;
    server.restart().await
}
