//! Cost of a run. Every call to a provider counts, including calls that produced no turn.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Actor, CallOutcome, Usage};
use crate::render_precise_time;

/// Cost of all calls of a run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerCost)]
pub struct Cost {
    /// Input tokens of all calls, as reported by the providers. Calls without a report count as 0.
    pub prompt_tokens: u64,
    /// Output tokens of all calls, as reported by the providers. A call without a report counts as
    /// its `max_tokens`.
    pub completion_tokens: u64,
    /// Number of calls to providers.
    pub calls: u64,
    /// Number of calls whose outcome is unknown because the server stopped before the reply. Calls
    /// in progress are not included.
    pub unknown_calls: u64,
    /// The same figures for each model.
    pub by_model: Vec<ModelCost>,
    /// Sum in money. Null unless every model that was called has a configured price, all in the
    /// same currency.
    #[schema(required = true)]
    pub money: Option<Money>,
}

/// Cost of the calls to one model.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerModelCost)]
pub struct ModelCost {
    /// Name of the model as `provider:model`.
    #[schema(example = "demo:paced")]
    pub model: String,
    /// Input tokens of the calls, as reported by the provider. Calls without a report count as 0.
    pub prompt_tokens: u64,
    /// Output tokens of the calls, as reported by the provider. A call without a report counts as
    /// its `max_tokens`.
    pub completion_tokens: u64,
    /// Number of calls to this model.
    pub calls: u64,
    /// Number of calls whose outcome is unknown because the server stopped before the reply. Calls
    /// in progress are not included.
    pub unknown_calls: u64,
    /// The cost in money. Null unless a price is configured for the model.
    #[schema(required = true)]
    pub money: Option<Money>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerMoney)]
pub struct Money {
    /// Decimal number with six fraction digits, as a string so that no digit is lost.
    #[schema(example = "0.012345")]
    pub amount: String,
    /// Currency code from the server's configuration.
    #[schema(example = "USD")]
    pub currency: String,
}

/// One call to a provider. The server records the call before it sends it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerAttempt)]
pub struct Attempt {
    /// UUID of the call.
    #[schema(format = Uuid)]
    pub id: String,
    /// Round of the turn that the call is for, starting at 1.
    pub round: u32,
    /// Actor of the turn that the call is for.
    pub actor: Actor,
    /// Number of the call among the calls for the same turn, starting at 1.
    pub attempt: u32,
    /// Name of the model as `provider:model`.
    #[schema(example = "demo:paced")]
    pub model: String,
    /// Time at which the call was recorded, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub started_at: String,
    /// Time at which the outcome was recorded, UTC, ISO 8601 with microseconds. Null if the outcome
    /// is unknown.
    #[schema(required = true, example = "2026-11-15T20:29:30.123456Z")]
    pub finished_at: Option<String>,
    /// Outcome of the call; `unknown` while it is in progress.
    pub outcome: CallOutcome,
    /// Tokens of the call, as reported by the provider.
    pub usage: Usage,
    /// True while the call is in progress. False with outcome `unknown` means that the server
    /// stopped before the reply.
    pub in_flight: bool,
    /// Maximum number of output tokens that the call allows. The call counts as this number if the
    /// provider reports no usage.
    pub max_tokens: u32,
    /// True if the provider reported more tokens than the call allowed; `usage` then has the
    /// allowed number. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub usage_clipped: bool,
}

impl From<runner::Call> for Attempt {
    fn from(call: runner::Call) -> Self {
        Self {
            id: call.id.to_string(),
            round: call.cursor.round.number(),
            actor: call.cursor.actor.into(),
            attempt: call.number,
            model: call.model.to_string(),
            started_at: render_precise_time(call.started_at),
            finished_at: call.finished_at.map(render_precise_time),
            outcome: call.status.into(),
            usage: call.usage.into(),
            in_flight: call.status == runner::CallStatus::InFlight,
            max_tokens: call.allowed.number(),
            usage_clipped: call.usage.clipped,
        }
    }
}
