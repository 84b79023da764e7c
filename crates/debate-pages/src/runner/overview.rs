//! The runner's part of the home page.

use debate_app::runner::{Runner, RunnerError};
use debate_core::Limit;
use debate_core::runner::{Run, RunQuery, Status};

use super::view::RunRow;

/// The number of runs in each list.
const ROWS_MAX: u32 = 8;

/// The newest runs of each kind, for the home page.
#[derive(Debug)]
pub struct RunOverview {
    pub(crate) failed: Vec<RunRow>,
    pub(crate) running: Vec<RunRow>,
    pub(crate) completed: Vec<RunRow>,
    pub(crate) is_empty: bool,
}

/// Reads at most eight runs of each kind.
pub async fn overview(runner: &Runner) -> Result<RunOverview, RunnerError> {
    let mut running = list_with_status(runner, Some(Status::Running), ROWS_MAX).await?;
    running.extend(list_with_status(runner, Some(Status::Stopping), ROWS_MAX).await?);
    running.truncate(usize::try_from(ROWS_MAX).unwrap_or(usize::MAX));
    let rows = |runs: Vec<Run>| runs.iter().map(RunRow::from).collect();
    Ok(RunOverview {
        failed: rows(list_with_status(runner, Some(Status::Failed), ROWS_MAX).await?),
        running: rows(running),
        completed: rows(list_with_status(runner, Some(Status::Completed), ROWS_MAX).await?),
        is_empty: list_with_status(runner, None, 1).await?.is_empty(),
    })
}

async fn list_with_status(
    runner: &Runner,
    status: Option<Status>,
    count: u32,
) -> Result<Vec<Run>, RunnerError> {
    let limit = Limit::new(count).unwrap_or(Limit::DEFAULT);
    Ok(runner.list(RunQuery { status, after: None, limit }).await?.runs)
}
