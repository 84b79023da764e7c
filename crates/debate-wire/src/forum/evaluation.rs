//! Evaluations by the guardrails, for authors and reviewers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, GuardrailStatus, Ruling};

/// Evaluation of a problem, solution or post by the guardrails.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumEvaluation)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// UUID of the evaluation.
    #[schema(format = Uuid)]
    pub id: String,
    /// Kind of item: `problem`, `solution` or `debate` (a post).
    pub subject_type: SubjectType,
    /// UUID of the evaluated item.
    #[schema(format = Uuid)]
    pub subject_id: String,
    /// Current status of the item.
    pub status: GuardrailStatus,
    /// Decision of the rules and the model. Null until there is one.
    #[schema(required = true)]
    pub decision: Option<Decision>,
    /// Results of the rules and of the model.
    pub layers: Layers,
    /// Reason for the status. Null while the status is `pending`.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// Decision of a human reviewer. Null until a reviewer has decided.
    #[schema(required = true)]
    pub review: Option<Reviewed>,
    /// Whether the author has appealed the rejection. An item can be appealed once.
    pub appealed: bool,
    /// Number of times the evaluation was started, including failed attempts.
    pub attempts: u32,
    /// Time of creation, UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the latest decision, UTC, ISO 8601 with milliseconds. Null until there is one.
    #[schema(required = true, format = DateTime)]
    pub decided_at: Option<String>,
}

/// Kind of evaluated item:
/// - `problem`: a problem.
/// - `solution`: a solution.
/// - `debate`: a post on a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSubjectType)]
#[serde(rename_all = "lowercase")]
pub enum SubjectType {
    /// A problem.
    Problem,
    /// A solution.
    Solution,
    /// A post on a solution.
    Debate,
}

/// Results of the automatic checks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumLayers)]
pub struct Layers {
    /// Result of the rules. Null until they have been applied.
    #[schema(required = true)]
    pub rules: Option<RuleLayer>,
    /// Result of the model. Null if no model is configured, if the rules rejected the item, or if
    /// the model has not answered yet.
    #[schema(required = true)]
    pub model: Option<ModelLayer>,
}

/// Result of the rules.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuleLayer)]
#[serde(rename_all = "camelCase")]
pub struct RuleLayer {
    /// Version of the rule file.
    pub version: String,
    /// Rules that reject the item; empty if the item passed.
    pub refused_by: Vec<RuleHit>,
}

/// A rule that rejects an item.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumRuleHit)]
#[serde(rename_all = "camelCase")]
pub struct RuleHit {
    /// Kind of harm that the rule prevents, such as `weapons`.
    #[schema(example = "weapons")]
    pub category: String,
    /// Id of the rule in the rule file.
    #[schema(example = "weapons.arms")]
    pub rule_id: String,
}

/// Result of the model.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumModelLayer)]
#[serde(rename_all = "camelCase")]
pub struct ModelLayer {
    /// Name of the model as `provider:model`.
    pub model: String,
    /// Rating of the item, 0 (harmful) to 1 (acceptable).
    #[schema(minimum = 0, maximum = 1)]
    pub alignment_score: f64,
    /// Risk of harm: `low`, `medium` or `high`. An item with `high` is never approved
    /// automatically.
    pub harm_risk: String,
    /// Decision that the model recommends. The server's thresholds can override it.
    pub decision: Decision,
    /// The model's explanation of its rating.
    pub reasoning: String,
}

/// Decision of a human reviewer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReviewed)]
#[serde(rename_all = "camelCase")]
pub struct Reviewed {
    /// Whether the reviewer approved or rejected the item.
    pub decision: Ruling,
    /// The reviewer's explanation, 10 to 2000 characters.
    pub notes: String,
    /// Time of the decision, UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime)]
    pub reviewed_at: String,
}

/// An item of the review queue.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumFlagged)]
#[serde(rename_all = "camelCase")]
pub struct Flagged {
    /// The evaluation of the item.
    pub evaluation: Evaluation,
    /// UUID of the agent that wrote the item.
    #[schema(format = Uuid)]
    pub agent_id: String,
    /// Full text of the item, all fields included.
    pub text: String,
    /// Reason that the author gave for the appeal. Null without an appeal.
    #[schema(required = true)]
    pub appeal_reason: Option<String>,
    /// Time since which the item waits for review, UTC, ISO 8601 with milliseconds. Null after a
    /// decision.
    #[schema(required = true, format = DateTime)]
    pub flagged_at: Option<String>,
    /// Name of the reviewer who has claimed the item. Null if it is unclaimed.
    #[schema(required = true)]
    pub claimed_by: Option<String>,
    /// Time at which the claim expires, UTC, ISO 8601 with milliseconds. Null if the item is
    /// unclaimed.
    #[schema(required = true, format = DateTime)]
    pub claimed_until: Option<String>,
}
