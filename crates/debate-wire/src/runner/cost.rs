//! What it cost: every call to a provider counts, also one that became no turn.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Actor, CallOutcome, Usage};
use crate::render_precise_time;

/// What all calls of a debate cost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerCost)]
pub struct Cost {
    /// The tokens that models were asked with, as far as they told.
    pub prompt_tokens: u64,
    /// The tokens they answered with; where they did not tell, those they were allowed.
    pub completion_tokens: u64,
    /// How many calls there were.
    pub calls: u64,
    /// How many of them have no known outcome.
    pub unknown_calls: u64,
    /// The same, model by model.
    pub by_model: Vec<ModelCost>,
    /// The sum in money; null unless all models that were asked have a price, in one currency.
    #[schema(required = true)]
    pub money: Option<Money>,
}

/// What the calls to one model cost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerModelCost)]
pub struct ModelCost {
    /// Which one.
    #[schema(example = "demo:paced")]
    pub model: String,
    /// The tokens it was asked with, as far as it told.
    pub prompt_tokens: u64,
    /// The tokens it answered with; where it did not tell, those it was allowed.
    pub completion_tokens: u64,
    /// How many calls there were.
    pub calls: u64,
    /// How many of them have no known outcome.
    pub unknown_calls: u64,
    /// What that is in money; null unless the provider's prices are configured.
    #[schema(required = true)]
    pub money: Option<Money>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerMoney)]
pub struct Money {
    /// How much: a decimal number with six digits after the point, as text so that none is lost.
    #[schema(example = "0.012345")]
    pub amount: String,
    /// Of what.
    #[schema(example = "USD")]
    pub currency: String,
}

/// One call to a provider. It is recorded before it is made.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerAttempt)]
pub struct Attempt {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// The round of the turn it was made for.
    pub round: u32,
    /// Whose turn.
    pub actor: Actor,
    /// The so-manieth for that turn; the first is 1.
    pub attempt: u32,
    /// Which model was asked.
    #[schema(example = "demo:paced")]
    pub model: String,
    /// When it was recorded, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub started_at: String,
    /// When its outcome was known, UTC.
    #[schema(required = true, example = "2026-11-15T20:29:30.123456Z")]
    pub finished_at: Option<String>,
    /// What came of it, as far as is known.
    pub outcome: CallOutcome,
    /// What it cost.
    pub usage: Usage,
    /// Whether it is on its way: then the outcome is unknown yet, and not for good.
    pub in_flight: bool,
    /// How many tokens the answer may have: what it counts where the provider did not tell.
    pub max_tokens: u32,
    /// True if the provider reported more tokens than the call allowed; `usage` then shows the
    /// allowed counts. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub usage_clipped: bool,
}

impl From<runner::Call> for Attempt {
    fn from(call: runner::Call) -> Self {
        Self {
            id: call.id.to_string(),
            round: call.place.round.number(),
            actor: call.place.actor.into(),
            attempt: call.number,
            model: call.model.to_string(),
            started_at: render_precise_time(call.started_at),
            finished_at: call.finished_at.map(render_precise_time),
            outcome: call.called.into(),
            usage: call.usage.into(),
            in_flight: call.called == runner::Called::InFlight,
            max_tokens: call.allowed.number(),
            usage_clipped: call.usage.clipped,
        }
    }
}
