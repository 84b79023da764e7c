//! Lists of runs, a run, and its live updates.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use debate_app::runner::Runner;
use debate_core::RunId;
use debate_pages::Pagination;
use debate_pages::runner::{self as pages, RunFilter, RunUsage};

use crate::app_state::Settings;
use crate::cursor;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::{Parse, PathId};
use crate::pages::browser::{Browser, QueryParams};
use crate::runner::cost;

pub(crate) async fn list(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let filter = RunFilter { status: query.text("status").unwrap_or_default() };
    let cursor = query.text("cursor");
    let is_first = cursor.is_none();
    let found = runner.list(filter.query(cursor).parse(&settings)?).await?;
    let next = found.next.map(|next| cursor::render(next.updated_at, next.run));
    let pagination = Pagination { is_first, next };
    let was_deleted = query.text("deleted").is_some();
    let outcome = pages::list(&browser.request, &filter, &found, &pagination, was_deleted);
    Ok(browser.respond(outcome))
}

pub(crate) async fn run(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let story = runner.story(run).await?;
    let calls = runner.calls(run).await?;
    let usage = RunUsage { calls, cost: cost(&story.costs, &settings.prices) };
    let outcome = pages::run(&browser.request, story, usage, query.text("late")).await;
    Ok(browser.respond(outcome))
}

pub(crate) async fn turns(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let invalid = || Invalid::new("after", "must be a position (`seq`) in the run");
    let after = query.after().ok_or_else(invalid)?;
    let mut changes = runner.changes(run, after).await?.ok_or_else(invalid)?;
    let calls = std::mem::take(&mut changes.calls);
    let usage = RunUsage { calls, cost: cost(&changes.costs, &settings.prices) };
    Ok(browser.respond(pages::new_turns(&browser.request, changes, usage).await))
}
