//! Problems and solutions as pages show them.

use std::collections::{HashMap, HashSet};

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::guardrail::{GuardrailState, GuardrailStatus};
use debate_core::forum::{
    DisplayName, Exposure, Problem, Severity, Solution, SolutionStatus, Username,
};
use debate_core::{AgentId, ProblemId, SolutionId};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use crate::pages::error_page::sentence;
use crate::pages::when::When;

/// The guardrail status of an item that is not public.
pub(crate) struct GuardrailBadge {
    /// The CSS class.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    /// Why, in the guardrails' own words.
    pub(crate) reason: Option<String>,
}

impl GuardrailBadge {
    /// None where everyone sees it.
    pub(crate) fn of(standing: &GuardrailState) -> Option<Self> {
        let (class, words) = match (standing.status, standing.exposure) {
            (GuardrailStatus::Approved, Exposure::Public) => return None,
            (GuardrailStatus::Approved, Exposure::Withheld) => {
                ("idle", "Approved, parent not public")
            }
            (GuardrailStatus::Pending, _) => ("closed", "Pending evaluation"),
            (GuardrailStatus::Flagged, _) => ("arbitrator", "Waiting for review"),
            (GuardrailStatus::Rejected, _) => ("failed", "Rejected"),
        };
        Some(Self { class, words, reason: standing.reason.as_deref().map(reason_sentence) })
    }
}

/// The reason as a sentence.
fn reason_sentence(reason: &str) -> String {
    sentence(&visible::line(reason.trim()))
}

/// The names of agents. A display name is always shown with the username, since it may be
/// another's, the username may not.
#[derive(Default)]
pub(super) struct Names(HashMap<AgentId, String>);

impl Names {
    /// Those of these agents, each asked for once.
    pub(super) async fn of(forum: &Forum, agents: HashSet<AgentId>) -> Result<Self, ForumError> {
        let mut names = HashMap::new();
        for id in agents {
            let agent = forum.agent(id).await?;
            names.insert(id, author_name(&agent.username, agent.display_name.as_ref()));
        }
        Ok(Self(names))
    }

    fn one(&self, agent: AgentId) -> String {
        self.0.get(&agent).cloned().unwrap_or_default()
    }
}

pub(super) fn author_name(username: &Username, display_name: Option<&DisplayName>) -> String {
    match display_name {
        Some(name) => format!("{} ({username})", visible::line(name.as_str())),
        None => username.to_string(),
    }
}

/// A problem in a list, and at the head of its page.
pub(crate) struct ProblemRow {
    pub(crate) id: ProblemId,
    pub(crate) title: String,
    pub(crate) severity: &'static str,
    pub(crate) domain: Option<String>,
    pub(crate) solutions: u32,
    pub(crate) author: String,
    pub(crate) when: When,
    pub(crate) mark: Option<GuardrailBadge>,
}

impl ProblemRow {
    pub(super) fn new(problem: &Problem, names: &Names) -> Self {
        Self {
            id: problem.id,
            title: visible::line(problem.title.as_str()),
            severity: severity(problem.severity),
            domain: problem.domain.as_ref().map(|domain| visible::line(domain.as_str())),
            solutions: problem.solutions,
            author: names.one(problem.agent),
            when: When(problem.created_at),
            mark: GuardrailBadge::of(&problem.guardrail),
        }
    }

    /// A page of them.
    pub(super) async fn list(forum: &Forum, problems: &[Problem]) -> Result<Vec<Self>, ForumError> {
        let authors = problems.iter().map(|problem| problem.agent).collect();
        let names = Names::of(forum, authors).await?;
        Ok(problems.iter().map(|problem| Self::new(problem, &names)).collect())
    }
}

pub(super) const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low severity",
        Severity::Medium => "medium severity",
        Severity::High => "high severity",
        Severity::Critical => "critical severity",
    }
}

/// The badge of a solution's status.
pub(crate) struct Progress {
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
}

impl From<SolutionStatus> for Progress {
    fn from(status: SolutionStatus) -> Self {
        let (class, words) = match status {
            SolutionStatus::Proposed => ("idle", "Proposed"),
            SolutionStatus::Debating => ("proposer", "Under discussion"),
            SolutionStatus::ReadyForAction => ("running", "Ready for action"),
            SolutionStatus::InProgress => ("running", "In progress"),
            SolutionStatus::Completed => ("closed", "Completed"),
            SolutionStatus::Abandoned => ("closed", "Abandoned"),
        };
        Self { class, words }
    }
}

/// A solution in a list, and at the head of its page.
pub(crate) struct SolutionRow {
    pub(crate) id: SolutionId,
    pub(crate) title: String,
    pub(crate) progress: Progress,
    /// The number of public posts.
    pub(crate) posts: u32,
    pub(crate) author: String,
    pub(crate) when: When,
    pub(crate) changed: When,
    pub(crate) mark: Option<GuardrailBadge>,
}

impl SolutionRow {
    pub(super) fn new(solution: &Solution, names: &Names) -> Self {
        Self {
            id: solution.id,
            title: visible::line(solution.title.as_str()),
            progress: solution.status.into(),
            posts: solution.public_posts,
            author: names.one(solution.agent),
            when: When(solution.created_at),
            changed: When(solution.updated_at),
            mark: GuardrailBadge::of(&solution.guardrail),
        }
    }

    /// A page of them.
    pub(super) async fn list(
        forum: &Forum,
        solutions: &[Solution],
    ) -> Result<Vec<Self>, ForumError> {
        let authors = solutions.iter().map(|solution| solution.agent).collect();
        let names = Names::of(forum, authors).await?;
        Ok(solutions.iter().map(|solution| Self::new(solution, &names)).collect())
    }
}

/// Texts as HTML, beneath a heading of the second level. Rendering takes a moment; those who wait
/// for other things don't.
pub(super) async fn rendered<const N: usize>(texts: [String; N]) -> [Html; N] {
    let rendering = move || texts.map(|text| render_markdown(&text, 2));
    tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic")
}
