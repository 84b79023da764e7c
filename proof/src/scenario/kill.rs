//! F1: the server is killed repeatedly under load, and subscribers are disconnected.

use std::time::Duration;

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

/// The minimum number of kills and disconnects in a run.
const FAULTS_MIN: u64 = 200;

/// The maximum lifetime of a server process.
const LIFE_MS_MAX: u64 = 1_200;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run_with(plan, plan.by_tier(30, 300), report).await
}

/// The same with `kills` kills.
pub(crate) async fn run_with(plan: &Plan, kills: u64, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let settings =
        SubscriberSettings { each: 20, kinds: plan.transports.clone(), life_ms_max: 2_500 };
    let load = Load::start(&server, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;

    let slowest = nemesis(&mut server, kills, &mut rng).await?;
    let cuts = load.shared.count_with_prefix("cut by the subscriber");
    report.fact(format!("{kills} kills, {cuts} cuts; the slowest restart took {slowest:?}"));
    report.expect(cuts + kills >= FAULTS_MIN, format!("only {cuts} cuts and {kills} kills"));
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// Kills and restarts the server; sometimes kills it again before it has started.
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
