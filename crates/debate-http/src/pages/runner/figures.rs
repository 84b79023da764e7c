//! Limits, usage and cost of a run.

use debate_app::runner::Cost;
use debate_core::runner::{Call, CallStatus, Prices, Run};
use debate_render::visible;
use debate_wire::runner as wire;

use super::view::name;
use crate::pages::when::When;
use crate::runner;

/// The number of calls on a page; the API returns all of them.
const CALLS_MAX: usize = 200;

/// Something that is used up.
pub(crate) struct Budget {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) used: u64,
    pub(crate) most: u64,
    pub(crate) unit: &'static str,
}

pub(super) fn budgets(run: &Run) -> [Budget; 3] {
    let settings = &run.settings;
    let tokens = settings.max_total_output_tokens.number();
    let seconds = settings.max_runtime_seconds.number();
    let budget =
        |id, name, used: u64, most: u32, unit| Budget { id, name, used, most: most.into(), unit };
    [
        budget(
            "rounds",
            "Rounds",
            run.completed_rounds.into(),
            settings.max_rounds.number(),
            "complete",
        ),
        budget("tokens", "Output tokens", run.spent, tokens, "used"),
        budget("seconds", "Running time", run.ran.as_secs(), seconds, "seconds"),
    ]
}

/// The cost of all calls.
pub(crate) struct Costs {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) calls: u64,
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

impl Costs {
    pub(super) fn of(costs: &[Cost], prices: &Prices) -> Self {
        let cost = runner::cost(costs, prices);
        let model = |one: wire::ModelCost| ModelCost {
            model: visible::line(&one.model),
            calls: one.calls,
            prompt: one.prompt_tokens,
            completion: one.completion_tokens,
            money: one.money.as_ref().map(format_money),
        };
        Self {
            prompt: cost.prompt_tokens,
            completion: cost.completion_tokens,
            calls: cost.calls,
            models: cost.by_model.into_iter().map(model).collect(),
            money: cost.money.as_ref().map(format_money),
        }
    }

    /// Whether there is a price to show for anything.
    pub(crate) fn is_priced(&self) -> bool {
        self.models.iter().any(|model| model.money.is_some())
    }
}

fn format_money(money: &wire::Money) -> String {
    format!("{} {}", money.amount, money.currency)
}

/// The calls that were made, the newest of them if they are many.
pub(crate) struct Attempts {
    pub(crate) rows: Vec<Attempt>,
    pub(crate) total: usize,
    /// Whether the outcome of one will never be known.
    pub(crate) has_unknown: bool,
}

/// One call to a model.
pub(crate) struct Attempt {
    pub(crate) round: u32,
    pub(crate) who: &'static str,
    pub(crate) number: u32,
    pub(crate) model: String,
    pub(crate) began: When,
    pub(crate) class: &'static str,
    pub(crate) outcome: &'static str,
    /// The counted tokens: the maximum if the provider did not report them.
    pub(crate) tokens: u32,
    pub(crate) is_reported: bool,
}

impl Attempts {
    pub(super) fn of(calls: &[Call]) -> Self {
        let newest = calls.get(calls.len().saturating_sub(CALLS_MAX)..).unwrap_or_default();
        Self {
            rows: newest.iter().map(Attempt::from).collect(),
            total: calls.len(),
            has_unknown: calls.iter().any(|call| call.status == CallStatus::Unknown),
        }
    }
}

impl From<&Call> for Attempt {
    fn from(call: &Call) -> Self {
        let (class, outcome) = match call.status {
            CallStatus::InFlight => ("soft", "in progress"),
            CallStatus::Ok => ("", "ok"),
            CallStatus::Error => ("danger", "failed"),
            CallStatus::Unknown => ("danger", "unknown"),
        };
        Self {
            round: call.cursor.round.number(),
            who: name(call.cursor.actor),
            number: call.number,
            model: visible::line(&call.model.to_string()),
            began: When(call.started_at),
            class,
            outcome,
            tokens: call.charged_tokens(),
            is_reported: call.usage.completion_tokens.is_some(),
        }
    }
}
