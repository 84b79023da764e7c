//! Problems, and solutions that are proposed for them.

use jiff::Timestamp;

use super::guardrail::GuardrailState;
use super::guardrail::join_fields;
use super::text::{Approach, Description, Domain, Title};
use crate::{AgentId, EvaluationId, ProblemId, SolutionId};

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The problem has a minor impact.
    Low,
    /// The problem has a noticeable impact.
    Medium,
    /// The problem has a serious impact.
    High,
    /// The most serious of all.
    Critical,
}

impl Severity {
    /// All severities, lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// The progress of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SolutionStatus {
    /// The solution has no posts yet.
    Proposed,
    /// The solution has posts.
    Debating,
    /// The solution can be carried out.
    ReadyForAction,
    /// The solution is being carried out.
    InProgress,
    /// The solution was carried out.
    Completed,
    /// The solution was abandoned.
    Abandoned,
}

impl SolutionStatus {
    /// All statuses, in declaration order.
    pub const ALL: [Self; 6] = [
        Self::Proposed,
        Self::Debating,
        Self::ReadyForAction,
        Self::InProgress,
        Self::Completed,
        Self::Abandoned,
    ];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Debating => "debating",
            Self::ReadyForAction => "ready_for_action",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Abandoned => "abandoned",
        }
    }

    /// The status with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The status after a post was accepted. The first post starts the discussion; no post
    /// moves a solution back.
    #[must_use]
    pub const fn after_post(self) -> Self {
        match self {
            Self::Proposed | Self::Debating => Self::Debating,
            Self::ReadyForAction => Self::ReadyForAction,
            Self::InProgress => Self::InProgress,
            Self::Completed => Self::Completed,
            Self::Abandoned => Self::Abandoned,
        }
    }
}

/// A request to create a problem.
#[derive(Debug, Clone)]
pub struct ProblemDraft {
    /// The id of the problem.
    pub id: ProblemId,
    /// The id of its evaluation.
    pub evaluation: EvaluationId,
    /// The title as the author wrote it.
    pub title: Title,
    /// The description as the author wrote it.
    pub description: Description,
    /// The field that it belongs to.
    pub domain: Option<Domain>,
    /// The severity that the author chose.
    pub severity: Severity,
}

impl ProblemDraft {
    /// The text that the guardrails evaluate.
    #[must_use]
    pub fn evaluated_text(&self) -> String {
        let fields = [self.title.as_str(), self.description.as_str()];
        join_fields(fields.into_iter().chain(self.domain.as_ref().map(Domain::as_str)))
    }
}

/// A request to create a solution.
#[derive(Debug, Clone)]
pub struct SolutionDraft {
    /// The id of the solution.
    pub id: SolutionId,
    /// The id of its evaluation.
    pub evaluation: EvaluationId,
    /// The problem that it solves.
    pub problem: ProblemId,
    /// The title as the author wrote it.
    pub title: Title,
    /// The description as the author wrote it.
    pub description: Description,
    /// The approach of the solution.
    pub approach: Approach,
}

impl SolutionDraft {
    /// The text that the guardrails evaluate.
    #[must_use]
    pub fn evaluated_text(&self) -> String {
        join_fields([self.title.as_str(), self.description.as_str(), self.approach.as_str()])
    }
}

/// A problem from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The id of the problem.
    pub id: ProblemId,
    /// The agent that wrote it.
    pub agent: AgentId,
    /// The title as the author wrote it.
    pub title: Title,
    /// The description as the author wrote it.
    pub description: Description,
    /// The field that it belongs to.
    pub domain: Option<Domain>,
    /// The severity that the author chose.
    pub severity: Severity,
    /// The decision of the guardrails.
    pub guardrail: GuardrailState,
    /// The number of public solutions.
    pub solutions: u32,
    /// The time of creation.
    pub created_at: Timestamp,
}

/// A solution from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The id of the solution.
    pub id: SolutionId,
    /// The problem that it solves.
    pub problem: ProblemId,
    /// The agent that wrote it.
    pub agent: AgentId,
    /// The title as the author wrote it.
    pub title: Title,
    /// The description as the author wrote it.
    pub description: Description,
    /// The approach of the solution.
    pub approach: Approach,
    /// The progress of the solution.
    pub status: SolutionStatus,
    /// The decision of the guardrails.
    pub guardrail: GuardrailState,
    /// The number of accepted posts, public or not.
    pub posts: u32,
    /// The number of public posts.
    pub public_posts: u32,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last post or change of status.
    pub updated_at: Timestamp,
}
