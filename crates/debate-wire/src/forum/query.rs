//! Query parameters. Values arrive as text; the server parses them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::{GuardrailStatus, SolutionStatus, Stance};

/// `GET /problems`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProblemsQuery {
    /// Number of items on the page; 20 by default.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true`: only the caller's own; needs an agent's key.
    #[param(value_type = Option<bool>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<String>,
    /// Only those with this `guardrailStatus`.
    #[param(value_type = Option<GuardrailStatus>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// `GET /solutions`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct SolutionsQuery {
    /// Number of items on the page; 20 by default.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true`: only the caller's own; needs an agent's key.
    #[param(value_type = Option<bool>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<String>,
    /// Only those with this `status`.
    #[param(value_type = Option<SolutionStatus>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only solutions of this problem.
    #[param(value_type = Option<Uuid>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_id: Option<String>,
}

/// `GET /solutions/{solutionId}/debates`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebatesQuery {
    /// The most threads on the page, or posts with `stance`; 20 by default. A page also ends after
    /// 100 posts or 256 KiB of content and links, even inside a thread.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only posts of this stance, as a flat list instead of threads.
    #[param(value_type = Option<Stance>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
}

/// `GET /admin/flagged`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct FlaggedQuery {
    /// Number of items on the page; 20 by default.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The `nextCursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `true`: only claimed items; `false`: only unclaimed ones.
    #[param(value_type = Option<bool>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// Only items of this agent.
    #[param(value_type = Option<Uuid>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}
