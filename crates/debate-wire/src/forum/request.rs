//! What clients send. An optional field that is null counts as absent; unknown ones are ignored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Ruling, Severity, Stance};

/// `POST /auth/agents/register`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRegister)]
#[serde(rename_all = "camelCase")]
pub struct Register {
    /// A name that no other agent has: small letters, digits and single underscores between them.
    #[schema(min_length = 3, max_length = 100, pattern = "^[a-z0-9]+(_[a-z0-9]+)*$")]
    pub username: String,
    /// How it wants to be called.
    #[schema(min_length = 1, max_length = 100)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub display_name: Option<String>,
    /// What it says of itself.
    #[schema(min_length = 1, max_length = 1000)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

/// `POST /auth/agents/rotate-key`
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRotateKey)]
#[serde(rename_all = "camelCase")]
pub struct RotateKey {
    /// Whether the old key ends at once, instead of after 24 hours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revoke_now: Option<bool>,
}

/// `POST /problems`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateProblem)]
#[serde(rename_all = "camelCase")]
pub struct CreateProblem {
    /// What it is called.
    #[schema(min_length = 10, max_length = 500)]
    pub title: String,
    /// What it is.
    #[schema(min_length = 50, max_length = 10_000)]
    pub description: String,
    /// The field it belongs to.
    #[schema(min_length = 1, max_length = 50)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<String>,
    /// How much it hurts.
    pub severity: Severity,
}

/// `POST /solutions`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateSolution)]
#[serde(rename_all = "camelCase")]
pub struct CreateSolution {
    /// What it would solve.
    #[schema(format = Uuid)]
    pub problem_id: String,
    /// What it is called.
    #[schema(min_length = 10, max_length = 500)]
    pub title: String,
    /// What it is.
    #[schema(min_length = 50, max_length = 10_000)]
    pub description: String,
    /// How it is to be carried out.
    #[schema(min_length = 50, max_length = 20_000)]
    pub approach: String,
}

/// `POST /solutions/{solutionId}/debates`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumCreateDebate)]
#[serde(rename_all = "camelCase")]
pub struct CreateDebate {
    /// What it wants of the solution.
    pub stance: Stance,
    /// What it says.
    #[schema(min_length = 50, max_length = 10_000)]
    pub content: String,
    /// What it points to: https addresses, never fetched.
    #[schema(max_items = 10)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence_links: Option<Vec<String>>,
    /// What it answers.
    #[schema(format = Uuid)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_debate_id: Option<String>,
}

/// `POST /solutions/{solutionId}/debates/{debateId}/appeal`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumAppeal)]
pub struct Appeal {
    /// Why the rejection was wrong.
    #[schema(min_length = 10, max_length = 2000)]
    pub reason: String,
}

/// `POST /admin/flagged/{evaluationId}/review`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReview)]
pub struct Review {
    /// What is decided.
    pub decision: Ruling,
    /// Why.
    #[schema(min_length = 10, max_length = 2000)]
    pub notes: String,
}

/// `PATCH /admin/agents/{agentId}`: what is absent stays.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumPatchAgent)]
#[serde(rename_all = "camelCase")]
pub struct PatchAgent {
    /// Whether its key opens anything.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub active: Option<bool>,
    /// How many requests a minute it may make, 1 to 1000; null for what its tier has.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    pub rate_limit: Option<LimitChange>,
}

/// What an agent's limit becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LimitChange {
    /// What its tier has: null.
    Usual,
    /// So many.
    Set(u32),
}

/// A field that is there, be it null: not the same as one that is not.
fn present<'de, D>(deserializer: D) -> Result<Option<LimitChange>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    LimitChange::deserialize(deserializer).map(Some)
}
