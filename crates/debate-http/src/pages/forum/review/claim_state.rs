//! A reviewer's options for an evaluation, and their effects.

use debate_app::forum::{EvaluationDetails, ForumError};
use debate_core::forum::guardrail::{
    Appeal, ClaimRefusal, GuardrailRefusal, GuardrailStatus, Move, Ruling, next_status,
    require_claim,
};
use debate_render::visible;
use jiff::Timestamp;

use super::view::{Claim, Kind};
use crate::pages::error_page::explain;
use crate::pages::when::When;
use crate::problem::Problem;

/// The review form of one evaluation.
pub(crate) struct ReviewForm {
    pub(crate) claim_state: ClaimState,
    /// The text in the form.
    pub(crate) notes: String,
    /// The error of the last submission.
    pub(crate) error: Option<String>,
}

impl ReviewForm {
    /// Whether it is one's own to decide on.
    pub(crate) const fn is_claimed(&self) -> bool {
        match self.claim_state {
            ClaimState::Claimed(_) => true,
            ClaimState::Decided(_) | ClaimState::Unclaimed | ClaimState::ClaimedByOther(_) => false,
        }
    }
}

/// The reviewer's relation to the item.
pub(crate) enum ClaimState {
    /// No review is needed; the decision of a reviewer, if there is one.
    Decided(Option<PastDecision>),
    /// No reviewer has claimed it.
    Unclaimed,
    /// Another reviewer has claimed it.
    ClaimedByOther(Claim),
    /// It is one's own.
    Claimed(Claim),
}

/// The decision of a reviewer.
pub(crate) struct PastDecision {
    pub(crate) by: String,
    pub(crate) is_own: bool,
    pub(crate) words: &'static str,
    pub(crate) notes: String,
    pub(crate) when: When,
}

impl PastDecision {
    pub(super) fn of(evaluation: &EvaluationDetails, reviewer: &str) -> Option<Self> {
        let review = evaluation.review.as_ref()?;
        Some(Self {
            by: visible::line(&review.reviewer),
            is_own: review.reviewer == reviewer,
            words: match review.ruling {
                Ruling::Approve => "approved",
                Ruling::Reject => "rejected",
            },
            notes: visible::block(&review.notes),
            when: When(review.at),
        })
    }
}

impl ClaimState {
    pub(super) fn of(evaluation: &EvaluationDetails, reviewer: &str, now: Timestamp) -> Self {
        match evaluation.status {
            GuardrailStatus::Pending | GuardrailStatus::Approved | GuardrailStatus::Rejected => {
                ClaimState::Decided(PastDecision::of(evaluation, reviewer))
            }
            GuardrailStatus::Flagged => match Claim::of(evaluation, reviewer, now) {
                None => ClaimState::Unclaimed,
                Some(claim) if claim.is_own => ClaimState::Claimed(claim),
                Some(claim) => ClaimState::ClaimedByOther(claim),
            },
        }
    }
}

/// Whether the rules would let a reviewer decide so now.
pub(super) fn check_decision(
    evaluation: &EvaluationDetails,
    reviewer: &str,
    ruling: Ruling,
    now: Timestamp,
) -> Result<(), ForumError> {
    next_status(evaluation.status, evaluation.appeal, Move::Review(ruling))?;
    Ok(require_claim(evaluation.claim.as_ref(), reviewer, now)?)
}

/// Whether it was decided before just as it is now to be: the same form, sent again.
pub(super) fn is_same_decision(
    evaluation: &EvaluationDetails,
    reviewer: &str,
    ruling: Ruling,
    notes: &str,
) -> bool {
    evaluation.status != GuardrailStatus::Flagged
        && evaluation.review.as_ref().is_some_and(|review| {
            review.reviewer == reviewer && review.ruling == ruling && review.notes == notes
        })
}

