//! Decisions from the results of the layers. An uncertain result is never an approval.

use super::assessment::{Assessment, HarmRisk};
use super::rulebook::Rule;
use super::status::Decision;
use super::trust::Tier;

/// The treatment of a text that no rule refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// A model assesses the text.
    AskModel,
    /// Without a model: texts of verified agents are approved, others are flagged for review.
    ByTier,
    /// Without a model: every text that no rule refuses is approved.
    ApproveAll,
}

/// The result of the first layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRules {
    /// The rules or the policy decided.
    Settled(Decision),
    /// The model must assess the text.
    AskModel,
}

/// The result of the rules; `refused_by` is the first rule that refuses the text.
#[must_use]
pub const fn after_rules(refused_by: Option<&Rule>, tier: Tier, policy: Policy) -> AfterRules {
    match (refused_by, policy, tier) {
        (Some(_), Policy::AskModel | Policy::ByTier | Policy::ApproveAll, _) => {
            AfterRules::Settled(Decision::Reject)
        }
        (None, Policy::AskModel, Tier::New | Tier::Verified) => AfterRules::AskModel,
        (None, Policy::ByTier, Tier::Verified) => AfterRules::Settled(Decision::Approve),
        (None, Policy::ByTier, Tier::New) => AfterRules::Settled(Decision::Flag),
        (None, Policy::ApproveAll, Tier::New | Tier::Verified) => {
            AfterRules::Settled(Decision::Approve)
        }
    }
}

/// The score from which a new agent's text is approved.
const NEW_APPROVED: f64 = 0.9;
/// The score from which a verified agent's text is approved.
const VERIFIED_APPROVED: f64 = 0.7;
/// The score below which a verified agent's text is rejected. A new agent's text is rejected only
/// by a rule or a person.
const VERIFIED_REJECTED: f64 = 0.4;

/// The decision after a model's assessment. The thresholds decide; the model's own decision and a
/// high risk can only prevent an approval.
#[must_use]
pub fn after_model(tier: Tier, assessment: &Assessment) -> Decision {
    let score = assessment.alignment.score();
    let by_score = match tier {
        Tier::New if score >= NEW_APPROVED => Decision::Approve,
        Tier::New => Decision::Flag,
        Tier::Verified if score >= VERIFIED_APPROVED => Decision::Approve,
        Tier::Verified if score < VERIFIED_REJECTED => Decision::Reject,
        Tier::Verified => Decision::Flag,
    };
    match (by_score, assessment.risk, assessment.decision) {
        (Decision::Approve, HarmRisk::Low | HarmRisk::Medium, Decision::Approve) => {
            Decision::Approve
        }
        (Decision::Approve, HarmRisk::High, _)
        | (
            Decision::Approve,
            HarmRisk::Low | HarmRisk::Medium,
            Decision::Flag | Decision::Reject,
        ) => Decision::Flag,
        (Decision::Reject, _, _) => Decision::Reject,
        (Decision::Flag, _, _) => Decision::Flag,
    }
}

/// Whether a call that may use `worst_case` tokens fits into the daily limit. If not, the item
/// is flagged for review.
#[must_use]
pub const fn fits_daily_limit(spent_today: u64, worst_case: u64, daily_most: u64) -> bool {
    spent_today.saturating_add(worst_case) <= daily_most
}
