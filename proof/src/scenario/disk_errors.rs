//! F2: disk writes fail, or their sync fails.

use std::sync::Arc;
use std::time::Duration;

use crate::load::{Load, check_history};
use crate::run::{Plan, Report, Tier, save_history};
use crate::server::{HANG_TIMEOUT, Server, Setup, inspect};
use crate::shared_state::SharedState;
use crate::shim::{Calls, Errno, Shim};
use crate::storage::{
    FULL, Refusal, UNAVAILABLE, check_nothing_acknowledged, check_unavailable, wait_for_responses,
    write,
};
use crate::subscribers::SubscriberSettings;
use crate::writers::{WriterSettings, Writers};

/// The maximum number of calls of a server in the systematic run.
const NTH_MAX: u32 = 400;

/// The maximum time for which a failure that does not latch may prevent writes.
const UNAVAILABLE_MAX: Duration = Duration::from_millis(1_500);

/// The server, the fault switch and the report of a run.
struct DiskErrorRun<'r> {
    server: Server,
    shim: Shim,
    load: Load,
    /// For writes that only test the server's state.
    scratch: Arc<SharedState>,
    rng: fastrand::Rng,
    report: &'r mut Report,
}

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let rounds = plan.by_tier(2, 12);
    let mut rng = plan.rng();
    let setup = Setup::new(plan)?;
    let shim = Shim::build(setup.home())?;
    let server = shim.preload_into(setup).start().await?;
    let settings =
        SubscriberSettings { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start(&server, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;
    let scratch = Arc::new(SharedState::new(server.api.clone()));
    let mut stand = DiskErrorRun { server, shim, load, scratch, rng, report };
    for _ in 0..rounds {
        stand.unconfirmed_writes().await?;
        stand.failing_writes(Errno::Io, UNAVAILABLE).await?;
        stand.failing_writes(Errno::NoSpace, FULL).await?;
    }
    stand.single_failures(plan.by_tier(8, 60)).await?;
    let DiskErrorRun { mut server, load, mut rng, .. } = stand;
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    if plan.tier == Tier::Long {
        fail_every_call_once(plan, &mut rng, report).await?;
    }
    Ok(())
}

impl DiskErrorRun<'_> {
    /// fsync fails: the first failure latches. The server accepts no write until a restart has read
    /// back the disk's content, even if the disk works again.
    async fn unconfirmed_writes(&mut self) -> anyhow::Result<()> {
        let shared = Arc::clone(&self.load.shared);
        wait_for_responses(&shared, "201", 50).await?;
        self.shim.fail(Calls::Syncs, Errno::Io)?;
        let from = shared.history.now();
        wait_for_responses(&shared, "503 STORAGE_UNAVAILABLE", 20).await?;
        self.check_refused(UNAVAILABLE).await?;
        self.shim.clear_fault()?;
        wait_for_responses(&shared, "503 STORAGE_UNAVAILABLE", 20).await?;
        self.check_refused(UNAVAILABLE).await?;
        check_nothing_acknowledged(&shared, (from, shared.history.now()), self.report);
        self.server.kill().await?;
        self.server.restart().await?;
        Ok(())
    }

    /// pwrite fails: the server refuses writes meanwhile and resumes automatically.
    async fn failing_writes(&mut self, errno: Errno, expected: Refusal) -> anyhow::Result<()> {
        let shared = Arc::clone(&self.load.shared);
        wait_for_responses(&shared, "201", 50).await?;
        self.shim.fail(Calls::Writes, errno)?;
        let from = shared.history.now();
        let (status, code) = expected;
        wait_for_responses(&shared, &format!("{status} {code}"), 20).await?;
        self.check_refused(expected).await?;
        check_nothing_acknowledged(&shared, (from, shared.history.now()), self.report);
        self.shim.clear_fault()?;
        self.server.wait_until_healthy().await?;
        wait_for_responses(&shared, "201", 20).await
    }

    async fn check_refused(&mut self, expected: Refusal) -> anyhow::Result<()> {
        let Self { server, scratch, rng, report, .. } = self;
        check_unavailable(server, scratch, expected, rng, report).await
    }

    /// One call fails: the server either continues or has latched.
    async fn single_failures(&mut self, count: u32) -> anyhow::Result<()> {
        let mut latched = 0;
        for _ in 0..count {
            wait_for_responses(&self.load.shared, "201", 5).await?;
            let before = self.shim.failed()?;
            // A commit writes many times and syncs once; both must be hit.
            let (calls, n_max) =
                if self.rng.bool() { (Calls::Both, 40) } else { (Calls::Syncs, 4) };
            self.shim.fail_nth(calls, Errno::Io, self.rng.u32(1..=n_max))?;
            let look = async {
                while self.shim.failed().is_ok_and(|failed| failed == before) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(HANG_TIMEOUT, look).await?;
            if !accepts_writes_again(&self.server, &self.scratch, &mut self.rng).await? {
                latched += 1;
                self.server.kill().await?;
                self.server.restart().await?;
            }
        }
        self.report.fact(format!("{count} single failures, {latched} of them latched"));
        Ok(())
    }
}

/// Whether writes succeed soon after a failure; if not, the server has latched.
async fn accepts_writes_again(
    server: &Server,
    scratch: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<bool> {
    let began = std::time::Instant::now();
    while began.elapsed() < UNAVAILABLE_MAX {
        if write(server, scratch, rng).await?.status.as_u16() == 201 {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(false)
}

/// SQLite's method: the n-th call fails, for every n, from the first call of the start.
async fn fail_every_call_once(
    plan: &Plan,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut hit_start, mut unhit) = (0, 0);
    for n in 1..=NTH_MAX {
        let setup = Setup::new(plan)?;
        let shim = Shim::build(setup.home())?;
        let mut server = shim.preload_into(setup).prepare()?;
        shim.fail_nth(Calls::Both, Errno::Io, n)?;
        if server.spawn().await.is_err() {
            hit_start += 1;
            shim.clear_fault()?;
            server.spawn().await?;
        }
        let before = report.violations.len();
        check_few_writes(&mut server, &shim, rng, report).await?;
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

/// A few writes, then a kill, a restart and a check of the file.
async fn check_few_writes(
    server: &mut Server,
    shim: &Shim,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let shared = Arc::new(SharedState::new(server.api.clone()));
    let settings = WriterSettings {
        writers: 1,
        debates: 2,
        pause_ms_max: 0,
        content_max: 3_000,
        may_close: true,
    };
    let writers = Writers::start(&shared, settings, rng).await;
    let enough = async {
        while shared.history.steps().len() < 12 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(HANG_TIMEOUT, enough).await?;
    let unsettled = writers.stop().await;
    shim.clear_fault()?;
    server.kill().await?;
    server.restart().await?;
    unsettled.settle().await;
    let mut own = Report::default();
    check_history(&shared, &shared.transcripts().await?, &mut own);
    save_history(&shared, &mut own, 0);
    report.violations.extend(own.violations);
    server.kill().await?;
    inspect(&server.setup.database())
}