/// The error as a sentence, with the next step.
pub(super) fn explain_refusal(err: &ForumError) -> String {
    match err {
        ForumError::Claim(ClaimRefusal::Taken { reviewer, until }) => format!(
            "Claimed by {} until {}. You can decide after that, or when the claim is released.",
            visible::line(reviewer),
            until.strftime("%Y-%m-%d %H:%M UTC"),
        ),
        ForumError::Claim(ClaimRefusal::NotClaimed) => {
            "You have no claim on this item. A claim lasts 30 minutes; yours expired or was \
             released. Claim the item again."
                .to_owned()
        }
        ForumError::Guardrail(GuardrailRefusal::NotFlagged | GuardrailRefusal::Settled) => {
            "Another decision was made in the meantime. No review is needed.".to_owned()
        }
        ForumError::Guardrail(GuardrailRefusal::NotRejected | GuardrailRefusal::AppealedBefore)
        | ForumError::BadKey
        | ForumError::TooManyRegistrations(_)
        | ForumError::UsernameTaken(_)
        | ForumError::NoSuchAgent(_)
        | ForumError::NoSuchProblem(_)
        | ForumError::NoSuchSolution(_)
        | ForumError::NoSuchPost(_)
        | ForumError::NoSuchEvaluation(_)
        | ForumError::NotTheAuthor
        | ForumError::OwnPost
        | ForumError::TooManyUndecided
        | ForumError::Parent(_)
        | ForumError::KeyReused
        | ForumError::Repeated(_)
        | ForumError::TooManyWaiters(_)
        | ForumError::Store(_) => explain(&Problem::from(err.clone()), &[]),
    }
}

/// The effect of a decision, as the confirmation page states it.
pub(super) fn effect(
    ruling: Ruling,
    kind: Kind,
    appeal: Appeal,
    has_public_parents: bool,
) -> String {
    let shown = match (ruling, has_public_parents) {
        (Ruling::Approve, true) => "becomes public now and counts toward its author’s trust.",
        (Ruling::Approve, false) => {
            "is approved and counts toward its author’s trust. It becomes public when its parent \
             is public."
        }
        (Ruling::Reject, _) => "stays visible only to its author and reviewers.",
    };
    let author = match (ruling, kind, appeal) {
        (Ruling::Approve, ..) => "The author sees your reason.",
        (Ruling::Reject, Kind::Post, Appeal::Unused) => {
            "The author sees your reason and can appeal once."
        }
        (Ruling::Reject, Kind::Post, Appeal::Used) => {
            "The author sees your reason and cannot appeal again."
        }
        (Ruling::Reject, Kind::Problem | Kind::Solution, _) => {
            "The author sees your reason and cannot appeal."
        }
    };
    format!("The {} {shown} {author} This cannot be undone.", kind.noun())
}

/// The label of the confirming button.
pub(super) const fn button(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Approve => "Approve",
        Ruling::Reject => "Reject",
    }
}

#[cfg(test)]
mod tests {
    use debate_core::forum::guardrail::{Appeal, Ruling};

    use super::effect;
    use crate::pages::forum::review::view::Kind;

    #[test]
    fn effect_of_a_decision_depends_on_item_and_appeal() {
        let (approve, reject) = (Ruling::Approve, Ruling::Reject);
        let shown = effect(approve, Kind::Post, Appeal::Unused, true);
        assert!(shown.starts_with("The post becomes public now"), "{shown}");
        let hidden = effect(approve, Kind::Post, Appeal::Unused, false);
        assert!(hidden.contains("It becomes public when its parent is public."), "{hidden}");
        for (kind, appeal, end) in [
            (Kind::Post, Appeal::Unused, "can appeal once."),
            (Kind::Post, Appeal::Used, "cannot appeal again."),
            (Kind::Problem, Appeal::Unused, "cannot appeal."),
            (Kind::Solution, Appeal::Unused, "cannot appeal."),
        ] {
            let words = effect(reject, kind, appeal, true);
            let start = format!("The {} stays visible only to its author", kind.noun());
            assert!(words.starts_with(&start) && words.contains(end), "{words}");
        }
    }
}
