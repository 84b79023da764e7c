//! Calls to model providers. A call is recorded before it is made and counted with any outcome.

use jiff::Timestamp;

use super::budget::{Charge, DailyLimits, OverBudget, UsdRates};
use super::cursor::Cursor;
use super::run::RunRecord;
use super::status::RunState;
use crate::{CallId, CallTokens, FencingToken, ModelName, RunId, TokenCount, Usage};

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallStatus {
    /// The call is in progress.
    InFlight,
    /// The provider sent an answer.
    Ok,
    /// The call failed with an error.
    Error,
    /// The outcome is unknown because the worker stopped.
    Unknown,
}

impl CallStatus {
    /// All outcomes, in declaration order.
    pub const ALL: [Self; 4] = [Self::InFlight, Self::Ok, Self::Error, Self::Unknown];

    /// The name in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }

    /// The outcome with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|called| called.name() == name)
    }

    /// Whether the final outcome can still be reported.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::InFlight | Self::Unknown => true,
            Self::Ok | Self::Error => false,
        }
    }
}

/// A call that is recorded before it is made, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id of the call.
    pub id: CallId,
    /// The run that made the call.
    pub run: RunId,
    /// The turn that the call is for.
    pub cursor: Cursor,
    /// The number of the call among those for the same turn, from 1.
    pub number: u32,
    /// The model that is called.
    pub model: ModelName,
    /// The maximum number of tokens of the answer.
    pub allowed: CallTokens,
    /// The UTF-8 bytes of the prompt: the most prompt tokens it can have. 0 for calls of releases
    /// that did not record it.
    pub prompt_bytes: u32,
    /// The model's price in USD when the call began, if it had one.
    pub rates: Option<UsdRates>,
    /// The time of the record, before the call.
    pub started_at: Timestamp,
    /// The time at which the outcome was reported.
    pub finished_at: Option<Timestamp>,
    /// The outcome of the call.
    pub status: CallStatus,
    /// The tokens that it used.
    pub usage: Usage,
}

impl Call {
    /// The completion tokens that the run is charged: all allowed tokens until the usage is known.
    #[must_use]
    pub fn charged_tokens(&self) -> u32 {
        self.usage.charged_tokens(self.allowed.number())
    }

    /// The most tokens that it can use.
    #[must_use]
    pub const fn max_usage(&self) -> TokenCount {
        TokenCount { prompt_tokens: self.prompt_bytes, completion_tokens: self.allowed.number() }
    }

    /// The charge to the day's budget: the reservation until the usage is known.
    /// The demo costs nothing.
    #[must_use]
    pub fn charge(&self) -> Charge {
        if self.model.is_demo() {
            return Charge::default();
        }
        let used = self.usage.or_max(self.max_usage());
        let cost = self.rates.map(|rates| rates.cost(used)).unwrap_or_default();
        Charge { tokens: used.total(), cost }
    }
}

/// A request to record a call.
#[derive(Debug, Clone)]
pub struct BeginCall {
    /// The fencing token of the worker.
    pub fencing_token: FencingToken,
    /// The result of the previous call for the same turn, whose answer was unusable.
    pub after: Option<CallResult>,
    /// The call without its number.
    pub call: CallDraft,
    /// The most that all runs of a day may be booked with.
    pub limits: DailyLimits,
}

impl BeginCall {
    /// Whether a day's limit concerns the call. The demo is exempt.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.limits.is_set() && !self.call.model.is_demo()
    }
}

/// A call before it has its number.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the fields are those of `Call`, by the same names")]
pub struct CallDraft {
    pub id: CallId,
    pub cursor: Cursor,
    pub model: ModelName,
    pub allowed: CallTokens,
    pub prompt_bytes: u32,
    pub rates: Option<UsdRates>,
    pub at: Timestamp,
}

/// The reason why a call must not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BeginCallError {
    /// The worker does not hold the lease any more.
    #[error("the worker has lost the lease of the run")]
    Lost,
    /// The run is stopping, and this turn has had no call yet.
    #[error("the run is stopping")]
    Stopping,
    /// A day's limit does not allow it.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The day's cost is limited and the model's price is unknown.
    #[error(
        "the model has no price in USD, which RUNNER_DAILY_COST requires; set \
         price_input_per_million and price_output_per_million for it, then retry"
    )]
    ModelWithoutPrice,
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallResult {
    /// The call that ended.
    pub call: CallId,
    /// The outcome of the call.
    pub status: CallStatus,
    /// The tokens that the call used.
    pub usage: Usage,
}

impl RunRecord {
    /// Records a call and reserves its tokens. `today` is the sum of the day's charges so far, and
    /// `earlier` the number of earlier calls for this turn.
    pub fn begin_call(
        &self,
        begin: &BeginCall,
        today: Charge,
        earlier: u32,
    ) -> Result<(Self, Call), BeginCallError> {
        let draft = &begin.call;
        let mut after = self.if_held_with(begin.fencing_token).ok_or(BeginCallError::Lost)?.clone();
        if self.run.state == RunState::Stopping && begin.after.is_none() {
            return Err(BeginCallError::Stopping);
        }
        let call = Call {
            id: draft.id,
            run: self.run.id,
            cursor: draft.cursor,
            number: earlier.saturating_add(1),
            model: draft.model.clone(),
            allowed: draft.allowed,
            prompt_bytes: draft.prompt_bytes,
            rates: draft.rates,
            started_at: draft.at,
            finished_at: None,
            status: CallStatus::InFlight,
            usage: Usage::UNREPORTED,
        };
        if begin.is_limited() {
            if begin.limits.cost.is_some() && call.rates.is_none() {
                return Err(BeginCallError::ModelWithoutPrice);
            }
            begin.limits.allow(today, call.charge())?;
        }
        after.run.spent = after.run.spent.saturating_add(call.charged_tokens().into());
        after.run.cursor = draft.cursor;
        Ok((after, call))
    }

    /// Replaces the reservation of a call by its usage, at most the reservation. This also
    /// holds for a worker that has lost its lease, since the call was paid. None if the
    /// outcome is known already.
    #[must_use]
    pub fn finish_call(
        &self,
        call: &Call,
        end: &CallResult,
        at: Timestamp,
    ) -> Option<(Self, Call)> {
        if !call.status.is_open() {
            return None;
        }
        let finished_at = match end.status {
            CallStatus::Ok | CallStatus::Error => Some(at),
            CallStatus::InFlight | CallStatus::Unknown => None,
        };
        let usage = end.usage.clip(call.max_usage());
        let known = Call { status: end.status, usage, finished_at, ..call.clone() };
        let mut after = self.clone();
        let others = after.run.spent.saturating_sub(call.charged_tokens().into());
        after.run.spent = others.saturating_add(known.charged_tokens().into());
        Some((after, known))
    }
}
