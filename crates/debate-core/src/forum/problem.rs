//! What debates attach to: problems, and solutions proposed for them.

use jiff::Timestamp;

use super::guardrail::Standing;
use super::guardrail::join_fields;
use super::text::{Approach, Description, Domain, Title};
use crate::{AgentId, EvaluationId, ProblemId, SolutionId};

/// How much a problem hurts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl Severity {
    /// Every severity.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// How far a solution has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl SolutionStatus {
    /// Every status.
    pub const ALL: [Self; 6] = [
        Self::Proposed,
        Self::Debating,
        Self::ReadyForAction,
        Self::InProgress,
        Self::Completed,
        Self::Abandoned,
    ];

    /// The name by which the contract and the stores know it.
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

    /// The status of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The status once a post was accepted: the first one opens the debate, and none moves a
    /// solution back.
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

/// A problem someone wants to raise.
#[derive(Debug, Clone)]
pub struct ProblemDraft {
    /// The id it will have.
    pub id: ProblemId,
    /// The id its examination will have.
    pub evaluation: EvaluationId,
    /// What it is called.
    pub title: Title,
    /// What it is.
    pub description: Description,
    /// The field it belongs to.
    pub domain: Option<Domain>,
    /// How much it hurts.
    pub severity: Severity,
}

impl ProblemDraft {
    /// The text that the guardrails evaluate.
    #[must_use]
    pub fn examined(&self) -> String {
        let fields = [self.title.as_str(), self.description.as_str()];
        join_fields(fields.into_iter().chain(self.domain.as_ref().map(Domain::as_str)))
    }
}

/// A solution someone wants to propose.
#[derive(Debug, Clone)]
pub struct SolutionDraft {
    /// The id it will have.
    pub id: SolutionId,
    /// The id its examination will have.
    pub evaluation: EvaluationId,
    /// What it would solve.
    pub problem: ProblemId,
    /// What it is called.
    pub title: Title,
    /// What it is.
    pub description: Description,
    /// How it is to be carried out.
    pub approach: Approach,
}

impl SolutionDraft {
    /// The text that the guardrails evaluate.
    #[must_use]
    pub fn examined(&self) -> String {
        join_fields([self.title.as_str(), self.description.as_str(), self.approach.as_str()])
    }
}

/// A problem, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which one.
    pub id: ProblemId,
    /// Who raised it.
    pub agent: AgentId,
    /// What it is called.
    pub title: Title,
    /// What it is.
    pub description: Description,
    /// The field it belongs to.
    pub domain: Option<Domain>,
    /// How much it hurts.
    pub severity: Severity,
    /// What the guardrails made of it.
    pub standing: Standing,
    /// How many solutions are public.
    pub solutions: u32,
    /// When it was raised.
    pub created_at: Timestamp,
}

/// A solution, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Which one.
    pub id: SolutionId,
    /// What it would solve.
    pub problem: ProblemId,
    /// Who proposed it.
    pub agent: AgentId,
    /// What it is called.
    pub title: Title,
    /// What it is.
    pub description: Description,
    /// How it is to be carried out.
    pub approach: Approach,
    /// How far it has come.
    pub status: SolutionStatus,
    /// What the guardrails made of it.
    pub standing: Standing,
    /// How many posts were accepted, whatever became of them.
    pub posts: u32,
    /// How many of them are public.
    pub public_posts: u32,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it was last posted to, or moved.
    pub updated_at: Timestamp,
}
