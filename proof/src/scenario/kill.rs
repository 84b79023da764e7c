//! F1: the server is killed again and again under load, and subscribers are cut off.

use std::time::Duration;

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::subscribers::Crowd;
use crate::writers::Manner;

/// Kills and cuts together that make a run worth something.
const BLOWS_MIN: u64 = 200;

/// The longest a life lasts before it is ended.
const LIFE_MS_MAX: u64 = 1_200;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run_with(plan, plan.by_tier(30, 300), report).await
}

/// The same with so many kills.
pub(crate) async fn run_with(plan: &Plan, kills: u64, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let crowd = Crowd { each: 20, kinds: plan.transports.clone(), life_ms_max: 2_500 };
    let load = Load::start(&server, plan, Manner::ORDINARY, &crowd, &mut rng).await;

    let slowest = nemesis(&mut server, kills, &mut rng).await?;
    let cuts = load.ground.counted("cut by the subscriber");
    report.fact(format!("{kills} kills, {cuts} cuts; the slowest restart took {slowest:?}"));
    report.expect(cuts + kills >= BLOWS_MIN, format!("only {cuts} cuts and {kills} kills"));
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// Kills and restarts; now and then kills again before the server is up.
async fn nemesis(
    server: &mut Server,
    kills: u64,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<Duration> {
    let mut slowest = Duration::ZERO;
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=LIFE_MS_MAX))).await;
        server.kill().await?;
        if rng.u8(..10) == 0 {
            server.launch()?;
            tokio::time::sleep(Duration::from_millis(rng.u64(0..60))).await;
            server.kill().await?;
        }
        slowest = slowest.max(server.restart().await?);
    }
    Ok(slowest)
}
