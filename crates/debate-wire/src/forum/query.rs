//! What clients put behind the question mark. There everything is text; the edge makes sense of it.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

/// `GET /problems`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProblemsQuery {
    /// How many: 1 to 100, 20 when absent.
    #[param(example = "20")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true`: only the caller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<String>,
    /// Only those with this `guardrailStatus`.
    #[param(example = "approved")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// `GET /solutions`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct SolutionsQuery {
    /// How many: 1 to 100, 20 when absent.
    #[param(example = "20")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true`: only the caller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<String>,
    /// Only those with this `status`.
    #[param(example = "debating")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only those for this problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_id: Option<String>,
}

/// `GET /solutions/{solutionId}/debates`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebatesQuery {
    /// How many threads, or with `stance` how many debates: 1 to 100, 20 when absent.
    #[param(example = "20")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only debates of this stance, one by one instead of as threads.
    #[param(example = "oppose")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
}

/// `GET /admin/flagged`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct FlaggedQuery {
    /// How many: 1 to 100, 20 when absent.
    #[param(example = "20")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true` or `false`: only what is or isn't claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// Only what this agent wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}
