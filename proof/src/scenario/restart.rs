//! F7: PostgreSQL is restarted under two servers, in an orderly way and as after a crash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aw_testbed::{Cluster, Mode};

use crate::ground::Ground;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::storage::until_told;
use crate::subscribers::Crowd;
use crate::writers::Manner;

/// The longest everything runs before the next restart.
const CALM_MS_MAX: u64 = 1_500;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut cluster = Cluster::start()?;
    let database = cluster.create_database()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let ground = Arc::new(Ground::both(servers.each_ref()).without_storage_at_times());
    let crowd = Crowd { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(ground, plan, Manner::ORDINARY, &crowd, &mut rng).await;

    for mode in [Mode::Fast, Mode::Immediate] {
        let rounds = plan.by_tier(3, 25);
        let mut slowest = Duration::ZERO;
        for _ in 0..rounds {
            tokio::time::sleep(Duration::from_millis(rng.u64(0..=CALM_MS_MAX))).await;
            tokio::task::block_in_place(|| cluster.restart(mode))?;
            slowest = slowest.max(recover(&servers, &load).await?);
        }
        report.fact(format!(
            "{rounds} restarts ({mode:?}): all wrote again within {slowest:?} of its being back"
        ));
    }
    let refused = load.ground.counted("503 STORAGE_UNAVAILABLE");
    report.expect(refused > 0, "nobody noticed that PostgreSQL was away");
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// Waits until both servers are well and write, by themselves; tells how long that took.
pub(super) async fn recover(servers: &[Server; 2], load: &Load) -> anyhow::Result<Duration> {
    let began = Instant::now();
    for server in servers {
        server.gets_well().await?;
    }
    until_told(&load.ground, "201", 20).await?;
    Ok(began.elapsed())
}
