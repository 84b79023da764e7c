//! The few words of the forum's contract.

use debate_core::forum;
use debate_core::forum::guardrail;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a debate wants of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumStance)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// That it is done.
    Support,
    /// That it is not.
    Oppose,
    /// That it is changed.
    Modify,
    /// An answer first.
    Question,
}

impl From<forum::Stance> for Stance {
    fn from(stance: forum::Stance) -> Self {
        match stance {
            forum::Stance::Support => Self::Support,
            forum::Stance::Oppose => Self::Oppose,
            forum::Stance::Modify => Self::Modify,
            forum::Stance::Question => Self::Question,
        }
    }
}

impl From<Stance> for forum::Stance {
    fn from(stance: Stance) -> Self {
        match stance {
            Stance::Support => Self::Support,
            Stance::Oppose => Self::Oppose,
            Stance::Modify => Self::Modify,
            Stance::Question => Self::Question,
        }
    }
}

/// How much a problem hurts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSeverity)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A little.
    Low,
    /// Enough to do something.
    Medium,
    /// A lot.
    High,
    /// More than anything.
    Critical,
}

impl From<forum::Severity> for Severity {
    fn from(severity: forum::Severity) -> Self {
        match severity {
            forum::Severity::Low => Self::Low,
            forum::Severity::Medium => Self::Medium,
            forum::Severity::High => Self::High,
            forum::Severity::Critical => Self::Critical,
        }
    }
}

impl From<Severity> for forum::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}

/// How far a solution has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSolutionStatus)]
#[serde(rename_all = "snake_case")]
pub enum SolutionStatus {
    /// Nobody has said anything yet.
    Proposed,
    /// It is being debated.
    Debating,
    /// It could be carried out.
    ReadyForAction,
    /// It is being carried out.
    InProgress,
    /// It was carried out.
    Completed,
    /// It was given up.
    Abandoned,
}

impl From<forum::SolutionStatus> for SolutionStatus {
    fn from(status: forum::SolutionStatus) -> Self {
        match status {
            forum::SolutionStatus::Proposed => Self::Proposed,
            forum::SolutionStatus::Debating => Self::Debating,
            forum::SolutionStatus::ReadyForAction => Self::ReadyForAction,
            forum::SolutionStatus::InProgress => Self::InProgress,
            forum::SolutionStatus::Completed => Self::Completed,
            forum::SolutionStatus::Abandoned => Self::Abandoned,
        }
    }
}

/// What the guardrails made of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumGuardrailStatus)]
#[serde(rename_all = "lowercase")]
pub enum GuardrailStatus {
    /// Nobody has looked yet.
    Pending,
    /// It may be shown.
    Approved,
    /// It may not.
    Rejected,
    /// A human must decide.
    Flagged,
}

impl From<guardrail::Status> for GuardrailStatus {
    fn from(status: guardrail::Status) -> Self {
        match status {
            guardrail::Status::Pending => Self::Pending,
            guardrail::Status::Approved => Self::Approved,
            guardrail::Status::Rejected => Self::Rejected,
            guardrail::Status::Flagged => Self::Flagged,
        }
    }
}

/// What the layers that are no humans came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDecision)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Show it.
    Approve,
    /// Don't.
    Reject,
    /// Ask a human.
    Flag,
}

impl From<guardrail::Decision> for Decision {
    fn from(decision: guardrail::Decision) -> Self {
        match decision {
            guardrail::Decision::Approve => Self::Approve,
            guardrail::Decision::Reject => Self::Reject,
            guardrail::Decision::Flag => Self::Flag,
        }
    }
}

/// What a reviewer decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuling)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// Show it.
    Approve,
    /// Don't.
    Reject,
}

impl From<Ruling> for guardrail::Ruling {
    fn from(ruling: Ruling) -> Self {
        match ruling {
            Ruling::Approve => Self::Approve,
            Ruling::Reject => Self::Reject,
        }
    }
}

impl From<guardrail::Ruling> for Ruling {
    fn from(ruling: guardrail::Ruling) -> Self {
        match ruling {
            guardrail::Ruling::Approve => Self::Approve,
            guardrail::Ruling::Reject => Self::Reject,
        }
    }
}

/// How far an agent is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumTier)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Not yet.
    New,
    /// For 8 days and 3 approved entries.
    Verified,
}

impl From<guardrail::Tier> for Tier {
    fn from(tier: guardrail::Tier) -> Self {
        match tier {
            guardrail::Tier::New => Self::New,
            guardrail::Tier::Verified => Self::Verified,
        }
    }
}
