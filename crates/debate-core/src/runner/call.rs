//! Calls to providers: recorded before they are made, and counted whatever comes of them.

use jiff::Timestamp;

use super::budget::{Charge, DailyLimits, OverBudget, UsdRates};
use super::cursor::Cursor;
use super::run::Record;
use super::status::Standing;
use crate::{CallId, CallTokens, ModelName, RunId, Term, TokenCount, Usage};

/// What came of a call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Called {
    /// It is on its way.
    InFlight,
    /// An answer.
    Ok,
    /// None, and why is known.
    Error,
    /// Nobody knows: whoever made it never came back.
    Unknown,
}

impl Called {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::InFlight, Self::Ok, Self::Error, Self::Unknown];

    /// The name by which the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }

    /// The outcome of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|called| called.name() == name)
    }

    /// Whether it can still turn out one way or the other.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::InFlight | Self::Unknown => true,
            Self::Ok | Self::Error => false,
        }
    }
}

/// One call to a provider, recorded before it is made: every one is counted, whatever comes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Which one.
    pub id: CallId,
    /// For which debate.
    pub run: RunId,
    /// For which turn.
    pub place: Cursor,
    /// The so-manieth for that turn; the first is 1.
    pub number: u32,
    /// Who was asked.
    pub model: ModelName,
    /// How many tokens the answer might have.
    pub allowed: CallTokens,
    /// The UTF-8 bytes of the prompt: the most prompt tokens it can have. 0 for calls of releases
    /// that did not record it.
    pub prompt_bytes: u32,
    /// The model's price in USD when the call began, if it had one.
    pub rates: Option<UsdRates>,
    /// When it was recorded.
    pub started_at: Timestamp,
    /// When its outcome was known.
    pub finished_at: Option<Timestamp>,
    /// What came of it.
    pub called: Called,
    /// What it cost.
    pub usage: Usage,
}

impl Call {
    /// What it counts against budgets: all that it was allowed, until more is known.
    #[must_use]
    pub fn charged(&self) -> u32 {
        self.usage.charged(self.allowed.number())
    }

    /// The most tokens that it can use.
    #[must_use]
    pub const fn bound(&self) -> TokenCount {
        TokenCount { prompt_tokens: self.prompt_bytes, completion_tokens: self.allowed.number() }
    }

    /// What its day is booked with: the reservation, until its usage is known. The demo costs
    /// nothing.
    #[must_use]
    pub fn charge(&self) -> Charge {
        if self.model.is_demo() {
            return Charge::default();
        }
        let used = self.usage.or_bound(self.bound());
        let cost = self.rates.map(|rates| rates.cost(used)).unwrap_or_default();
        Charge { tokens: used.total(), cost }
    }
}

/// A call that is about to be made.
#[derive(Debug, Clone)]
pub struct Begin {
    /// The debate, held by whom.
    pub term: Term,
    /// The call before it for the same turn, which came to an answer that was of no use.
    pub after: Option<CallEnd>,
    /// The call, but for its number.
    pub call: CallDraft,
    /// The most that all runs of a day may be booked with.
    pub limits: DailyLimits,
}

impl Begin {
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
    pub place: Cursor,
    pub model: ModelName,
    pub allowed: CallTokens,
    pub prompt_bytes: u32,
    pub rates: Option<UsdRates>,
    pub at: Timestamp,
}

/// Why a call is not to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotBegun {
    /// Another worker has the debate, or nobody any more.
    #[error("the worker has lost the lease of the run")]
    Lost,
    /// It is to stop, and this turn has cost nothing yet.
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
    Unpriced,
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEnd {
    /// Which one.
    pub call: CallId,
    /// What came of it.
    pub called: Called,
    /// What it cost.
    pub usage: Usage,
}

impl Record {
    /// The record with a call begun, and the call. `today` is what the calls of the day are booked
    /// with so far, and `earlier` how many calls this turn has had.
    pub fn begun(
        &self,
        begin: &Begin,
        today: Charge,
        earlier: u32,
    ) -> Result<(Self, Call), NotBegun> {
        let draft = &begin.call;
        let mut after = self.held_by(begin.term).ok_or(NotBegun::Lost)?.clone();
        if self.run.standing == Standing::Stopping && begin.after.is_none() {
            return Err(NotBegun::Stopping);
        }
        let call = Call {
            id: draft.id,
            run: self.run.id,
            place: draft.place,
            number: earlier.saturating_add(1),
            model: draft.model.clone(),
            allowed: draft.allowed,
            prompt_bytes: draft.prompt_bytes,
            rates: draft.rates,
            started_at: draft.at,
            finished_at: None,
            called: Called::InFlight,
            usage: Usage::NOT_TOLD,
        };
        if begin.is_limited() {
            if begin.limits.cost.is_some() && call.rates.is_none() {
                return Err(NotBegun::Unpriced);
            }
            begin.limits.allow(today, call.charge())?;
        }
        after.run.spent = after.run.spent.saturating_add(call.charged().into());
        after.run.cursor = draft.place;
        Ok((after, call))
    }

    /// Counts what a call turned out to cost in place of what it was allowed, and never more than
    /// that. Also for a holder whose term is over: what was paid was paid. None if its outcome is
    /// known already.
    #[must_use]
    pub fn call_ended(&self, call: &Call, end: &CallEnd, at: Timestamp) -> Option<(Self, Call)> {
        if !call.called.is_open() {
            return None;
        }
        let finished_at = match end.called {
            Called::Ok | Called::Error => Some(at),
            Called::InFlight | Called::Unknown => None,
        };
        let usage = end.usage.clip(call.bound());
        let known = Call { called: end.called, usage, finished_at, ..call.clone() };
        let mut after = self.clone();
        let others = after.run.spent.saturating_sub(call.charged().into());
        after.run.spent = others.saturating_add(known.charged().into());
        Some((after, known))
    }
}
