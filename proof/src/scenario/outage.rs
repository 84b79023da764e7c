//! F7, its second half: PostgreSQL is away for a while. Everyone is told so at once, and when it is
//! back all goes on by itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use aw_testbed::{Cluster, Mode};

use super::restart::recover;
use crate::ground::Ground;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::storage::{
    UNAVAILABLE, is_refused, nothing_was_acknowledged, takes_no_writes, until_told,
};
use crate::subscribers::Crowd;
use crate::writers::{Manner, open_debates};

/// How often the servers are looked at meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let lasts = Duration::from_secs(plan.by_tier(4, 30));
    let mut rng = plan.rng();
    let mut cluster = Cluster::start()?;
    let database = cluster.create_database()?;
    let mut servers = Setup::pair(plan, database.url()).await?;
    let ground = Arc::new(Ground::both(servers.each_ref()).without_storage_at_times());
    let crowd = Crowd { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(ground, plan, Manner::ORDINARY, &crowd, &mut rng).await;
    let scratch = Arc::new(Ground::both(servers.each_ref()));
    open_debates(&scratch, 1, &mut rng).await;

    for mode in [Mode::Fast, Mode::Immediate] {
        until_told(&load.ground, "201", 50).await?;
        tokio::task::block_in_place(|| cluster.stop(mode))?;
        let (began, from) = (Instant::now(), load.ground.history.now());
        for server in &servers {
            server.gets_unwell().await?;
        }
        let mut slowest = Duration::ZERO;
        while began.elapsed() < lasts {
            for server in &servers {
                slowest = slowest.max(says_so(server, &scratch, &mut rng, report).await?);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        nothing_was_acknowledged(&load.ground, (from, load.ground.history.now()), report);
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

/// A server without its storage: whatever is asked, the answer says so. Tells how long all of it
/// took together.
async fn says_so(
    server: &Server,
    scratch: &Arc<Ground>,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let look = async {
        takes_no_writes(server, scratch, UNAVAILABLE, rng, report).await?;
        let debates = scratch.all_open();
        let debate = debates.first().context("a debate was opened before")?.debate;
        for path in [
            "/debates?limit=5".to_owned(),
            format!("/debates/{debate}"),
            format!("/debates/{debate}/poll?role=opponent"),
            format!("/debates/{debate}/wait?role=opponent"),
        ] {
            is_refused(&server.api.ask(&path).await?, &path, UNAVAILABLE, report);
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(HANG, look).await.context("a server without storage hangs")??;
    Ok(began.elapsed())
}
