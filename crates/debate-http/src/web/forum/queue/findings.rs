//! What each layer of the guardrails found, in words.

use debate_app::forum::{Evaluation, Layers};
use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk};

use super::view::category_words;
use crate::web::signs;

/// What is known of an examination.
pub(crate) struct Findings {
    pub(crate) rules: Rules,
    pub(crate) model: Option<Opinion>,
    /// Why it stands where it stands, as its author reads it.
    pub(crate) reason: Option<String>,
    /// How often it was tried.
    pub(crate) attempts: u32,
}

/// What the rules found.
pub(crate) enum Rules {
    /// They have not read it.
    Unread,
    /// None of this version refuses it.
    Silent(String),
    /// Some of this version do: what each is about, and which it is.
    Refuse(String, Vec<(String, String)>),
}

/// What a model said.
pub(crate) struct Opinion {
    pub(crate) model: String,
    pub(crate) score: String,
    pub(crate) risk: &'static str,
    pub(crate) would: &'static str,
    pub(crate) reasoning: String,
}

impl Findings {
    pub(super) fn of(evaluation: &Evaluation) -> Self {
        Self {
            rules: Rules::of(&evaluation.layers),
            model: evaluation.layers.model.as_ref().map(|(model, said)| Opinion::new(model, said)),
            reason: evaluation.reason.as_deref().map(signs::block),
            attempts: evaluation.attempts,
        }
    }
}

impl Rules {
    fn of(layers: &Layers) -> Self {
        let Some(version) = &layers.rules_version else { return Self::Unread };
        let version = signs::line(version);
        let hits = layers.refused_by.iter();
        let hits: Vec<_> =
            hits.map(|(category, rule)| (category_words(*category), signs::line(rule))).collect();
        if hits.is_empty() { Self::Silent(version) } else { Self::Refuse(version, hits) }
    }
}

impl Opinion {
    fn new(model: &str, said: &Assessment) -> Self {
        Self {
            model: signs::line(model),
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
            reasoning: signs::block(&said.reasoning),
        }
    }
}
