//! The list of runs, and the newest runs on the home page.

use askama::Template;
use debate_app::runner::{RunListPage, Runner, RunnerError};
use debate_core::Limit;
use debate_core::runner::{Run, RunQuery, Status};
use debate_wire::runner as wire;

use super::new_run::DemoForm;
use super::view::RunRow;
use crate::frame::{Frame, PageRequest, Section};
use crate::links::{FilterLink, Pagination, filter_links};
use crate::outcome::PageOutcome;

const PATH: &str = "/runs";

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "runner/list.html")]
struct RunsPage {
    frame: Frame,
    filters: Vec<FilterLink>,
    rows: Vec<RunRow>,
    first: &'static str,
    is_first: bool,
    next: Option<String>,
    /// Whether the server has no runs.
    is_empty: bool,
    was_deleted: bool,
    demo: DemoForm,
}

/// The requested part of the list.
#[derive(Debug)]
pub struct RunFilter {
    /// The name of a status; empty for all runs.
    pub status: String,
}

impl RunFilter {
    /// The query of the API that reads a page of this list.
    #[must_use]
    pub fn query(&self, cursor: Option<String>) -> wire::ListQuery {
        let (status, limit) = (Some(self.status.clone()), Some(PAGE_ROWS.to_owned()));
        wire::ListQuery { status, limit, cursor }
    }

    fn links(&self) -> Vec<FilterLink> {
        let options = [
            ("All", ""),
            ("Running", Status::Running.name()),
            ("Stopping", Status::Stopping.name()),
            ("Failed", Status::Failed.name()),
            ("Stopped", Status::Stopped.name()),
            ("Created", Status::Created.name()),
            ("Completed", Status::Completed.name()),
            ("Cancelled", Status::Canceled.name()),
        ];
        filter_links(PATH, &[], ("status", &self.status), &options)
    }
}

/// A page of the list. `was_deleted` says that the browser comes from a deleted run.
#[must_use]
pub fn list(
    request: &PageRequest,
    filter: &RunFilter,
    found: &RunListPage,
    pagination: &Pagination,
    was_deleted: bool,
) -> PageOutcome {
    let is_first = pagination.is_first;
    let page = RunsPage {
        frame: request.frame(Section::Runner, "Runs"),
        filters: filter.links(),
        rows: found.runs.iter().map(RunRow::from).collect(),
        first: PATH,
        is_first,
        next: pagination.next_link(PATH, &[("status", &filter.status)]),
        is_empty: found.runs.is_empty() && is_first && filter.status.is_empty(),
        was_deleted,
        demo: DemoForm::new(&request.form_token),
    };
    PageOutcome::Shown(request.render(&page))
}

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
