//! What the guardrails made of a thing, and what may still become of it.

use super::super::visibility::Exposure;
use crate::EvaluationId;

/// Where a thing stands. Only what is approved can ever be public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Nobody has looked yet.
    Pending,
    /// It may be shown. Final.
    Approved,
    /// It may not; its author may appeal once.
    Rejected,
    /// A human must decide.
    Flagged,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::Rejected, Self::Flagged];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Flagged => "flagged",
        }
    }

    /// The status of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What the layers that are no humans come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Show it.
    Approve,
    /// Don't.
    Reject,
    /// Ask a human.
    Flag,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::Flag];

    /// The name by which the contract, the stores and a model know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Flag => "flag",
        }
    }

    /// The decision of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.name() == name)
    }
}

/// What a human decides: there is nobody left to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// Show it.
    Approve,
    /// Don't.
    Reject,
}

impl Ruling {
    /// Every ruling.
    pub const ALL: [Self; 2] = [Self::Approve, Self::Reject];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }

    /// The ruling of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruling| ruling.name() == name)
    }
}

/// Whether the author has appealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Appeal {
    /// Not yet.
    Unused,
    /// Once, and that is all.
    Used,
}

/// What is done to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// The layers that are no humans decide.
    Settle(Decision),
    /// A human decides.
    Review(Ruling),
    /// The author objects.
    Appeal,
}

/// The move changes nothing where the thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It was decided, so it can't be settled again.
    #[error("the item is already decided")]
    Settled,
    /// No human was asked.
    #[error("the item is not flagged for review")]
    NotFlagged,
    /// There is nothing to appeal against.
    #[error("only a rejected item can be appealed")]
    NotRejected,
    /// There was an appeal before.
    #[error("a rejection can be appealed only once")]
    AppealedBefore,
}

/// Where `mv` leads.
pub const fn next(status: Status, appeal: Appeal, mv: Move) -> Result<Status, Refusal> {
    use Status::{Approved, Flagged, Pending, Rejected};

    match (status, mv) {
        (Pending, Move::Settle(Decision::Approve)) => Ok(Approved),
        (Pending, Move::Settle(Decision::Reject)) => Ok(Rejected),
        (Pending, Move::Settle(Decision::Flag)) => Ok(Flagged),
        (Flagged, Move::Review(Ruling::Approve)) => Ok(Approved),
        (Flagged, Move::Review(Ruling::Reject)) => Ok(Rejected),
        (Rejected, Move::Appeal) => match appeal {
            Appeal::Unused => Ok(Flagged),
            Appeal::Used => Err(Refusal::AppealedBefore),
        },

        (Approved | Rejected | Flagged, Move::Settle(_)) => Err(Refusal::Settled),
        (Pending | Approved | Rejected, Move::Review(_)) => Err(Refusal::NotFlagged),
        (Pending | Approved | Flagged, Move::Appeal) => Err(Refusal::NotRejected),
    }
}

/// All that is said of a thing by the guardrails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Where it stands.
    pub status: Status,
    /// Whether everyone sees it.
    pub exposure: Exposure,
    /// Its examination.
    pub evaluation: EvaluationId,
    /// Why it stands there, for its author alone.
    pub reason: Option<String>,
}
