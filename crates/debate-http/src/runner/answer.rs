//! The runner's results as wire types and headers.

use axum::http::header::LINK;
use axum::http::{HeaderName, HeaderValue};
use debate_app::runner::{Cost, RunListPage, Story};
use debate_core::runner::{Money, Prices, RunQuery};
use debate_wire::runner as wire;

use crate::cursor;

/// A run with its turns and its cost.
pub(crate) fn story(story: Story, prices: &Prices) -> wire::Story {
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
pub(super) fn link(query: &RunQuery, page: &RunListPage) -> Option<(HeaderName, HeaderValue)> {
    let next = page.next?;
    let status = query.status.map(|status| format!("&status={status}")).unwrap_or_default();
    let cursor = cursor::render(next.updated_at, next.run);
    let limit = query.limit.count();
    let link = format!("</runner/debates?limit={limit}{status}&cursor={cursor}>; rel=\"next\"");
    Some((LINK, HeaderValue::try_from(link).ok()?))
}
