//! What a reviewer can do where an examination stands, and what comes of it.

use debate_app::forum::{Evaluation, ForumError};
use debate_core::forum::guardrail::{
    Appeal, ClaimRefusal, Move, Refusal, Ruling, Status, must_hold, next,
};
use jiff::Timestamp;

use super::view::{Claim, Kind};
use crate::problem::Problem;
use crate::web::face::explained;
use crate::web::signs;
use crate::web::when::When;

/// A reviewer's seat at one examination.
pub(crate) struct Bench {
    pub(crate) place: Place,
    /// What was written so far.
    pub(crate) notes: String,
    /// What could not be done.
    pub(crate) error: Option<String>,
}

impl Bench {
    /// Whether it is one's own to decide on.
    pub(crate) const fn is_own(&self) -> bool {
        match self.place {
            Place::Own(_) => true,
            Place::Over(_) | Place::Free | Place::Taken(_) => false,
        }
    }
}

/// How one stands to it.
pub(crate) enum Place {
    /// There is nothing to do: what a person decided, if one did.
    Over(Option<Decided>),
    /// Nobody is at it.
    Free,
    /// Someone else is.
    Taken(Claim),
    /// It is one's own.
    Own(Claim),
}

/// What a person decided.
pub(crate) struct Decided {
    pub(crate) by: String,
    pub(crate) is_own: bool,
    pub(crate) words: &'static str,
    pub(crate) notes: String,
    pub(crate) when: When,
}

impl Decided {
    pub(super) fn of(evaluation: &Evaluation, reviewer: &str) -> Option<Self> {
        let review = evaluation.review.as_ref()?;
        Some(Self {
            by: signs::line(&review.reviewer),
            is_own: review.reviewer == reviewer,
            words: match review.ruling {
                Ruling::Approve => "approved",
                Ruling::Reject => "rejected",
            },
            notes: signs::block(&review.notes),
            when: When(review.at),
        })
    }
}

impl Place {
    pub(super) fn of(evaluation: &Evaluation, reviewer: &str, now: Timestamp) -> Self {
        match evaluation.status {
            Status::Pending | Status::Approved | Status::Rejected => {
                Self::Over(Decided::of(evaluation, reviewer))
            }
            Status::Flagged => match Claim::of(evaluation, reviewer, now) {
                None => Self::Free,
                Some(claim) if claim.is_own => Self::Own(claim),
                Some(claim) => Self::Taken(claim),
            },
        }
    }
}

/// Whether the rules would let a reviewer decide so now.
pub(super) fn may(
    evaluation: &Evaluation,
    reviewer: &str,
    ruling: Ruling,
    now: Timestamp,
) -> Result<(), ForumError> {
    next(evaluation.status, evaluation.appeal, Move::Review(ruling))?;
    Ok(must_hold(evaluation.claim.as_ref(), reviewer, now)?)
}

/// Whether it was decided before just as it is now to be: the same form, sent again.
pub(super) fn is_done(
    evaluation: &Evaluation,
    reviewer: &str,
    ruling: Ruling,
    notes: &str,
) -> bool {
    evaluation.status != Status::Flagged
        && evaluation.review.as_ref().is_some_and(|review| {
            review.reviewer == reviewer && review.ruling == ruling && review.notes == notes
        })
}

/// What went wrong, and what to do with what was written.
pub(super) fn told(err: &ForumError) -> String {
    match err {
        ForumError::Claim(ClaimRefusal::Taken { reviewer, until }) => format!(
            "Claimed by {} until {}. You can decide after that, or when the claim is released.",
            signs::line(reviewer),
            until.strftime("%Y-%m-%d %H:%M UTC"),
        ),
        ForumError::Claim(ClaimRefusal::NotClaimed) => {
            "You have no claim on this item. A claim lasts 30 minutes; yours expired or was \
             released. Claim the item again."
                .to_owned()
        }
        ForumError::Guardrail(Refusal::NotFlagged | Refusal::Settled) => {
            "Another decision was made in the meantime. No review is needed.".to_owned()
        }
        ForumError::Guardrail(Refusal::NotRejected | Refusal::AppealedBefore)
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
        | ForumError::Crowded(_)
        | ForumError::Store(_) => explained(&Problem::from(err.clone()), &[]),
    }
}

/// The effect of a decision, as the confirmation page states it.
pub(super) fn effect(ruling: Ruling, kind: Kind, appeal: Appeal, has_ground: bool) -> String {
    let shown = match (ruling, has_ground) {
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
    use crate::web::forum::queue::view::Kind;

    #[test]
    fn what_comes_of_a_decision_depends_on_what_it_is_and_where_it_stands() {
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
