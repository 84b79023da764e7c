//! F4: another process holds the database's write lock; a second server starts on the same file.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;

use crate::history::{Micros, Outcome, Step};
use crate::load::Load;
use crate::run::{Plan, Report};
use crate::server::{HANG_TIMEOUT, Server, Setup};
use crate::shared_state::SharedState;
use crate::storage::{UNAVAILABLE, check_unavailable, wait_for_responses};
use crate::subscribers::SubscriberSettings;
use crate::writers::WriterSettings;

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.start().await?;
    let settings =
        SubscriberSettings { each: 5, kinds: plan.transports.clone(), life_ms_max: 3_000 };
    let load = Load::start(&server, plan, WriterSettings::ORDINARY, &settings, &mut rng).await;
    let scratch = Arc::new(SharedState::new(server.api.clone()));
    for _ in 0..plan.by_tier(1, 8) {
        wait_for_responses(&load.shared, "201", 50).await?;
        // Held until the server has given up twice: for the writers, and for the check of this run.
        let lock = Lock::take(&server).await?;
        let from = load.shared.history.now();
        wait_for_responses(&load.shared, "503 STORAGE_UNAVAILABLE", 4).await?;
        let to = load.shared.history.now();
        check_unavailable(&server, &scratch, UNAVAILABLE, &mut rng, report).await?;
        check_nothing_written(&load.shared, (from, to), report).await?;
        lock.release()?;
        wait_for_responses(&load.shared, "201", 20).await?;
        server.wait_until_healthy().await?;
    }
    second_server(&server, report).await?;
    load.finish(report).await?;
    server.stop_and_inspect().await?;
    Ok(())
}

/// A write lock of another process than the server.
struct Lock(rusqlite::Connection);

impl Lock {
    async fn take(server: &Server) -> anyhow::Result<Self> {
        let path = server.setup.database();
        let take = move || {
            let connection = rusqlite::Connection::open(path)?;
            connection.busy_timeout(HANG_TIMEOUT)?;
            connection.execute_batch("begin immediate")?;
            anyhow::Ok(Self(connection))
        };
        tokio::task::spawn_blocking(take).await?.context("the lock can't be taken")
    }

    fn release(self) -> anyhow::Result<()> {
        Ok(self.0.execute_batch("rollback")?)
    }
}

/// Writes that were refused while the lock was held are not in the log, not even in part.
async fn check_nothing_written(
    shared: &SharedState,
    (from, to): (Micros, Micros),
    report: &mut Report,
) -> anyhow::Result<()> {
    let transcripts = shared.transcripts().await?;
    let steps = shared.history.steps();
    let refused: Vec<_> = steps
        .iter()
        .filter(|step| step.t_end >= from && step.t_end <= to)
        .filter(|step| matches!(step.outcome, Outcome::Indefinite(_)))
        .collect();
    let written = |key: &str| {
        let mut rows = transcripts.iter().flat_map(|transcript| &transcript.rows);
        rows.any(|row| row.key.as_deref() == Some(key))
    };
    // A refused retry may belong to a write that succeeded before.
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
    let output =
        tokio::time::timeout(HANG_TIMEOUT, output).await.context("a second server runs")??;
    let content = String::from_utf8_lossy(&output.stderr).into_owned();
    report.expect(!output.status.success(), "a second server on the same file ended well");
    let helps = content.contains("debate.db") && content.contains("in use");
    report.expect(helps, format!("a second server says only: {content}"));
    report.fact(format!("a second server says: {}", content.trim()));
    Ok(())
}
