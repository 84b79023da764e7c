//! F4: another process holds the database's write lock; and a second server on the same file.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;

use crate::ground::Ground;
use crate::history::{Micros, Outcome, Step};
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG, Server, Setup};
use crate::storage::{UNAVAILABLE, looks_troubled, until_told};
use crate::subscribers::Crowd;
use crate::writers::Manner;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let crowd = Crowd { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start(&server, plan, Manner::ORDINARY, &crowd, &mut rng).await;
    let scratch = Arc::new(Ground::new(server.api.clone()));
    for _ in 0..plan.by_tier(1, 8) {
        until_told(&load.ground, "201", 50).await?;
        // Held until the server has given up on it twice: for the writers, and for our own look.
        let lock = Lock::take(&server).await?;
        let from = load.ground.history.now();
        until_told(&load.ground, "503 STORAGE_UNAVAILABLE", 4).await?;
        let to = load.ground.history.now();
        looks_troubled(&server, &scratch, UNAVAILABLE, &mut rng, report).await?;
        nothing_was_written(&load.ground, (from, to), report).await?;
        lock.release()?;
        until_told(&load.ground, "201", 20).await?;
        server.gets_well().await?;
    }
    second_server(&server, report).await?;
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// A write lock that is not the server's.
struct Lock(rusqlite::Connection);

impl Lock {
    async fn take(server: &Server) -> anyhow::Result<Self> {
        let path = server.setup.database();
        let take = move || {
            let connection = rusqlite::Connection::open(path)?;
            connection.busy_timeout(HANG)?;
            connection.execute_batch("begin immediate")?;
            anyhow::Ok(Self(connection))
        };
        tokio::task::spawn_blocking(take).await?.context("the lock can't be taken")
    }

    fn release(self) -> anyhow::Result<()> {
        Ok(self.0.execute_batch("rollback")?)
    }
}

/// What was refused while the lock was held is not there, not even in part.
async fn nothing_was_written(
    ground: &Ground,
    (from, to): (Micros, Micros),
    report: &mut Report,
) -> anyhow::Result<()> {
    let transcripts = ground.transcripts().await?;
    let steps = ground.history.steps();
    let refused: Vec<_> = steps
        .iter()
        .filter(|step| step.t_end >= from && step.t_end <= to)
        .filter(|step| matches!(step.outcome, Outcome::Indefinite(_)))
        .collect();
    let written = |key: &str| {
        let mut rows = transcripts.iter().flat_map(|transcript| &transcript.rows);
        rows.any(|row| row.key.as_deref() == Some(key))
    };
    // What a retry is refused may have been written long before.
    let had_been_written = |step: &Step| {
        let same = |other: &&Step| other.key == step.key && other.t_end <= step.t_end;
        steps.iter().filter(same).any(|other| matches!(other.outcome, Outcome::Ok { .. }))
    };
    for step in refused.iter().filter(|step| !had_been_written(step)) {
        let key = &step.key;
        report.expect(!written(key), format!("{key} was refused under a lock and is there"));
    }
    report.fact(format!("{} requests were refused under the lock", refused.len()));
    report.expect(!refused.is_empty(), "nothing was refused under the lock");
    Ok(())
}

async fn second_server(server: &Server, report: &mut Report) -> anyhow::Result<()> {
    let mut command = server.setup.command(0);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
    let output = tokio::time::timeout(HANG, output).await.context("a second server runs")??;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    report.expect(!output.status.success(), "a second server on the same file ended well");
    let helps = words.contains("debate.db") && words.contains("in use");
    report.expect(helps, format!("a second server says only: {words}"));
    report.fact(format!("a second server says: {}", words.trim()));
    Ok(())
}
