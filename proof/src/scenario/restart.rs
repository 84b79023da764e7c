//! F7: PostgreSQL restarts under two servers, in an orderly way and as after a crash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aw_testbed::{Cluster, Mode};

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::shared_state::SharedState;
use crate::storage::wait_for_responses;
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

/// The maximum time before the next restart.
const PAUSE_MS_MAX: u64 = 1_500;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut cluster = Cluster::start()?;
    let database = cluster.create_database()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let shared = Arc::new(SharedState::both(servers.each_ref()).with_storage_outages());
    let settings =
        SubscriberSettings { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(shared, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;

    for mode in [Mode::Fast, Mode::Immediate] {
        let rounds = plan.by_tier(3, 25);
        let mut slowest = Duration::ZERO;
        for _ in 0..rounds {
            tokio::time::sleep(Duration::from_millis(rng.u64(0..=PAUSE_MS_MAX))).await;
            tokio::task::block_in_place(|| cluster.restart(mode))?;
            slowest = slowest.max(recover(&servers, &load).await?);
        }
        report.fact(format!(
            "{rounds} restarts ({mode:?}): all wrote again within {slowest:?} of its being back"
        ));
    }
    let refused = load.shared.count_with_prefix("503 STORAGE_UNAVAILABLE");
    report.expect(refused > 0, "no request failed while PostgreSQL was stopped");
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// Waits until both servers are healthy and accept writes again; returns the duration.
pub(super) async fn recover(servers: &[Server; 2], load: &Load) -> anyhow::Result<Duration> {
    let began = Instant::now();
    for server in servers {
        server.wait_until_healthy().await?;
    }
    wait_for_responses(&load.shared, "201", 20).await?;
    Ok(began.elapsed())
}
