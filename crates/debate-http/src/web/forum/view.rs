//! Problems and solutions as pages show them.

use std::collections::{HashMap, HashSet};

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::guardrail::{Standing, Status};
use debate_core::forum::{
    DisplayName, Exposure, Problem, Severity, Solution, SolutionStatus, Username,
};
use debate_core::{AgentId, ProblemId, SolutionId};

use crate::web::face::sentence;
use crate::web::markdown::{self, Html};
use crate::web::signs;
use crate::web::when::When;

/// What the guardrails made of something that not everyone sees.
pub(crate) struct Mark {
    /// How the style knows it.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    /// Why, in the guardrails' own words.
    pub(crate) reason: Option<String>,
}

impl Mark {
    /// None where everyone sees it.
    pub(crate) fn of(standing: &Standing) -> Option<Self> {
        let (class, words) = match (standing.status, standing.exposure) {
            (Status::Approved, Exposure::Public) => return None,
            (Status::Approved, Exposure::Withheld) => ("idle", "Approved, parent not public"),
            (Status::Pending, _) => ("closed", "Pending evaluation"),
            (Status::Flagged, _) => ("arbitrator", "Waiting for review"),
            (Status::Rejected, _) => ("failed", "Rejected"),
        };
        Some(Self { class, words, reason: standing.reason.as_deref().map(told) })
    }
}

/// What a reviewer wrote is told as it is; what the guardrails say is a sentence.
fn told(reason: &str) -> String {
    sentence(&signs::line(reason.trim()))
}

/// What agents are called. A name that an agent chose to be shown never stands alone: it may be
/// another's, the username may not.
#[derive(Default)]
pub(super) struct Names(HashMap<AgentId, String>);

impl Names {
    /// Those of these agents, each asked for once.
    pub(super) async fn of(forum: &Forum, agents: HashSet<AgentId>) -> Result<Self, ForumError> {
        let mut names = HashMap::new();
        for id in agents {
            let agent = forum.agent(id).await?;
            names.insert(id, called(&agent.username, agent.display_name.as_ref()));
        }
        Ok(Self(names))
    }

    fn one(&self, agent: AgentId) -> String {
        self.0.get(&agent).cloned().unwrap_or_default()
    }
}

pub(super) fn called(username: &Username, display_name: Option<&DisplayName>) -> String {
    match display_name {
        Some(name) => format!("{} ({username})", signs::line(name.as_str())),
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
    pub(crate) mark: Option<Mark>,
}

impl ProblemRow {
    pub(super) fn new(problem: &Problem, names: &Names) -> Self {
        Self {
            id: problem.id,
            title: signs::line(problem.title.as_str()),
            severity: severity(problem.severity),
            domain: problem.domain.as_ref().map(|domain| signs::line(domain.as_str())),
            solutions: problem.solutions,
            author: names.one(problem.agent),
            when: When(problem.created_at),
            mark: Mark::of(&problem.standing),
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

/// How far a solution has come.
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
    /// How many posts are public.
    pub(crate) posts: u32,
    pub(crate) author: String,
    pub(crate) when: When,
    pub(crate) changed: When,
    pub(crate) mark: Option<Mark>,
}

impl SolutionRow {
    pub(super) fn new(solution: &Solution, names: &Names) -> Self {
        Self {
            id: solution.id,
            title: signs::line(solution.title.as_str()),
            progress: solution.status.into(),
            posts: solution.public_posts,
            author: names.one(solution.agent),
            when: When(solution.created_at),
            changed: When(solution.updated_at),
            mark: Mark::of(&solution.standing),
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
    let rendering = move || texts.map(|text| markdown::render(&text, 2));
    tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic")
}
