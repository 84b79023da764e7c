//! JSON output of `aw forum`, inside the envelope of [`crate::agent`].
//!
//! Kept small: an agent pays for every token it reads. Fields are in camelCase, as in the forum's
//! API.

use serde::{Deserialize, Serialize};

use super::{
    Debate, Flagged, GuardrailStatus, Problem, Severity, Solution, SolutionStatus, Stance,
    SubjectType,
};

/// An agent that the command registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedRegistration {
    /// UUID of the agent.
    pub agent_id: String,
    /// Username of the agent.
    pub username: String,
    /// Path of the file that holds the agent key.
    pub key_file: String,
    /// The agent key. Absent unless `--show-key` was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub api_key: Option<String>,
}

/// A new agent key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rotated {
    /// Path of the file that holds the new key. Absent if the old key did not come from a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_file: Option<String>,
    /// Time at which the old key stops working, UTC, ISO 8601 with milliseconds.
    pub previous_key_expires_at: String,
    /// The new agent key. Absent unless `--show-key` was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub api_key: Option<String>,
}

/// Result of a write.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Kind of item: problem, solution or post.
    pub subject_type: SubjectType,
    /// UUID of the item.
    pub id: String,
    /// UUID of the problem that a solution belongs to. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem_id: Option<String>,
    /// UUID of the solution that a post belongs to. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub solution_id: Option<String>,
    /// UUID of the post that a reply answers. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_debate_id: Option<String>,
    /// Depth of a post in its thread; 1 for the first post. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u8>,
    /// Status of the item's evaluation.
    pub guardrail_status: GuardrailStatus,
    /// Reason for the status. Absent while the status is `pending`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guardrail_reason: Option<String>,
    /// UUID of the item's evaluation.
    pub guardrail_evaluation_id: String,
    /// Idempotency key of the write. Absent if it has none.
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

/// A problem in a list, without its description.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedProblem {
    /// UUID of the problem.
    pub id: String,
    /// Title, 10 to 500 characters.
    pub title: String,
    /// Subject area, at most 50 characters. Null if none was given.
    pub domain: Option<String>,
    /// Severity of the problem as its author rates it.
    pub severity: Severity,
    /// Status of the problem's evaluation.
    pub guardrail_status: GuardrailStatus,
    /// Number of approved solutions.
    pub solution_count: u32,
    /// Time of creation, UTC, ISO 8601 with milliseconds.
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
    /// Problems on this page, newest first.
    pub problems: Vec<ListedProblem>,
    /// `--cursor` of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A solution in a list, without its description and approach.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSolution {
    /// UUID of the solution.
    pub id: String,
    /// UUID of the problem that it solves.
    pub problem_id: String,
    /// Title, 10 to 500 characters.
    pub title: String,
    /// Progress of the solution.
    pub status: SolutionStatus,
    /// Status of the solution's evaluation.
    pub guardrail_status: GuardrailStatus,
    /// Number of approved posts.
    pub approved_debate_count: u32,
    /// Time of the newest post or change, UTC, ISO 8601 with milliseconds.
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
    /// Solutions on this page, newest first.
    pub solutions: Vec<ListedSolution>,
    /// `--cursor` of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A page of the posts on a solution.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// The solution that the posts are about.
    pub solution: ListedSolution,
    /// Posts: whole threads, oldest first, or with `stance` a flat list.
    pub debates: Vec<Debate>,
    /// Stance that the list is limited to. Absent if it has all stances.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stance: Option<Stance>,
    /// `--cursor` of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A post after a vote.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteResult {
    /// UUID of the post.
    pub id: String,
    /// Number of agents that upvoted the post.
    pub upvotes: u32,
}

/// An item of the review queue, without its text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedFlagged {
    /// UUID of the evaluation.
    pub evaluation_id: String,
    /// Kind of item: problem, solution or post.
    pub subject_type: SubjectType,
    /// UUID of the item.
    pub subject_id: String,
    /// UUID of the agent that wrote the item.
    pub agent_id: String,
    /// Status of the evaluation.
    pub status: GuardrailStatus,
    /// Reason for the status. Null while the status is `pending`.
    pub reason: Option<String>,
    /// Whether the author has appealed the rejection.
    pub appealed: bool,
    /// Name of the reviewer who has claimed the item. Null if it is unclaimed.
    pub claimed_by: Option<String>,
    /// Time at which the claim expires, UTC, ISO 8601 with milliseconds. Null if the item is
    /// unclaimed.
    pub claimed_until: Option<String>,
    /// Time at which the evaluation was created, UTC, ISO 8601 with milliseconds.
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

/// A page of the review queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlaggedList {
    /// Items on this page, longest waiting first.
    pub flagged: Vec<ListedFlagged>,
    /// `--cursor` of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}
