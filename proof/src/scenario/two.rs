//! F14: two servers on one database; one is killed, then the other, and clients move between them.

use std::sync::Arc;
use std::time::Duration;

use aw_testbed::Database;

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::shared_state::SharedState;
use crate::storage::wait_for_responses;
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

/// The maximum time before one server is killed.
const LIFE_MS_MAX: u64 = 1_000;

/// Writes that must succeed while one server is down.
const WRITES_MEANWHILE: u64 = 10;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let database = Database::fresh()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let shared = Arc::new(SharedState::both(servers.each_ref()));
    let settings =
        SubscriberSettings { each: 20, kinds: plan.transports.clone(), life_ms_max: 2_500 };
    let load = Load::start_on(shared, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;

    let kills = plan.by_tier(12, 150);
    let mut slowest = Duration::ZERO;
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=LIFE_MS_MAX))).await;
        if let Some(server) = rng.choice(servers.iter_mut()) {
            slowest = slowest.max(kill_and_restart(server, &load).await?);
        }
    }
    report.fact(format!("{kills} kills; the slowest restart took {slowest:?}"));
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// Kills a server; the other one takes over until it has restarted.
async fn kill_and_restart(server: &mut Server, load: &Load) -> anyhow::Result<Duration> {
    server.kill().await?;
    wait_for_responses(&load.shared, "201", WRITES_MEANWHILE).await?;
    server.restart().await
}
