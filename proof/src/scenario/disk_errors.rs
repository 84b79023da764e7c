//! F2: the disk fails to write, or fails to confirm what was written.

use std::sync::Arc;
use std::time::Duration;

use crate::ground::Ground;
use crate::load::{Load, judge};
use crate::run::{Plan, Report, Tier, keep};
use crate::server::{HANG, Server, Setup, inspect};
use crate::shim::{Calls, Errno, Shim};
use crate::storage::{
    FULL, Refusal, UNAVAILABLE, looks_troubled, nothing_was_acknowledged, until_told, write,
};
use crate::subscribers::Crowd;
use crate::writers::{Manner, Writers};

/// How many calls a server makes at most in the systematic run before it is left alone.
const NTH_MAX: u32 = 400;

/// How long a failure that does not latch may keep writes from going through.
const TROUBLE_MAX: Duration = Duration::from_millis(1_500);

/// Everything a round needs.
struct Stand<'r> {
    server: Server,
    shim: Shim,
    load: Load,
    /// For writes that only ask how the server is.
    scratch: Arc<Ground>,
    rng: fastrand::Rng,
    report: &'r mut Report,
}

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let rounds = plan.by_tier(2, 12);
    let mut rng = plan.rng();
    let setup = Setup::new(plan)?;
    let shim = Shim::build(setup.home())?;
    let server = shim.in_front_of(setup).start().await?;
    let crowd = Crowd { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start(&server, plan, Manner::ORDINARY, &crowd, &mut rng).await;
    let scratch = Arc::new(Ground::new(server.api.clone()));
    let mut stand = Stand { server, shim, load, scratch, rng, report };
    for _ in 0..rounds {
        stand.unconfirmed_writes().await?;
        stand.failing_writes(Errno::Io, UNAVAILABLE).await?;
        stand.failing_writes(Errno::NoSpace, FULL).await?;
    }
    stand.single_failures(plan.by_tier(8, 60)).await?;
    let Stand { mut server, load, mut rng, .. } = stand;
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    if plan.tier == Tier::Long {
        every_call_once(plan, &mut rng, report).await?;
    }
    Ok(())
}

impl Stand<'_> {
    /// fsync fails: the first failure latches. Nothing is written until a restart has read back
    /// what the disk holds, even when the disk says that it is well again.
    async fn unconfirmed_writes(&mut self) -> anyhow::Result<()> {
        let ground = Arc::clone(&self.load.ground);
        until_told(&ground, "201", 50).await?;
        self.shim.fail(Calls::Syncs, Errno::Io)?;
        let from = ground.history.now();
        until_told(&ground, "503 STORAGE_UNAVAILABLE", 20).await?;
        self.troubled(UNAVAILABLE).await?;
        self.shim.heal()?;
        until_told(&ground, "503 STORAGE_UNAVAILABLE", 20).await?;
        self.troubled(UNAVAILABLE).await?;
        nothing_was_acknowledged(&ground, (from, ground.history.now()), self.report);
        self.server.kill().await?;
        self.server.restart().await?;
        Ok(())
    }

    /// pwrite fails: writes are refused while it does and go on by themselves when it does not.
    async fn failing_writes(&mut self, errno: Errno, expected: Refusal) -> anyhow::Result<()> {
        let ground = Arc::clone(&self.load.ground);
        until_told(&ground, "201", 50).await?;
        self.shim.fail(Calls::Writes, errno)?;
        let from = ground.history.now();
        let (status, code) = expected;
        until_told(&ground, &format!("{status} {code}"), 20).await?;
        self.troubled(expected).await?;
        nothing_was_acknowledged(&ground, (from, ground.history.now()), self.report);
        self.shim.heal()?;
        self.server.gets_well().await?;
        until_told(&ground, "201", 20).await
    }

    async fn troubled(&mut self, expected: Refusal) -> anyhow::Result<()> {
        let Self { server, scratch, rng, report, .. } = self;
        looks_troubled(server, scratch, expected, rng, report).await
    }

    /// One call fails somewhere: the server either goes on or has latched.
    async fn single_failures(&mut self, count: u32) -> anyhow::Result<()> {
        let mut latched = 0;
        for _ in 0..count {
            until_told(&self.load.ground, "201", 5).await?;
            let before = self.shim.failed()?;
            // A commit writes many times and confirms once; both are to be hit.
            let (calls, n_max) =
                if self.rng.bool() { (Calls::Both, 40) } else { (Calls::Syncs, 4) };
            self.shim.fail_nth(calls, Errno::Io, self.rng.u32(1..=n_max))?;
            let look = async {
                while self.shim.failed().is_ok_and(|failed| failed == before) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(HANG, look).await?;
            if !takes_writes_again(&self.server, &self.scratch, &mut self.rng).await? {
                latched += 1;
                self.server.kill().await?;
                self.server.restart().await?;
            }
        }
        self.report.fact(format!("{count} single failures, {latched} of them latched"));
        Ok(())
    }
}

/// Whether writes go through soon after a failure; if not, the server has latched.
async fn takes_writes_again(
    server: &Server,
    scratch: &Arc<Ground>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<bool> {
    let began = std::time::Instant::now();
    while began.elapsed() < TROUBLE_MAX {
        if write(server, scratch, rng).await?.status.as_u16() == 201 {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(false)
}

/// SQLite's own method: the n-th call fails, for every n there is, from the first of the start on.
async fn every_call_once(
    plan: &Plan,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut hit_start, mut unhit) = (0, 0);
    for n in 1..=NTH_MAX {
        let setup = Setup::new(plan)?;
        let shim = Shim::build(setup.home())?;
        let mut server = shim.in_front_of(setup).at_rest()?;
        shim.fail_nth(Calls::Both, Errno::Io, n)?;
        if server.spawn().await.is_err() {
            hit_start += 1;
            shim.heal()?;
            server.spawn().await?;
        }
        let before = report.violations.len();
        few_writes(&mut server, &shim, rng, report).await?;
        if report.violations.len() > before {
            report.violations.push(format!("so it was when call {n} failed"));
        }
        unhit = if shim.failed()? == 0 { unhit + 1 } else { 0 };
        if unhit == 3 {
            report.fact(format!("every call up to {n} failed once, {hit_start} of them at start"));
            return Ok(());
        }
    }
    report.fact(format!("every call up to {NTH_MAX} failed once, {hit_start} of them at start"));
    Ok(())
}

/// A few writes, then a kill, a restart and a look at what is left.
async fn few_writes(
    server: &mut Server,
    shim: &Shim,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let ground = Arc::new(Ground::new(server.api.clone()));
    let manner =
        Manner { writers: 1, debates: 2, pause_ms_max: 0, content_max: 3_000, may_close: true };
    let writers = Writers::start(&ground, manner, rng).await;
    let enough = async {
        while ground.history.steps().len() < 12 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(HANG, enough).await?;
    let unsettled = writers.stop().await;
    shim.heal()?;
    server.kill().await?;
    server.restart().await?;
    unsettled.settle().await;
    let mut own = Report::default();
    judge(&ground, &ground.transcripts().await?, &mut own);
    keep(&ground, &mut own, 0);
    report.violations.extend(own.violations);
    server.kill().await?;
    inspect(&server.setup.database())
}
