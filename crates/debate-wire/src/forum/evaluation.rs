//! Examinations by the guardrails, as authors and reviewers are told of them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, GuardrailStatus, Ruling};

/// `GET /guardrails/status/{evaluationId}`
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumEvaluation)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// What was examined.
    pub subject_type: SubjectType,
    /// Which of them.
    #[schema(format = Uuid)]
    pub subject_id: String,
    /// Where it stands.
    pub status: GuardrailStatus,
    /// What the layers came to, once they did.
    #[schema(required = true)]
    pub decision: Option<Decision>,
    /// What each layer found.
    pub layers: Layers,
    /// Why it stands there.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// What a human decided.
    #[schema(required = true)]
    pub review: Option<Reviewed>,
    /// Whether its author appealed.
    pub appealed: bool,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was asked for.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it was last decided.
    #[schema(required = true, format = DateTime)]
    pub decided_at: Option<String>,
}

/// What can be examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSubjectType)]
#[serde(rename_all = "lowercase")]
pub enum SubjectType {
    /// A problem.
    Problem,
    /// A solution.
    Solution,
    /// A debate of a solution.
    Debate,
}

/// What each layer found, as far as it was asked.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumLayers)]
pub struct Layers {
    /// The rules.
    #[schema(required = true)]
    pub rules: Option<RuleLayer>,
    /// The model.
    #[schema(required = true)]
    pub model: Option<ModelLayer>,
}

/// What the rules found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuleLayer)]
#[serde(rename_all = "camelCase")]
pub struct RuleLayer {
    /// Which rules.
    pub version: String,
    /// Those that refuse; none if none does.
    pub refused_by: Vec<RuleHit>,
}

/// A rule that refuses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuleHit)]
#[serde(rename_all = "camelCase")]
pub struct RuleHit {
    /// What it is about.
    #[schema(example = "weapons")]
    pub category: String,
    /// Which it is.
    #[schema(example = "weapons.arms")]
    pub rule_id: String,
}

/// What the model said.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumModelLayer)]
#[serde(rename_all = "camelCase")]
pub struct ModelLayer {
    /// Which model.
    pub model: String,
    /// How well the text fits.
    #[schema(minimum = 0, maximum = 1)]
    pub alignment_score: f64,
    /// `low`, `medium` or `high`.
    pub harm_risk: String,
    /// What it would do.
    pub decision: Decision,
    /// Why.
    pub reasoning: String,
}

/// What a human decided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReviewed)]
#[serde(rename_all = "camelCase")]
pub struct Reviewed {
    /// What.
    pub decision: Ruling,
    /// Why.
    pub notes: String,
    /// When.
    #[schema(format = DateTime)]
    pub reviewed_at: String,
}

/// What waits for a human, as reviewers are told: `GET /admin/flagged`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumFlagged)]
#[serde(rename_all = "camelCase")]
pub struct Flagged {
    /// The examination.
    pub evaluation: Evaluation,
    /// Who wrote it.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// All of what was examined.
    pub text: String,
    /// Why its author appealed.
    #[schema(required = true)]
    pub appeal_reason: Option<String>,
    /// Since when it waits for a human; null once it was decided.
    #[schema(required = true, format = DateTime)]
    pub flagged_at: Option<String>,
    /// Who is looking at it just now.
    #[schema(required = true)]
    pub claimed_by: Option<String>,
    /// Until when.
    #[schema(required = true, format = DateTime)]
    pub claimed_until: Option<String>,
}
