//! The guardrail status of an item and its transitions.

use super::super::visibility::Exposure;
use crate::EvaluationId;

/// The guardrail status of an item. Only approved items can be public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardrailStatus {
    /// The item is not decided yet.
    Pending,
    /// The item is approved. Final.
    Approved,
    /// The item is rejected; its author may appeal once.
    Rejected,
    /// A reviewer must decide.
    Flagged,
}

impl GuardrailStatus {
    /// All statuses, in declaration order.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::Rejected, Self::Flagged];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Flagged => "flagged",
        }
    }

    /// The status with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// The decision of the rules or the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The item may be public.
    Approve,
    /// Do not publish the item.
    Reject,
    /// Leave the decision to a reviewer.
    Flag,
}

impl Decision {
    /// All decisions, in declaration order.
    pub const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::Flag];

    /// The name in the API, the stores and a model's answer.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Flag => "flag",
        }
    }

    /// The decision with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.name() == name)
    }
}

/// A reviewer's decision about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// The item may be public.
    Approve,
    /// Do not publish the item.
    Reject,
}

impl Ruling {
    /// Both rulings, in declaration order.
    pub const ALL: [Self; 2] = [Self::Approve, Self::Reject];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }

    /// The ruling with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruling| ruling.name() == name)
    }
}

/// Whether the author has used the appeal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Appeal {
    /// The author can appeal.
    Unused,
    /// The author has appealed.
    Used,
}

/// A transition of an item's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// The rules or the model decide.
    Settle(Decision),
    /// A reviewer decides about the item.
    Review(Ruling),
    /// The author of the item appeals.
    Appeal,
}

/// The status does not allow the transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GuardrailRefusal {
    /// The item is already decided.
    #[error("the item is already decided")]
    Settled,
    /// The item is not flagged for review.
    #[error("the item is not flagged for review")]
    NotFlagged,
    /// The item is not rejected.
    #[error("only a rejected item can be appealed")]
    NotRejected,
    /// The author has appealed before.
    #[error("a rejection can be appealed only once")]
    AppealedBefore,
}

/// The status after `mv`, or a refusal if the current status does not allow it.
pub const fn next_status(
    status: GuardrailStatus,
    appeal: Appeal,
    mv: Move,
) -> Result<GuardrailStatus, GuardrailRefusal> {
    use GuardrailStatus::{Approved, Flagged, Pending, Rejected};

    match (status, mv) {
        (Pending, Move::Settle(Decision::Approve)) => Ok(Approved),
        (Pending, Move::Settle(Decision::Reject)) => Ok(Rejected),
        (Pending, Move::Settle(Decision::Flag)) => Ok(Flagged),
        (Flagged, Move::Review(Ruling::Approve)) => Ok(Approved),
        (Flagged, Move::Review(Ruling::Reject)) => Ok(Rejected),
        (Rejected, Move::Appeal) => match appeal {
            Appeal::Unused => Ok(Flagged),
            Appeal::Used => Err(GuardrailRefusal::AppealedBefore),
        },

        (Approved | Rejected | Flagged, Move::Settle(_)) => Err(GuardrailRefusal::Settled),
        (Pending | Approved | Rejected, Move::Review(_)) => Err(GuardrailRefusal::NotFlagged),
        (Pending | Approved | Flagged, Move::Appeal) => Err(GuardrailRefusal::NotRejected),
    }
}

/// The state of an item in the guardrails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardrailState {
    /// The guardrail status of the item.
    pub status: GuardrailStatus,
    /// Whether the item is public.
    pub exposure: Exposure,
    /// The evaluation of the item.
    pub evaluation: EvaluationId,
    /// The reason of the status, shown to the author only.
    pub reason: Option<String>,
}
