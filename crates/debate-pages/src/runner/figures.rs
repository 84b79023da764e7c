//! Limits, usage and cost of a run.

use debate_core::runner::{Call, CallStatus, Run};
use debate_render::visible;
use debate_wire::runner as wire;

use super::view::actor_label;
use crate::time::Time;

/// The number of calls on a page. The API returns all of them.
pub(super) const CALLS_MAX: usize = 200;

/// A limit of a run and its usage.
pub(crate) struct LimitUsage {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) used: u64,
    pub(crate) max: u64,
    pub(crate) unit: &'static str,
}

pub(super) fn limit_usage(run: &Run) -> [LimitUsage; 3] {
    let settings = &run.settings;
    let tokens = settings.max_total_output_tokens.number();
    let seconds = settings.max_runtime_seconds.number();
    let usage =
        |id, name, used: u64, max: u32, unit| LimitUsage { id, name, used, max: max.into(), unit };
    [
        usage(
            "rounds",
            "Rounds",
            run.completed_rounds.into(),
            settings.max_rounds.number(),
            "complete",
        ),
        usage("tokens", "Output tokens", run.spent, tokens, "used"),
        usage("seconds", "Running time", run.ran.as_secs(), seconds, "seconds"),
    ]
}

/// The cost of all calls.
pub(crate) struct RunCost {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) calls: u64,
    pub(crate) unknown_calls: u64,
    pub(crate) models: Vec<ModelCost>,
    /// The sum, where every model has a price.
    pub(crate) money: Option<String>,
}

/// The cost of the calls to one model.
pub(crate) struct ModelCost {
    pub(crate) model: String,
    pub(crate) calls: u64,
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) money: Option<String>,
}

impl From<wire::Cost> for RunCost {
    fn from(cost: wire::Cost) -> Self {
        let model = |model: wire::ModelCost| ModelCost {
            model: visible::line(&model.model),
            calls: model.calls,
            prompt: model.prompt_tokens,
            completion: model.completion_tokens,
            money: model.money.as_ref().map(format_money),
        };
        Self {
            prompt: cost.prompt_tokens,
            completion: cost.completion_tokens,
            calls: cost.calls,
            unknown_calls: cost.unknown_calls,
            models: cost.by_model.into_iter().map(model).collect(),
            money: cost.money.as_ref().map(format_money),
        }
    }
}

impl RunCost {
    /// Whether a model has a price.
    pub(crate) fn is_priced(&self) -> bool {
        self.models.iter().any(|model| model.money.is_some())
    }
}

fn format_money(money: &wire::Money) -> String {
    format!("{} {}", money.amount, money.currency)
}

/// One call to a model.
pub(crate) struct CallRow {
    pub(crate) round: u32,
    /// The name of the role in the API.
    pub(crate) actor: &'static str,
    pub(crate) role: &'static str,
    pub(crate) number: u32,
    pub(crate) model: String,
    pub(crate) started: Time,
    pub(crate) class: &'static str,
    pub(crate) outcome: &'static str,
    /// The tokens that are charged: the maximum if the provider did not report them.
    pub(crate) tokens: u32,
    pub(crate) is_reported: bool,
}

/// The newest calls, at most [`CALLS_MAX`].
pub(super) fn call_rows(calls: &[Call]) -> Vec<CallRow> {
    let newest = calls.get(calls.len().saturating_sub(CALLS_MAX)..).unwrap_or_default();
    newest.iter().map(CallRow::from).collect()
}

impl From<&Call> for CallRow {
    fn from(call: &Call) -> Self {
        let (class, outcome) = match call.status {
            CallStatus::InFlight => ("soft", "in progress"),
            CallStatus::Ok => ("", "ok"),
            CallStatus::Error => ("danger", "failed"),
            CallStatus::Unknown => ("danger", "unknown"),
        };
        Self {
            round: call.cursor.round.number(),
            actor: call.cursor.actor.name(),
            role: actor_label(call.cursor.actor),
            number: call.number,
            model: visible::line(&call.model.to_string()),
            started: Time(call.started_at),
            class,
            outcome,
            tokens: call.charged_tokens(),
            is_reported: call.usage.completion_tokens.is_some(),
        }
    }
}
