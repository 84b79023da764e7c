//! What a model says of a text.

use super::status::Decision;

/// How much harm a text could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HarmRisk {
    /// Hardly any.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

impl HarmRisk {
    /// Every risk.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The name by which a model and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The risk of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|risk| risk.name() == name)
    }
}

/// How well a text fits the forum, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Alignment(f64);

impl Alignment {
    /// So well, if that can be.
    pub fn new(score: f64) -> Result<Self, NotAnAssessment> {
        if (0.0..=1.0).contains(&score) { Ok(Self(score)) } else { Err(NotAnAssessment::Score) }
    }

    /// The number itself.
    #[must_use]
    pub const fn score(self) -> f64 {
        self.0
    }
}

/// A model's answer, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// How well it fits.
    pub alignment: Alignment,
    /// How much harm it could do.
    pub risk: HarmRisk,
    /// What the model would do. It can hold something back, never let something through.
    pub decision: Decision,
    /// Why, in words.
    pub reasoning: String,
}

impl Assessment {
    /// The most characters of a reasoning that are kept.
    pub const REASONING_MOST: usize = 2000;

    /// An assessment from its four fields, as an answer brings them.
    pub fn new(
        score: f64,
        risk: HarmRisk,
        decision: Decision,
        reasoning: &str,
    ) -> Result<Self, NotAnAssessment> {
        let reasoning = reasoning.trim().replace('\0', "\u{fffd}");
        if reasoning.is_empty() {
            return Err(NotAnAssessment::Reasoning);
        }
        let reasoning = reasoning.chars().take(Self::REASONING_MOST).collect();
        Ok(Self { alignment: Alignment::new(score)?, risk, decision, reasoning })
    }
}

/// Why an answer is no assessment. Says nothing of what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAssessment {
    /// Not the one JSON object.
    #[error("the answer must be one JSON object with the four keys and nothing else")]
    Shape,
    /// A score out of bounds.
    #[error("alignment_score must be a number from 0 to 1")]
    Score,
    /// No such risk.
    #[error("harm_risk must be \"low\", \"medium\" or \"high\"")]
    Risk,
    /// No such decision.
    #[error("decision must be \"approve\", \"flag\" or \"reject\"")]
    Decision,
    /// Nothing to read.
    #[error("reasoning must not be empty")]
    Reasoning,
}
