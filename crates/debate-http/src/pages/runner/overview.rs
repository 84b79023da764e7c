//! The runner's part of the home page.

use debate_app::runner::{Runner, RunnerError};
use debate_core::Limit;
use debate_core::runner::{Run, RunQuery, Status};

use super::view::Row;

/// The number of runs in each list.
const SHOWN: u32 = 8;

/// Failed, running and completed runs.
pub(crate) struct Overview {
    /// Failed runs.
    pub(crate) failed: Vec<Row>,
    /// Runs in progress.
    pub(crate) running: Vec<Row>,
    /// The runs that completed last.
    pub(crate) completed: Vec<Row>,
    pub(crate) is_empty: bool,
}

/// Reads it, a few rows a status.
pub(in crate::pages) async fn overview(runner: &Runner) -> Result<Overview, RunnerError> {
    let mut running = with(runner, Some(Status::Running), SHOWN).await?;
    running.extend(with(runner, Some(Status::Stopping), SHOWN).await?);
    running.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let rows = |runs: Vec<Run>| runs.iter().map(Row::from).collect();
    Ok(Overview {
        failed: rows(with(runner, Some(Status::Failed), SHOWN).await?),
        running: rows(running),
        completed: rows(with(runner, Some(Status::Completed), SHOWN).await?),
        is_empty: with(runner, None, 1).await?.is_empty(),
    })
}

async fn with(
    runner: &Runner,
    status: Option<Status>,
    count: u32,
) -> Result<Vec<Run>, RunnerError> {
    let limit = Limit::new(count).unwrap_or(Limit::DEFAULT);
    Ok(runner.list(RunQuery { status, after: None, limit }).await?.runs)
}
