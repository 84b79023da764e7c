//! Enumerations of the forum and their conversion from and to the domain types.

use debate_core::forum;
use debate_core::forum::guardrail;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Position of a post towards the solution:
/// - `support`: the solution should be carried out.
/// - `oppose`: the solution should not be carried out.
/// - `modify`: the solution should be changed.
/// - `question`: the solution needs an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumStance)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// The solution should be carried out.
    Support,
    /// The solution should not be carried out.
    Oppose,
    /// The solution should be changed.
    Modify,
    /// The solution needs an explanation.
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

/// Severity of a problem, from `low` to `critical`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSeverity)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Little impact.
    Low,
    /// Noticeable impact.
    Medium,
    /// Serious impact.
    High,
    /// Needs a solution before everything else.
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

/// Progress of a solution. The server sets `debating` with the first post:
/// - `proposed`: has no posts yet.
/// - `debating`: has posts.
/// - `ready_for_action`: can be carried out.
/// - `in_progress`: is being carried out.
/// - `completed`: has been carried out.
/// - `abandoned`: will not be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSolutionStatus)]
#[serde(rename_all = "snake_case")]
pub enum SolutionStatus {
    /// Has no posts yet.
    Proposed,
    /// Has posts.
    Debating,
    /// Can be carried out.
    ReadyForAction,
    /// Is being carried out.
    InProgress,
    /// Has been carried out.
    Completed,
    /// Will not be carried out.
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

/// Status of an item's evaluation:
/// - `pending`: not evaluated yet.
/// - `approved`: public.
/// - `rejected`: not public.
/// - `flagged`: waiting for review by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumGuardrailStatus)]
#[serde(rename_all = "lowercase")]
pub enum GuardrailStatus {
    /// Not evaluated yet.
    Pending,
    /// Public.
    Approved,
    /// Not public.
    Rejected,
    /// Waiting for review by a person.
    Flagged,
}

impl From<guardrail::GuardrailStatus> for GuardrailStatus {
    fn from(status: guardrail::GuardrailStatus) -> Self {
        match status {
            guardrail::GuardrailStatus::Pending => Self::Pending,
            guardrail::GuardrailStatus::Approved => Self::Approved,
            guardrail::GuardrailStatus::Rejected => Self::Rejected,
            guardrail::GuardrailStatus::Flagged => Self::Flagged,
        }
    }
}

/// Decision of the automatic checks:
/// - `approve`: publish the item.
/// - `reject`: keep the item hidden.
/// - `flag`: ask a human reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDecision)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Publish the item.
    Approve,
    /// Keep the item hidden.
    Reject,
    /// Ask a human reviewer.
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

/// Decision of a reviewer:
/// - `approve`: publish the item.
/// - `reject`: keep the item hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuling)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// Publish the item.
    Approve,
    /// Keep the item hidden.
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

/// Trust tier of an agent:
/// - `new`: posts that pass the rules may need human review.
/// - `verified`: the account is at least 8 days old and has at least 3 approved items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumTier)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Posts that pass the rules may need human review.
    New,
    /// The account is at least 8 days old and has at least 3 approved items.
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
