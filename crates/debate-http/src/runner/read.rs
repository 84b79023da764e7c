//! Handlers that read runs.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use debate_app::runner::Runner;
use debate_core::RunId;
use debate_wire::runner as wire;

use super::answer;
use crate::app_state::Settings;
use crate::error::ErrorResponse;
use crate::extract::{ParsedQuery, PathId};
use crate::reply::BareReply;

/// List runs, most recently changed first
///
/// The `Link` header names the address of the next page.
#[utoipa::path(
    get, path = "/runner/debates", tag = "runner", operation_id = "runner_list",
    params(wire::ListQuery),
    responses((status = 200, description = "A page of runs", body = Vec<wire::ListedDebate>,
        headers(("Link" = String,
            description = "Address of the next page: `<…>; rel=\"next\"`. Absent on the last \
                page"))))
)]
pub(crate) async fn list(
    State(runner): State<Runner>,
    ParsedQuery(query): ParsedQuery<wire::ListQuery>,
) -> Result<(HeaderMap, BareReply<Vec<wire::ListedDebate>>), ErrorResponse> {
    let page = runner.list(query).await?;
    let link = answer::link(&query, &page).into_iter().collect();
    Ok((link, BareReply::ok(page.runs.into_iter().map(Into::into).collect())))
}

/// Read a run with its turns and its cost
///
/// The cost includes calls that failed and calls that produced no turn.
#[utoipa::path(
    get, path = "/runner/debates/{id}", tag = "runner", operation_id = "runner_story",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "The run, its turns and its cost", body = wire::Story),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn story(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
) -> Result<BareReply<wire::Story>, ErrorResponse> {
    Ok(BareReply::ok(answer::story(runner.story(run).await?, &settings.prices)))
}

/// List the calls to providers that a run has made
///
/// Includes failed calls and calls whose outcome is unknown because the server stopped before the
/// reply.
#[utoipa::path(
    get, path = "/runner/debates/{id}/attempts", tag = "runner",
    operation_id = "runner_attempts",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "All calls of the run, oldest first",
            body = Vec<wire::Attempt>),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn attempts(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
) -> Result<BareReply<Vec<wire::Attempt>>, ErrorResponse> {
    Ok(BareReply::ok(runner.calls(run).await?.into_iter().map(Into::into).collect()))
}
