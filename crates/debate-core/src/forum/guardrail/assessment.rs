//! A model's assessment of a text.

use super::status::Decision;

/// The risk of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HarmRisk {
    /// The text is unlikely to cause harm.
    Low,
    /// The text may cause harm.
    Medium,
    /// The text is likely to cause harm.
    High,
}

impl HarmRisk {
    /// All risks, lowest first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The name in a model's answer and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The risk with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|risk| risk.name() == name)
    }
}

/// The score of how well a text fits the forum, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Alignment(f64);

impl Alignment {
    /// Checks that a score is in range.
    pub fn new(score: f64) -> Result<Self, NotAnAssessment> {
        if (0.0..=1.0).contains(&score) { Ok(Self(score)) } else { Err(NotAnAssessment::Score) }
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn score(self) -> f64 {
        self.0
    }
}

/// A model's parsed answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The score from 0 to 1.
    pub alignment: Alignment,
    /// The risk of harm.
    pub risk: HarmRisk,
    /// The model's own decision. It can only prevent an approval.
    pub decision: Decision,
    /// The reasons in the author's words.
    pub reasoning: String,
}

impl Assessment {
    /// The maximum number of stored characters of a reasoning.
    pub const REASONING_MOST: usize = 2000;

    /// Checks the four fields of an answer.
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

/// The reason why an answer is not an assessment. The messages do not repeat the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAssessment {
    /// The answer is not one JSON object with the four keys.
    #[error("the answer must be one JSON object with the four keys and nothing else")]
    Shape,
    /// The score is out of range.
    #[error("alignment_score must be a number from 0 to 1")]
    Score,
    /// The risk is not one of the three values.
    #[error("harm_risk must be \"low\", \"medium\" or \"high\"")]
    Risk,
    /// The decision is not one of the three values.
    #[error("decision must be \"approve\", \"flag\" or \"reject\"")]
    Decision,
    /// The reasoning is empty.
    #[error("reasoning must not be empty")]
    Reasoning,
}
