//! Calls to providers: recorded before they are made, and counted whatever comes of them.

use jiff::Timestamp;

use super::cursor::Cursor;
use super::run::Record;
use super::status::Standing;
use crate::{CallId, CallTokens, ModelName, RunId, Term, Usage};

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
    /// The most tokens that all debates of a day may have, together.
    pub daily_tokens: Option<u64>,
}

/// A call before it has its number.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the fields are those of `Call`, by the same names")]
pub struct CallDraft {
    pub id: CallId,
    pub place: Cursor,
    pub model: ModelName,
    pub allowed: CallTokens,
    pub at: Timestamp,
}

/// Why a call is not to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotBegun {
    /// Another worker has the debate, or nobody any more.
    #[error("the debate is not this worker's any more")]
    Lost,
    /// It is to stop, and this turn has cost nothing yet.
    #[error("the debate is to stop")]
    Stopping,
    /// The day's tokens are used up.
    #[error(
        "the {0} tokens that this server may use a day (RUNNER_DAILY_TOKENS) do not allow this \
         call; retry tomorrow (UTC), or raise the limit"
    )]
    DailyTokens(u64),
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
    /// The record with a call begun, and the call. `today` is what all calls of the day have been
    /// charged so far, and `earlier` how many calls this turn has had.
    pub fn begun(&self, begin: &Begin, today: u64, earlier: u32) -> Result<(Self, Call), NotBegun> {
        let draft = &begin.call;
        let mut after = self.held_by(begin.term).ok_or(NotBegun::Lost)?.clone();
        if self.run.standing == Standing::Stopping && begin.after.is_none() {
            return Err(NotBegun::Stopping);
        }
        let allowed = u64::from(draft.allowed.number());
        if let Some(most) = begin.daily_tokens
            && today.saturating_add(allowed) > most
        {
            return Err(NotBegun::DailyTokens(most));
        }
        after.run.spent = after.run.spent.saturating_add(allowed);
        after.run.cursor = draft.place;
        let call = Call {
            id: draft.id,
            run: self.run.id,
            place: draft.place,
            number: earlier.saturating_add(1),
            model: draft.model.clone(),
            allowed: draft.allowed,
            started_at: draft.at,
            finished_at: None,
            called: Called::InFlight,
            usage: Usage::NOT_TOLD,
        };
        Ok((after, call))
    }

    /// Counts what a call turned out to cost in place of what it was allowed. Also for a holder
    /// whose term is over: what was paid was paid. None if its outcome is known already.
    #[must_use]
    pub fn call_ended(&self, call: &Call, end: &CallEnd, at: Timestamp) -> Option<(Self, Call)> {
        if !call.called.is_open() {
            return None;
        }
        let finished_at = match end.called {
            Called::Ok | Called::Error => Some(at),
            Called::InFlight | Called::Unknown => None,
        };
        let known = Call { called: end.called, usage: end.usage, finished_at, ..call.clone() };
        let mut after = self.clone();
        let others = after.run.spent.saturating_sub(call.charged().into());
        after.run.spent = others.saturating_add(known.charged().into());
        Some((after, known))
    }
}
