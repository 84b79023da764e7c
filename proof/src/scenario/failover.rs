//! F7c and F7d: the primary of PostgreSQL stops, or hangs with its sockets open, and its
//! synchronous standby is promoted under two servers whose URL names both.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aw_testbed::{Cluster, Mode};

use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Setup};
use crate::shared_state::SharedState;
use crate::storage::wait_for_responses;
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

/// The maximum time before the primary fails.
const PAUSE_MS_MAX: u64 = 1_500;

/// The time until an operator notices the failure and promotes the standby.
const NOTICE_MS: std::ops::RangeInclusive<u64> = 200..=3_000;

/// The maximum time from a promotion to the first acknowledged write.
const FIRST_WRITE_MAX: Duration = Duration::from_secs(30);

/// The kind of failure of a primary.
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
    let shared = Arc::new(SharedState::both(servers.each_ref()).with_storage_outages());
    let settings =
        SubscriberSettings { each: 10, kinds: plan.transports.clone(), life_ms_max: 4_000 };
    let load = Load::start_on(shared, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;

    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..=PAUSE_MS_MAX))).await;
        wait_for_responses(&load.shared, "201", 20).await?;
        tokio::task::block_in_place(|| clusters.fail(failure, round))?;
        tokio::time::sleep(Duration::from_millis(rng.u64(NOTICE_MS))).await;
        let written = load.shared.count_with_prefix("201");
        let promoted = Instant::now();
        tokio::task::block_in_place(|| clusters.standby.promote())?;
        let first_write = wait_for_write(&load.shared, written, promoted).await;
        slowest = slowest.max(first_write);
        report.expect(
            first_write <= FIRST_WRITE_MAX,
            format!("round {round}: no write within {FIRST_WRITE_MAX:?} of the promotion"),
        );
        // A hanging primary is fenced before it can resume: it would accept writes that are lost.
        tokio::task::block_in_place(|| clusters.replace(failure))?;
        for server in &servers {
            server.wait_until_healthy().await?;
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

/// The time from the promotion to the first newly acknowledged write.
async fn wait_for_write(shared: &SharedState, written: u64, promoted: Instant) -> Duration {
    while shared.count_with_prefix("201") == written
        && promoted.elapsed() < FIRST_WRITE_MAX + HANG_TIMEOUT
    {
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

    /// A URL of both hosts that accepts only the writable one.
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

    /// Makes the failed primary the standby of the promoted server.
    fn replace(&mut self, failure: Failure) -> anyhow::Result<()> {
        if failure == Failure::Hang {
            self.primary.kill()?;
        }
        std::mem::swap(&mut self.primary, &mut self.standby);
        self.standby.follow_primary(&self.primary)?;
        self.primary.commit_with_standby()
    }
}
