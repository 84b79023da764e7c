//! Handlers that read runs, and the runner's results as wire types.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::LINK;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use debate_app::runner::{Cost, RunListPage, Runner, Story};
use debate_core::RunId;
use debate_core::runner::{Money, Prices, RunQuery};
use debate_wire::runner as wire;

use crate::app_state::Settings;
use crate::cursor;
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
    let link = next_page_link(&query, &page).into_iter().collect();
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
    Ok(BareReply::ok(wire_story(runner.story(run).await?, &settings.prices)))
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

/// A run with its turns and its cost.
pub(crate) fn wire_story(story: Story, prices: &Prices) -> wire::Story {
    wire::Story {
        debate: story.run.into(),
        turns: story.turns.into_iter().map(Into::into).collect(),
        cost: cost(&story.costs, prices),
    }
}

/// The cost of all calls of a run.
pub(crate) fn cost(costs: &[Cost], prices: &Prices) -> wire::Cost {
    let sum = |part: fn(&Cost) -> u64| costs.iter().map(part).fold(0, u64::saturating_add);
    wire::Cost {
        prompt_tokens: sum(|cost| cost.prompt_tokens),
        completion_tokens: sum(|cost| cost.completion_tokens),
        calls: sum(|cost| cost.calls),
        unknown_calls: sum(|cost| cost.unknown),
        by_model: costs.iter().map(|cost| model_cost(cost, prices)).collect(),
        money: total(costs, prices).map(|total| money(&total)),
    }
}

fn model_cost(cost: &Cost, prices: &Prices) -> wire::ModelCost {
    wire::ModelCost {
        model: cost.model.to_string(),
        prompt_tokens: cost.prompt_tokens,
        completion_tokens: cost.completion_tokens,
        calls: cost.calls,
        unknown_calls: cost.unknown,
        money: priced(cost, prices).map(|priced| money(&priced)),
    }
}

/// None unless all models have a price in the same currency: a partial sum would mislead.
fn total(costs: &[Cost], prices: &Prices) -> Option<Money> {
    let mut amounts = costs.iter().map(|cost| priced(cost, prices));
    let first = amounts.next()??;
    amounts.try_fold(first, |sum, amount| sum.checked_add(&amount?))
}

fn priced(cost: &Cost, prices: &Prices) -> Option<Money> {
    let price = prices.find(&cost.model)?;
    Some(price.cost(cost.charged_prompt_tokens, cost.completion_tokens))
}

fn money(money: &Money) -> wire::Money {
    wire::Money { amount: money.to_string(), currency: money.currency().code().to_owned() }
}

/// The `Link` header with the address of the next page; the body is a bare array.
fn next_page_link(query: &RunQuery, page: &RunListPage) -> Option<(HeaderName, HeaderValue)> {
    let next = page.next?;
    let status = query.status.map(|status| format!("&status={status}")).unwrap_or_default();
    let cursor = cursor::render(next.updated_at, next.run);
    let limit = query.limit.count();
    let link = format!("</runner/debates?limit={limit}{status}&cursor={cursor}>; rel=\"next\"");
    Some((LINK, HeaderValue::try_from(link).ok()?))
}
