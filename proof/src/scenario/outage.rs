//! F7, its second half: PostgreSQL is down for a while. Every request is refused at once, and when
//! the database is back everything resumes automatically.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use aw_testbed::{Cluster, Mode};

use super::restart::recover;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::SharedState;
use crate::storage::{
    UNAVAILABLE, check_nothing_acknowledged, check_writes_refused, is_refused, wait_for_responses,
};
use crate::subscribers::SubscriberSettings;
use crate::writers::{WriterSettings, open_debates};

/// The interval between two checks of the servers.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let lasts = Duration::from_secs(plan.by_tier(4, 30));
    let mut rng = plan.rng();
    let mut cluster = Cluster::start()?;
    let database = cluster.create_database()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let shared = Arc::new(SharedState::both(servers.each_ref()).with_storage_outages());
    let settings =
        SubscriberSettings { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(shared, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;
    let scratch = Arc::new(SharedState::both(servers.each_ref()));
    open_debates(&scratch, 1, &mut rng).await;

    for mode in [Mode::Fast, Mode::Immediate] {
        wait_for_responses(&load.shared, "201", 50).await?;
        tokio::task::block_in_place(|| cluster.stop(mode))?;
        let (began, from) = (Instant::now(), load.shared.history.now());
        for server in &servers {
            server.wait_until_unhealthy().await?;
        }
        let mut slowest = Duration::ZERO;
        while began.elapsed() < lasts {
            for server in &servers {
                slowest = slowest.max(check_refusals(server, &scratch, &mut rng, report).await?);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        check_nothing_acknowledged(&load.shared, (from, load.shared.history.now()), report);
        tokio::task::block_in_place(|| cluster.start_again())?;
        let took = recover(&servers, &load).await?;
        report.fact(format!(
            "away for {lasts:?} ({mode:?}): it was said within {slowest:?} at most; all wrote \
             again within {took:?} of its being back"
        ));
    }
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// Checks that a server without storage refuses every request; returns the total duration.
async fn check_refusals(
    server: &Server,
    scratch: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let look = async {
        check_writes_refused(server, scratch, UNAVAILABLE, rng, report).await?;
        let debates = scratch.all_open();
        let debate = debates.first().context("a debate was opened before")?.debate;
        for path in [
            "/debates?limit=5".to_owned(),
            format!("/debates/{debate}"),
            format!("/debates/{debate}/poll?role=opponent"),
            format!("/debates/{debate}/wait?role=opponent"),
        ] {
            is_refused(&server.api.get_answered(&path).await?, &path, UNAVAILABLE, report);
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(HANG_TIMEOUT, look).await.context("a server without storage hangs")??;
    Ok(began.elapsed())
}
