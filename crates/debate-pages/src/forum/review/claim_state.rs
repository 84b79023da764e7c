//! The state of a review: the claim on the item, or the decision about it.

use debate_app::forum::EvaluationDetails;
use debate_core::forum::guardrail::{GuardrailStatus, Ruling};
use debate_render::visible;
use jiff::Timestamp;

use super::view::ClaimLabel;
use crate::time::Time;

/// The review form of one evaluation.
pub(crate) struct ReviewForm {
    pub(crate) claim_state: ClaimState,
    pub(crate) notes: String,
    /// The error of the last submission, as a sentence.
    pub(crate) error: Option<String>,
}

impl ReviewForm {
    pub(crate) const fn is_claimed(&self) -> bool {
        match self.claim_state {
            ClaimState::Claimed(_) => true,
            ClaimState::Decided(_) | ClaimState::Unclaimed | ClaimState::ClaimedByOther(_) => false,
        }
    }
}

/// The claim on an item, as a reviewer sees it.
pub(crate) enum ClaimState {
    /// No review is needed. A reviewer may have decided.
    Decided(Option<PastDecision>),
    Unclaimed,
    ClaimedByOther(ClaimLabel),
    Claimed(ClaimLabel),
}

pub(crate) struct PastDecision {
    pub(crate) by: String,
    pub(crate) is_own: bool,
    pub(crate) label: &'static str,
    pub(crate) notes: String,
    pub(crate) time: Time,
}

impl PastDecision {
    pub(super) fn new(evaluation: &EvaluationDetails, reviewer: &str) -> Option<Self> {
        let review = evaluation.review.as_ref()?;
        Some(Self {
            by: visible::line(&review.reviewer),
            is_own: review.reviewer == reviewer,
            label: match review.ruling {
                Ruling::Approve => "approved",
                Ruling::Reject => "rejected",
            },
            notes: visible::block(&review.notes),
            time: Time(review.at),
        })
    }
}

impl ClaimState {
    pub(super) fn new(evaluation: &EvaluationDetails, reviewer: &str, now: Timestamp) -> Self {
        match evaluation.status {
            GuardrailStatus::Pending | GuardrailStatus::Approved | GuardrailStatus::Rejected => {
                ClaimState::Decided(PastDecision::new(evaluation, reviewer))
            }
            GuardrailStatus::Flagged => match ClaimLabel::new(evaluation, reviewer, now) {
                None => ClaimState::Unclaimed,
                Some(claim) if claim.is_own => ClaimState::Claimed(claim),
                Some(claim) => ClaimState::ClaimedByOther(claim),
            },
        }
    }
}
