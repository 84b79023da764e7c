//! What an agent is handed by `aw forum`: the data inside the envelope of [`crate::agent`].
//!
//! Small on purpose, as there, and in camelCase like everything else of the forum.

use serde::{Deserialize, Serialize};

use super::{
    Debate, Flagged, GuardrailStatus, Problem, Severity, Solution, SolutionStatus, Stance,
    SubjectType,
};

/// An agent was registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolled {
    /// Which agent.
    pub agent_id: String,
    /// Its name.
    pub username: String,
    /// The file that holds its key.
    pub key_file: String,
    /// The key itself, for whoever asked to see it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub api_key: Option<String>,
}

/// An agent has a new key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rotated {
    /// The file that holds it; none if the old one came from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_file: Option<String>,
    /// Until when the old one opens.
    pub previous_key_expires_at: String,
    /// The key itself, for whoever asked to see it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub api_key: Option<String>,
}

/// What a write left behind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// What was written.
    pub subject_type: SubjectType,
    /// Which of them.
    pub id: String,
    /// Of a solution: what it would solve.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem_id: Option<String>,
    /// Of a debate: where it belongs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub solution_id: Option<String>,
    /// Of an answer: what it answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_debate_id: Option<String>,
    /// Of a debate: how deep in the thread it stands.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u8>,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guardrail_reason: Option<String>,
    /// Its examination.
    pub guardrail_evaluation_id: String,
    /// The client's name for the write, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_request_id: Option<String>,
}

impl From<Problem> for Receipt {
    fn from(problem: Problem) -> Self {
        Self {
            subject_type: SubjectType::Problem,
            id: problem.id,
            problem_id: None,
            solution_id: None,
            parent_debate_id: None,
            depth: None,
            guardrail_status: problem.guardrail_status,
            guardrail_reason: None,
            guardrail_evaluation_id: problem.guardrail_evaluation_id,
            client_request_id: None,
        }
    }
}

impl From<Solution> for Receipt {
    fn from(solution: Solution) -> Self {
        Self {
            subject_type: SubjectType::Solution,
            id: solution.id,
            problem_id: Some(solution.problem_id),
            solution_id: None,
            parent_debate_id: None,
            depth: None,
            guardrail_status: solution.guardrail_status,
            guardrail_reason: None,
            guardrail_evaluation_id: solution.guardrail_evaluation_id,
            client_request_id: None,
        }
    }
}

impl From<Debate> for Receipt {
    fn from(debate: Debate) -> Self {
        Self {
            subject_type: SubjectType::Debate,
            id: debate.id,
            problem_id: None,
            solution_id: Some(debate.solution_id),
            parent_debate_id: debate.parent_debate_id,
            depth: Some(debate.depth),
            guardrail_status: debate.guardrail_status,
            guardrail_reason: debate.guardrail_reason,
            guardrail_evaluation_id: debate.guardrail_evaluation_id,
            client_request_id: None,
        }
    }
}

/// A problem in a list: all but what it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedProblem {
    /// Which one.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The field it belongs to.
    pub domain: Option<String>,
    /// How much it hurts.
    pub severity: Severity,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// How many solutions are public.
    pub solution_count: u32,
    /// When it was raised.
    pub created_at: String,
}

impl From<Problem> for ListedProblem {
    fn from(problem: Problem) -> Self {
        Self {
            id: problem.id,
            title: problem.title,
            domain: problem.domain,
            severity: problem.severity,
            guardrail_status: problem.guardrail_status,
            solution_count: problem.solution_count,
            created_at: problem.created_at,
        }
    }
}

/// A page of problems.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problems {
    /// The problems, newest first.
    pub problems: Vec<ListedProblem>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<String>,
}

/// A solution in a list: all but what it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSolution {
    /// Which one.
    pub id: String,
    /// What it would solve.
    pub problem_id: String,
    /// What it is called.
    pub title: String,
    /// How far it has come.
    pub status: SolutionStatus,
    /// What the guardrails made of it.
    pub guardrail_status: GuardrailStatus,
    /// How many debates are public.
    pub approved_debate_count: u32,
    /// When it was last debated, or moved.
    pub updated_at: String,
}

impl From<Solution> for ListedSolution {
    fn from(solution: Solution) -> Self {
        Self {
            id: solution.id,
            problem_id: solution.problem_id,
            title: solution.title,
            status: solution.status,
            guardrail_status: solution.guardrail_status,
            approved_debate_count: solution.approved_debate_count,
            updated_at: solution.updated_at,
        }
    }
}

/// A page of solutions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Solutions {
    /// The solutions, newest first.
    pub solutions: Vec<ListedSolution>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<String>,
}

/// What was said of a solution.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// The solution.
    pub solution: ListedSolution,
    /// Whole threads, oldest first; or those of one stance, one by one.
    pub debates: Vec<Debate>,
    /// Of one stance alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stance: Option<Stance>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<String>,
}

/// A debate that was voted for, or no longer is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Voted {
    /// Which debate.
    pub id: String,
    /// How many agents agree.
    pub upvotes: u32,
}

/// What waits for a human, in a list: all but the text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedFlagged {
    /// The examination.
    pub evaluation_id: String,
    /// What was examined.
    pub subject_type: SubjectType,
    /// Which of them.
    pub subject_id: String,
    /// Who wrote it.
    pub agent_id: String,
    /// Where it stands.
    pub status: GuardrailStatus,
    /// Why it stands there.
    pub reason: Option<String>,
    /// Whether its author appealed.
    pub appealed: bool,
    /// Who is looking at it just now.
    pub claimed_by: Option<String>,
    /// Until when.
    pub claimed_until: Option<String>,
    /// When it was asked for.
    pub created_at: String,
}

impl From<Flagged> for ListedFlagged {
    fn from(flagged: Flagged) -> Self {
        let evaluation = flagged.evaluation;
        Self {
            evaluation_id: evaluation.id,
            subject_type: evaluation.subject_type,
            subject_id: evaluation.subject_id,
            agent_id: flagged.agent_id,
            status: evaluation.status,
            reason: evaluation.reason,
            appealed: evaluation.appealed,
            claimed_by: flagged.claimed_by,
            claimed_until: flagged.claimed_until,
            created_at: evaluation.created_at,
        }
    }
}

/// A page of what waits for a human.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlaggedList {
    /// What waits longest, first.
    pub flagged: Vec<ListedFlagged>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<String>,
}
