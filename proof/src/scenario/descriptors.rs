//! F15: the server may open no more files, and so accept no more clients.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::client::{Answer, Reply};
use crate::ground::Ground;
use crate::load::judge;
use crate::raw::Wire;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::writers::fresh_motion;

/// What the server may open.
const LIMIT: usize = 256;

/// Clients who were there first, and must not notice.
const REGULARS: usize = 20;

/// Clients who come when there is no place for all of them.
const CROWD: usize = 400;

/// For how long the processor is watched, and how many hundredths of a second it may be busy.
const WATCHED: Duration = Duration::from_secs(3);
const TICKS_MAX: u64 = 60;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let limit = format!("--nofile={LIMIT}:{LIMIT}");
    let setup = Setup::new(plan)?.through(&["prlimit", &limit]);
    let mut server = setup.start().await?;
    let ground = Arc::new(Ground::new(server.api.clone()));
    let mut regulars = Vec::new();
    for _ in 0..REGULARS {
        let mut wire = Wire::open(&server.api.address).await?;
        wire.get("/health", "").await?;
        wire.reply(HANG).await?;
        regulars.push(wire);
    }
    for _ in 0..plan.by_tier(1, 5) {
        // More clients than places: the others wait at the door.
        let crowd = gather(&server, CROWD).await?;
        stays_calm(&server, "more clients than places", report).await?;
        serve_regulars(&mut regulars, &ground, &mut rng).await?;
        drop(crowd);
        takes_newcomers(&server).await?;

        // No descriptor at all, not even for the door.
        set_limit(&server, server.descriptors()?)?;
        let crowd = gather(&server, 30).await?;
        stays_calm(&server, "no descriptor left", report).await?;
        serve_regulars(&mut regulars, &ground, &mut rng).await?;
        set_limit(&server, LIMIT)?;
        takes_newcomers(&server).await?;
        drop(crowd);
    }
    judge(&ground, &ground.transcripts().await?, report);
    server.stop_and_inspect().await?;
    Ok(())
}

async fn gather(server: &Server, count: usize) -> anyhow::Result<Vec<Wire>> {
    let mut crowd = Vec::with_capacity(count);
    for _ in 0..count {
        let mut wire = Wire::open(&server.api.address).await?;
        wire.get("/health", "").await?;
        crowd.push(wire);
    }
    Ok(crowd)
}

/// The processor rests while nothing can be done.
async fn stays_calm(server: &Server, when: &str, report: &mut Report) -> anyhow::Result<()> {
    let before = server.cpu_ticks()?;
    tokio::time::sleep(WATCHED).await;
    let ticks = server.cpu_ticks()? - before;
    report.fact(format!("with {when}, {ticks} ticks of processor time in {WATCHED:?}"));
    report.expect(ticks <= TICKS_MAX, format!("with {when}, the server spins: {ticks} ticks"));
    Ok(())
}

/// Those who were there first write as ever.
async fn serve_regulars(
    regulars: &mut [Wire],
    ground: &Arc<Ground>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<()> {
    for wire in regulars {
        let draft = fresh_motion(ground, rng);
        let body = draft.body().to_string();
        let t_start = ground.history.now();
        wire.post_head(&draft.path(), body.len()).await?;
        let told = wire.reply(HANG).await.context("a regular is not served")?;
        ensure!(told.status == 100, "a regular is answered {}", told.head);
        wire.send(&body).await?;
        let told = wire.reply(HANG).await.context("a regular's write is not answered")?;
        ensure!(told.status == 201, "a regular's write is answered {}", told.head);
        let status = told.status.try_into()?;
        let reply = Reply { status, replayed: false, retry_after: None, body: told.body };
        ground.record(ground.number(), &draft, t_start, Answer::Told(reply));
    }
    Ok(())
}

async fn takes_newcomers(server: &Server) -> anyhow::Result<()> {
    let mut wire = Wire::open(&server.api.address).await?;
    wire.get("/health", "").await?;
    let told = wire.reply(HANG).await.context("it does not take clients again")?;
    ensure!(told.status == 200, "a newcomer is answered {}", told.head);
    Ok(())
}

/// The soft limit, from now on.
fn set_limit(server: &Server, count: usize) -> anyhow::Result<()> {
    let limit = format!("--nofile={count}:{LIMIT}");
    let pid = server.pid()?.to_string();
    let status = Command::new("prlimit").args(["--pid", &pid, &limit]).status()?;
    ensure!(status.success(), "prlimit does not set {limit}");
    Ok(())
}
