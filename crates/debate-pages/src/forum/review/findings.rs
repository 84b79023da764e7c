//! The results of each guardrail layer, as labels and sentences.

use debate_app::forum::{EvaluationDetails, LayerResults};
use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk};
use debate_render::visible;

use super::view::category_label;

/// The results of an evaluation.
pub(crate) struct Findings {
    pub(crate) rules: RuleResult,
    pub(crate) model: Option<ModelAssessment>,
    /// The reason for the status, as shown to the author.
    pub(crate) reason: Option<String>,
    /// The number of evaluation attempts.
    pub(crate) attempts: u32,
}

pub(crate) enum RuleResult {
    /// No evaluation succeeded.
    NotEvaluated,
    /// No rule of this version matched.
    Passed(String),
    /// Rules of this version matched: the category and the name of each.
    Matched(String, Vec<(String, String)>),
}

pub(crate) struct ModelAssessment {
    pub(crate) model: String,
    pub(crate) score: String,
    pub(crate) risk: &'static str,
    pub(crate) recommendation: &'static str,
    pub(crate) reasoning: String,
}

impl Findings {
    pub(super) fn new(evaluation: &EvaluationDetails) -> Self {
        Self {
            rules: RuleResult::new(&evaluation.layers),
            model: evaluation
                .layers
                .model
                .as_ref()
                .map(|(model, assessment)| ModelAssessment::new(model, assessment)),
            reason: evaluation.reason.as_deref().map(visible::block),
            attempts: evaluation.attempts,
        }
    }
}

impl RuleResult {
    fn new(layers: &LayerResults) -> Self {
        let Some(version) = &layers.rules_version else { return Self::NotEvaluated };
        let version = visible::line(version);
        let hits = layers.refused_by.iter();
        let hits: Vec<_> =
            hits.map(|(category, rule)| (category_label(*category), visible::line(rule))).collect();
        if hits.is_empty() { Self::Passed(version) } else { Self::Matched(version, hits) }
    }
}

impl ModelAssessment {
    fn new(model: &str, assessment: &Assessment) -> Self {
        Self {
            model: visible::line(model),
            score: format!("{:.2}", assessment.alignment.score()),
            risk: match assessment.risk {
                HarmRisk::Low => "low",
                HarmRisk::Medium => "medium",
                HarmRisk::High => "high",
            },
            recommendation: match assessment.decision {
                Decision::Approve => "approval",
                Decision::Reject => "rejection",
                Decision::Flag => "human review",
            },
            reasoning: visible::block(&assessment.reasoning),
        }
    }
}
