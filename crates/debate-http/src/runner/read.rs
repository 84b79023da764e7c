//! What shows debates that run themselves.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use debate_app::runner::Runner;
use debate_core::RunId;
use debate_wire::runner as wire;

use super::answer;
use crate::edge::Settings;
use crate::parsed::{InPath, InQuery};
use crate::problem::Problem;
use crate::reply::Bare;

/// Find debates, last changed first
#[utoipa::path(
    get, path = "/runner/debates", tag = "runner", operation_id = "runner_list",
    params(wire::ListQuery),
    responses((status = 200, description = "A page of them", body = Vec<wire::ListedDebate>,
        headers(("Link" = String,
            description = "Where the next page is: `<…>; rel=\"next\"`; absent on the last"))))
)]
pub(crate) async fn list(
    State(runner): State<Runner>,
    InQuery(query): InQuery<wire::ListQuery>,
) -> Result<(HeaderMap, Bare<Vec<wire::ListedDebate>>), Problem> {
    let page = runner.list(query).await?;
    let link = answer::link(&query, &page).into_iter().collect();
    Ok((link, Bare::ok(page.runs.into_iter().map(Into::into).collect())))
}

/// Read a debate: how it stands, what was said, what it cost
#[utoipa::path(
    get, path = "/runner/debates/{id}", tag = "runner", operation_id = "runner_story",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "The debate", body = wire::Story),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn story(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    InPath(run): InPath<RunId>,
) -> Result<Bare<wire::Story>, Problem> {
    Ok(Bare::ok(answer::story(runner.story(run).await?, &settings.prices)))
}

/// Every call to a provider that was made for a debate
#[utoipa::path(
    get, path = "/runner/debates/{id}/attempts", tag = "runner",
    operation_id = "runner_attempts",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "All of them, in order", body = Vec<wire::Attempt>),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn attempts(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
) -> Result<Bare<Vec<wire::Attempt>>, Problem> {
    Ok(Bare::ok(runner.calls(run).await?.into_iter().map(Into::into).collect()))
}
