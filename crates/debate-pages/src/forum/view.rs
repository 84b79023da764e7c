//! Problems and solutions as pages show them.

use std::collections::{HashMap, HashSet};

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::guardrail::{GuardrailState, GuardrailStatus};
use debate_core::forum::{
    DisplayName, Exposure, Problem, Severity, Solution, SolutionStatus, Username,
};
use debate_core::{AgentId, ProblemId, SolutionId};
use debate_render::forum::solution_label;
use debate_render::{Html, render_markdown, visible};

use crate::outcome::sentence;
use crate::time::Time;

/// The guardrail status of an item that is not public.
#[derive(Debug)]
pub(crate) struct GuardrailBadge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
    /// The reason that the guardrails gave, as a sentence.
    pub(crate) reason: Option<String>,
}

impl GuardrailBadge {
    /// None for a public item.
    pub(super) fn new(state: &GuardrailState) -> Option<Self> {
        let (class, label) = match (state.status, state.exposure) {
            (GuardrailStatus::Approved, Exposure::Public) => return None,
            (GuardrailStatus::Approved, Exposure::Withheld) => {
                ("idle", "Approved, parent not public")
            }
            (GuardrailStatus::Pending, _) => ("closed", "Pending evaluation"),
            (GuardrailStatus::Flagged, _) => ("arbitrator", "Waiting for review"),
            (GuardrailStatus::Rejected, _) => ("failed", "Rejected"),
        };
        Some(Self { class, label, reason: state.reason.as_deref().map(reason_sentence) })
    }
}

fn reason_sentence(reason: &str) -> String {
    sentence(&visible::line(reason.trim()))
}

/// The names of agents. A page shows a display name together with the username, because only the
/// username is unique.
pub(super) struct AuthorNames(HashMap<AgentId, String>);

impl AuthorNames {
    /// Reads each agent once.
    pub(super) async fn read(forum: &Forum, agents: HashSet<AgentId>) -> Result<Self, ForumError> {
        let mut names = HashMap::new();
        for id in agents {
            let agent = forum.agent(id).await?;
            names.insert(id, author_name(&agent.username, agent.display_name.as_ref()));
        }
        Ok(Self(names))
    }

    fn name(&self, agent: AgentId) -> String {
        self.0.get(&agent).cloned().unwrap_or_default()
    }
}

pub(super) fn author_name(username: &Username, display_name: Option<&DisplayName>) -> String {
    match display_name {
        Some(name) => format!("{} ({username})", visible::line(name.as_str())),
        None => username.to_string(),
    }
}

/// A problem in a list, and at the top of its page.
#[derive(Debug)]
pub(crate) struct ProblemRow {
    pub(crate) id: ProblemId,
    pub(crate) title: String,
    pub(crate) severity: &'static str,
    pub(crate) domain: Option<String>,
    pub(crate) solutions: u32,
    pub(crate) author: String,
    pub(crate) created: Time,
    pub(crate) guardrail: Option<GuardrailBadge>,
}

impl ProblemRow {
    pub(super) fn new(problem: &Problem, names: &AuthorNames) -> Self {
        Self {
            id: problem.id,
            title: visible::line(problem.title.as_str()),
            severity: severity_label(problem.severity),
            domain: problem.domain.as_ref().map(|domain| visible::line(domain.as_str())),
            solutions: problem.solutions,
            author: names.name(problem.agent),
            created: Time(problem.created_at),
            guardrail: GuardrailBadge::new(&problem.guardrail),
        }
    }

    pub(super) async fn read_list(
        forum: &Forum,
        problems: &[Problem],
    ) -> Result<Vec<Self>, ForumError> {
        let authors = problems.iter().map(|problem| problem.agent).collect();
        let names = AuthorNames::read(forum, authors).await?;
        Ok(problems.iter().map(|problem| Self::new(problem, &names)).collect())
    }
}

pub(super) const fn severity_label(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low severity",
        Severity::Medium => "medium severity",
        Severity::High => "high severity",
        Severity::Critical => "critical severity",
    }
}

/// The badge of a solution's status.
pub(crate) struct SolutionBadge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
}

impl From<SolutionStatus> for SolutionBadge {
    fn from(status: SolutionStatus) -> Self {
        let class = match status {
            SolutionStatus::Proposed => "idle",
            SolutionStatus::Debating => "proposer",
            SolutionStatus::ReadyForAction | SolutionStatus::InProgress => "running",
            SolutionStatus::Completed | SolutionStatus::Abandoned => "closed",
        };
        Self { class, label: solution_label(status.into()) }
    }
}

/// A solution in a list, and at the top of its page.
pub(crate) struct SolutionRow {
    pub(crate) id: SolutionId,
    pub(crate) title: String,
    pub(crate) progress: SolutionBadge,
    /// The number of public posts.
    pub(crate) posts: u32,
    pub(crate) author: String,
    pub(crate) created: Time,
    pub(crate) changed: Time,
    pub(crate) guardrail: Option<GuardrailBadge>,
}

impl SolutionRow {
    pub(super) fn new(solution: &Solution, names: &AuthorNames) -> Self {
        Self {
            id: solution.id,
            title: visible::line(solution.title.as_str()),
            progress: solution.status.into(),
            posts: solution.public_posts,
            author: names.name(solution.agent),
            created: Time(solution.created_at),
            changed: Time(solution.updated_at),
            guardrail: GuardrailBadge::new(&solution.guardrail),
        }
    }

    pub(super) async fn read_list(
        forum: &Forum,
        solutions: &[Solution],
    ) -> Result<Vec<Self>, ForumError> {
        let authors = solutions.iter().map(|solution| solution.agent).collect();
        let names = AuthorNames::read(forum, authors).await?;
        Ok(solutions.iter().map(|solution| Self::new(solution, &names)).collect())
    }
}

/// Texts as HTML below a heading of the second level. Rendering blocks, and other requests must not
/// wait for it.
pub(super) async fn render_texts<const N: usize>(texts: [String; N]) -> [Html; N] {
    let rendering = move || texts.map(|text| render_markdown(&text, 2));
    tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic")
}
