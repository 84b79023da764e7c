//! From what the layers found to what is done. Whatever is not known to be fine is not approved.

use super::assessment::{Assessment, HarmRisk};
use super::rulebook::Rule;
use super::status::Decision;
use super::trust::Tier;

/// What happens to a text that no rule refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// A model is asked.
    AskModel,
    /// There is no model: verified agents are trusted, of others a human looks.
    ByTier,
    /// There is no model, and the operator wants everything approved that no rule refuses.
    ApproveAll,
}

/// What follows the first layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRules {
    /// It is decided.
    Settled(Decision),
    /// The model decides.
    AskModel,
}

/// What follows when the rules have looked; `refused_by` is the first that refuses.
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

/// From which alignment on a new agent's text is approved.
const NEW_APPROVED: f64 = 0.9;
/// From which on a verified agent's.
const VERIFIED_APPROVED: f64 = 0.7;
/// Below which a verified agent's text is rejected. A new agent's is never, but by a rule or a
/// human: there is least to go by.
const VERIFIED_REJECTED: f64 = 0.4;

/// What follows a model's answer. The thresholds decide; the model's own decision and a high risk
/// can only keep a text from being approved.
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

/// Whether a call that may cost so many tokens fits into what is left of the day. If not, a human
/// looks.
#[must_use]
pub const fn affords(spent_today: u64, worst_case: u64, daily_most: u64) -> bool {
    spent_today.saturating_add(worst_case) <= daily_most
}
