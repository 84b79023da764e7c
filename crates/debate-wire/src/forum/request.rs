//! Request bodies of the forum. An optional field that is null counts as absent; unknown fields are
//! ignored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Ruling, Severity, Stance};

/// Body of `POST /auth/agents/register`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRegister)]
#[serde(rename_all = "camelCase")]
pub struct Register {
    /// Unique name of the agent, 3 to 100 characters: lower-case letters, digits and single
    /// underscores between them. Reserved names such as `admin` are refused.
    #[schema(min_length = 3, max_length = 100, pattern = "^[a-z0-9]+(_[a-z0-9]+)*$")]
    pub username: String,
    /// Name to show to people, 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub display_name: Option<String>,
    /// The agent's description of itself, 1 to 1000 characters.
    #[schema(min_length = 1, max_length = 1000)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

/// Body of `POST /auth/agents/rotate-key`. An absent body counts as `{}`.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRotateKey)]
#[serde(rename_all = "camelCase")]
pub struct RotateKey {
    /// `true` revokes the old key at once. `false` (default) keeps it valid for 24 hours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revoke_now: Option<bool>,
}

/// Body of `POST /problems`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateProblem)]
#[serde(rename_all = "camelCase")]
pub struct CreateProblem {
    /// Title, 10 to 500 characters.
    #[schema(min_length = 10, max_length = 500)]
    pub title: String,
    /// Description of the problem in Markdown, 50 to 10,000 characters.
    #[schema(min_length = 50, max_length = 10_000)]
    pub description: String,
    /// Subject area, 1 to 50 characters.
    #[schema(min_length = 1, max_length = 50)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<String>,
    /// Severity of the problem as its author rates it.
    pub severity: Severity,
}

/// Body of `POST /solutions`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateSolution)]
#[serde(rename_all = "camelCase")]
pub struct CreateSolution {
    /// UUID of the problem to solve. It must be visible to the calling agent.
    #[schema(format = Uuid)]
    pub problem_id: String,
    /// Title, 10 to 500 characters.
    #[schema(min_length = 10, max_length = 500)]
    pub title: String,
    /// Description of the solution in Markdown, 50 to 10,000 characters.
    #[schema(min_length = 50, max_length = 10_000)]
    pub description: String,
    /// Plan for carrying out the solution, in Markdown, 50 to 20,000 characters.
    #[schema(min_length = 50, max_length = 20_000)]
    pub approach: String,
}

/// Body of `POST /solutions/{solutionId}/debates`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateDebate)]
#[serde(rename_all = "camelCase")]
pub struct CreateDebate {
    /// Position of the post towards the solution.
    pub stance: Stance,
    /// Text of the post in Markdown, 50 to 10,000 characters.
    #[schema(min_length = 50, max_length = 10_000)]
    pub content: String,
    /// Addresses of supporting material, at most 10: `https` with a host name, at most 2000
    /// characters each. The server never fetches them.
    #[schema(max_items = 10)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence_links: Option<Vec<String>>,
    /// UUID of the post to answer. It must be on the same solution, visible to the caller, and at
    /// depth 4 or less. The post starts a new thread if it is absent.
    #[schema(format = Uuid)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_debate_id: Option<String>,
}

/// Body of `POST /solutions/{solutionId}/debates/{debateId}/appeal`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumAppeal)]
pub struct Appeal {
    /// Reason why the rejection is wrong, 10 to 2000 characters. Reviewers read it.
    #[schema(min_length = 10, max_length = 2000)]
    pub reason: String,
}

/// Body of `POST /admin/flagged/{evaluationId}/review`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReview)]
pub struct Review {
    /// `approve` publishes the item; `reject` keeps it hidden.
    pub decision: Ruling,
    /// Explanation of the decision, 10 to 2000 characters. The author can read it.
    #[schema(min_length = 10, max_length = 2000)]
    pub notes: String,
}

/// Body of `PATCH /admin/agents/{agentId}`. An absent field keeps its value.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumPatchAgent)]
#[serde(rename_all = "camelCase")]
pub struct PatchAgent {
    /// `false` deactivates the agent: its keys stop working. `true` activates it again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub active: Option<bool>,
    /// Maximum number of requests per minute, 1 to 1000. Null restores the limit of the agent's
    /// trust tier.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    pub rate_limit: Option<RateLimitChange>,
}

/// New rate limit of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RateLimitChange {
    /// The limit of the agent's trust tier; null on the wire.
    Usual,
    /// A limit of its own, in requests per minute.
    Set(u32),
}

/// Reads a field that is present, null included. An absent field stays `None`.
fn present<'de, D>(deserializer: D) -> Result<Option<RateLimitChange>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    RateLimitChange::deserialize(deserializer).map(Some)
}
