//! F7c and F7d: the primary of PostgreSQL stops, or hangs with its sockets open, and its
//! synchronous standby is promoted under two servers whose URL names both.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aw_testbed::{Cluster, Mode};

use crate::ground::Ground;
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG, Setup};
use crate::storage::until_told;
use crate::subscribers::Crowd;
use crate::writers::Manner;

/// The longest everything runs before the primary fails.
const CALM_MS_MAX: u64 = 1_500;

/// How long an operator takes to notice the failure and to promote the standby.
const NOTICE_MS: std::ops::RangeInclusive<u64> = 200..=3_000;

/// The longest time from a promotion to the first write that is acknowledged.
const FIRST_WRITE_MAX: Duration = Duration::from_secs(30);

/// How a primary fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Stop,
    Hang,
}

pub(super) async fn run_stopped(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run(plan, Failure::Stop, plan.by_tier(2, 20), report).await
}

pub(super) async fn run_hung(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    run(plan, Failure::Hang, plan.by_tier(1, 5), report).await
}

async fn run(
    plan: &Plan,
    failure: Failure,
    rounds: u32,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut clusters = tokio::task::block_in_place(Replicated::start)?;
    let mut servers = Setup::pair(plan, &clusters.url()).await?;
    let ground = Arc::new(Ground::both(servers.each_ref()).without_storage_at_times());
    let crowd = Crowd { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(ground, plan, Manner::ORDINARY, &crowd, &mut rng).await;

    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=CALM_MS_MAX))).await;
        until_told(&load.ground, "201", 20).await?;
        tokio::task::block_in_place(|| clusters.fail(failure, round))?;
        tokio::time::sleep(Duration::from_millis(rng.u64(NOTICE_MS))).await;
        let written = load.ground.counted("201");
        let promoted = Instant::now();
        tokio::task::block_in_place(|| clusters.standby.promote())?;
        let first_write = wait_for_write(&load.ground, written, promoted).await;
        slowest = slowest.max(first_write);
        report.expect(
            first_write <= FIRST_WRITE_MAX,
            format!("round {round}: no write within {FIRST_WRITE_MAX:?} of the promotion"),
        );
        // A primary that hangs is fenced before it can go on: it would take writes that are lost.
        tokio::task::block_in_place(|| clusters.replace(failure))?;
        for server in &servers {
            server.gets_well().await?;
        }
    }
    report.fact(format!(
        "{rounds} fail-overs ({failure:?}): the first write came {slowest:?} after the promotion \
         at the latest"
    ));
    load.finish(report).await?;
    for server in &mut servers {
        server.stop_and_inspect().await?;
    }
    Ok(())
}

/// How long after the promotion a write is acknowledged that was not counted before.
async fn wait_for_write(ground: &Ground, written: u64, promoted: Instant) -> Duration {
    while ground.counted("201") == written && promoted.elapsed() < FIRST_WRITE_MAX + HANG {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    promoted.elapsed()
}

/// A primary and its synchronous standby.
struct Replicated {
    primary: Cluster,
    standby: Cluster,
}

impl Replicated {
    fn start() -> anyhow::Result<Self> {
        let (primary, mut standby) = (Cluster::start()?, Cluster::start()?);
        standby.stop(Mode::Fast)?;
        standby.follow_primary(&primary)?;
        primary.commit_with_standby()?;
        Ok(Self { primary, standby })
    }

    /// Both hosts, of which only the one that takes writes will do.
    fn url(&self) -> String {
        let place = self.primary.address();
        let both = format!("{place},{}", self.standby.address());
        let url = self.primary.url("postgres").replace(&place, &both);
        format!("{url}?target_session_attrs=read-write")
    }

    fn fail(&mut self, failure: Failure, round: u32) -> anyhow::Result<()> {
        match failure {
            Failure::Stop if round.is_multiple_of(2) => self.primary.stop(Mode::Immediate),
            Failure::Stop => self.primary.stop(Mode::Fast),
            Failure::Hang => self.primary.hang(),
        }
    }

    /// Makes the failed primary the standby of the one that was promoted.
    fn replace(&mut self, failure: Failure) -> anyhow::Result<()> {
        if failure == Failure::Hang {
            self.primary.kill()?;
        }
        std::mem::swap(&mut self.primary, &mut self.standby);
        self.standby.follow_primary(&self.primary)?;
        self.primary.commit_with_standby()
    }
}
