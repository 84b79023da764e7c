//! F15: the server reaches its limit of open files and cannot accept further clients.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::client::{Answer, Reply};
use crate::load::check_history;
use crate::raw::RawConnection;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::SharedState;
use crate::writers::new_motion;

/// The server's limit of open files.
const LIMIT: usize = 256;

/// Clients that connected first and must not be affected.
const EARLY_CLIENTS: usize = 20;

/// Clients that connect when there are not enough descriptors.
const CROWD: usize = 400;

/// The time of the CPU measurement, and the maximum CPU time in ticks of a hundredth of a second.
const WATCHED: Duration = Duration::from_secs(3);
const TICKS_MAX: u64 = 60;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let limit = format!("--nofile={LIMIT}:{LIMIT}");
    let setup = Setup::new(plan)?.with_prefix(&["prlimit", &limit]);
    let mut server = setup.start().await?;
    let shared = Arc::new(SharedState::new(server.api.clone()));
    let mut regulars = Vec::new();
    for _ in 0..EARLY_CLIENTS {
        let mut wire = RawConnection::open(&server.api.address).await?;
        wire.get("/health", "").await?;
        wire.reply(HANG_TIMEOUT).await?;
        regulars.push(wire);
    }
    for _ in 0..plan.by_tier(1, 5) {
        // More clients than descriptors: the others wait in the listen queue.
        let settings = connect_clients(&server, CROWD).await?;
        check_idle_cpu(&server, "more clients than places", report).await?;
        check_early_clients(&mut regulars, &shared, &mut rng).await?;
        drop(settings);
        check_new_client(&server).await?;

        // No descriptor is left, not even for an accept.
        set_limit(&server, server.descriptors()?)?;
        let settings = connect_clients(&server, 30).await?;
        check_idle_cpu(&server, "no descriptor left", report).await?;
        check_early_clients(&mut regulars, &shared, &mut rng).await?;
        set_limit(&server, LIMIT)?;
        check_new_client(&server).await?;
        drop(settings);
    }
    check_history(&shared, &shared.transcripts().await?, report);
    server.stop_and_inspect().await?;
    Ok(())
}

async fn connect_clients(server: &Server, count: usize) -> anyhow::Result<Vec<RawConnection>> {
    let mut settings = Vec::with_capacity(count);
    for _ in 0..count {
        let mut wire = RawConnection::open(&server.api.address).await?;
        wire.get("/health", "").await?;
        settings.push(wire);
    }
    Ok(settings)
}

/// The server must not use the CPU while it cannot accept.
async fn check_idle_cpu(server: &Server, when: &str, report: &mut Report) -> anyhow::Result<()> {
    let before = server.cpu_ticks()?;
    tokio::time::sleep(WATCHED).await;
    let ticks = server.cpu_ticks()? - before;
    report.fact(format!("with {when}, {ticks} ticks of processor time in {WATCHED:?}"));
    report.expect(ticks <= TICKS_MAX, format!("with {when}, the server spins: {ticks} ticks"));
    Ok(())
}

/// The first clients must be able to write as before.
async fn check_early_clients(
    regulars: &mut [RawConnection],
    shared: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<()> {
    for wire in regulars {
        let draft = new_motion(shared, rng);
        let body = draft.body().to_string();
        let t_start = shared.history.now();
        wire.post_head(&draft.path(), body.len()).await?;
        let told = wire.reply(HANG_TIMEOUT).await.context("a regular is not served")?;
        ensure!(told.status == 100, "a regular is answered {}", told.head);
        wire.send(&body).await?;
        let told = wire.reply(HANG_TIMEOUT).await.context("a regular's write is not answered")?;
        ensure!(told.status == 201, "a regular's write is answered {}", told.head);
        let status = told.status.try_into()?;
        let reply = Reply { status, replayed: false, retry_after: None, body: told.body };
        shared.record(shared.number(), &draft, t_start, Answer::Answered(reply));
    }
    Ok(())
}

async fn check_new_client(server: &Server) -> anyhow::Result<()> {
    let mut wire = RawConnection::open(&server.api.address).await?;
    wire.get("/health", "").await?;
    let told = wire.reply(HANG_TIMEOUT).await.context("it does not take clients again")?;
    ensure!(told.status == 200, "a newcomer is answered {}", told.head);
    Ok(())
}

/// Sets the soft limit of open files.
fn set_limit(server: &Server, count: usize) -> anyhow::Result<()> {
    let limit = format!("--nofile={count}:{LIMIT}");
    let pid = server.pid()?.to_string();
    let status = Command::new("prlimit").args(["--pid", &pid, &limit]).status()?;
    ensure!(status.success(), "prlimit does not set {limit}");
    Ok(())
}
