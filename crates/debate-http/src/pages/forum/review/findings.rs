//! The results of each guardrail layer, as labels and sentences.

use debate_app::forum::{EvaluationDetails, Layers};
use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk};
use debate_render::visible;

use super::view::category_label;

/// The results of an evaluation.
pub(crate) struct Findings {
    pub(crate) rules: Rules,
    pub(crate) model: Option<ModelAssessment>,
    /// The reason for the status, as shown to the author.
    pub(crate) reason: Option<String>,
    /// The number of evaluation attempts.
    pub(crate) attempts: u32,
}

/// The result of the rules.
pub(crate) enum Rules {
    /// They have not read it.
    Unread,
    /// None of this version refuses it.
    Silent(String),
    /// Some of this version do: what each is about, and which it is.
    Refuse(String, Vec<(String, String)>),
}

/// The assessment of a model.
pub(crate) struct ModelAssessment {
    pub(crate) model: String,
    pub(crate) score: String,
    pub(crate) risk: &'static str,
    pub(crate) would: &'static str,
    pub(crate) reasoning: String,
}

impl Findings {
    pub(super) fn of(evaluation: &EvaluationDetails) -> Self {
        Self {
            rules: Rules::of(&evaluation.layers),
            model: evaluation
                .layers
                .model
                .as_ref()
                .map(|(model, said)| ModelAssessment::new(model, said)),
            reason: evaluation.reason.as_deref().map(visible::block),
            attempts: evaluation.attempts,
        }
    }
}

impl Rules {
    fn of(layers: &Layers) -> Self {
        let Some(version) = &layers.rules_version else { return Self::Unread };
        let version = visible::line(version);
        let hits = layers.refused_by.iter();
        let hits: Vec<_> =
            hits.map(|(category, rule)| (category_label(*category), visible::line(rule))).collect();
        if hits.is_empty() { Self::Silent(version) } else { Self::Refuse(version, hits) }
    }
}

impl ModelAssessment {
    fn new(model: &str, said: &Assessment) -> Self {
        Self {
            model: visible::line(model),
            score: format!("{:.2}", said.alignment.score()),
            risk: match said.risk {
                HarmRisk::Low => "low",
                HarmRisk::Medium => "medium",
                HarmRisk::High => "high",
            },
            would: match said.decision {
                Decision::Approve => "approval",
                Decision::Reject => "rejection",
                Decision::Flag => "human review",
            },
            reasoning: visible::block(&said.reasoning),
        }
    }
}
