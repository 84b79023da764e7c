//! A reviewer's decision: the preview with its effect, and the errors of its form.

use askama::Template;
use debate_app::forum::{EvaluationDetails, Forum, ForumError};
use debate_core::forum::guardrail::{
    Appeal, ClaimRefusal, GuardrailRefusal, GuardrailStatus, Move, Ruling, next_status,
    require_claim,
};
use debate_render::visible;
use jiff::Timestamp;

use super::item::{EvaluationView, Reviewer};
use super::view::ItemType;
use crate::confirmation::Submission;
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "forum/review/confirm.html")]
struct DecisionPreviewPage {
    frame: Frame,
    case: EvaluationView,
    notes: String,
    submission: Submission,
}

/// The preview of a decision and its effect, with the form that submits it.
pub async fn preview(
    forum: &Forum,
    request: &PageRequest,
    reviewer: &Reviewer,
    evaluation: &EvaluationDetails,
    ruling: Ruling,
    notes: String,
) -> Result<PageOutcome, ForumError> {
    let case = EvaluationView::load(forum, evaluation, &reviewer.name).await?;
    let is_visible = case.item.has_only_public_ancestors();
    let submission = Submission {
        path: format!("/forum/flagged/{}/review", case.id),
        effect: effect(ruling, case.kind, evaluation.appeal, is_visible),
        button: button(ruling),
        fields: vec![("decision", ruling.name().to_owned()), ("notes", notes.clone())],
    };
    let page = DecisionPreviewPage {
        frame: request.frame(Section::Forum, format!("Confirm: {}", case.title)),
        case,
        notes: visible::block(&notes),
        submission,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}

/// Checks by the rules that a reviewer may make the decision now.
pub fn check_decision(
    evaluation: &EvaluationDetails,
    reviewer: &str,
    ruling: Ruling,
    now: Timestamp,
) -> Result<(), ForumError> {
    next_status(evaluation.status, evaluation.appeal, Move::Review(ruling))?;
    Ok(require_claim(evaluation.claim.as_ref(), reviewer, now)?)
}

/// Whether the reviewer made the same decision before: the same form was sent again.
#[must_use]
pub fn is_same_decision(
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

/// A refusal as a sentence with the next step; none for errors that the API's message explains.
#[must_use]
pub fn explain_refusal(err: &ForumError) -> Option<String> {
    Some(match err {
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
        | ForumError::UnknownAgent(_)
        | ForumError::UnknownProblem(_)
        | ForumError::UnknownSolution(_)
        | ForumError::UnknownPost(_)
        | ForumError::UnknownEvaluation(_)
        | ForumError::NotTheAuthor
        | ForumError::OwnPost
        | ForumError::TooManyUndecided
        | ForumError::Parent(_)
        | ForumError::KeyReused
        | ForumError::Repeated(_)
        | ForumError::TooManyWaiters(_)
        | ForumError::Store(_) => return None,
    })
}

/// The effect of a decision, as the preview states it.
fn effect(
    ruling: Ruling,
    kind: ItemType,
    appeal: Appeal,
    has_only_public_ancestors: bool,
) -> String {
    let shown = match (ruling, has_only_public_ancestors) {
        (Ruling::Approve, true) => "becomes public now and counts toward its author’s trust.",
        (Ruling::Approve, false) => {
            "is approved and counts toward its author’s trust. It becomes public when its parent \
             is public."
        }
        (Ruling::Reject, _) => "stays visible only to its author and reviewers.",
    };
    let author = match (ruling, kind, appeal) {
        (Ruling::Approve, ..) => "The author sees your reason.",
        (Ruling::Reject, ItemType::Post, Appeal::Unused) => {
            "The author sees your reason and can appeal once."
        }
        (Ruling::Reject, ItemType::Post, Appeal::Used) => {
            "The author sees your reason and cannot appeal again."
        }
        (Ruling::Reject, ItemType::Problem | ItemType::Solution, _) => {
            "The author sees your reason and cannot appeal."
        }
    };
    format!("The {} {shown} {author} This cannot be undone.", kind.noun())
}

const fn button(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Approve => "Approve",
        Ruling::Reject => "Reject",
    }
}

#[cfg(test)]
mod tests {
    use debate_core::forum::guardrail::{Appeal, Ruling};

    use super::effect;
    use crate::forum::review::view::ItemType;

    #[test]
    fn effect_of_a_decision_depends_on_item_and_appeal() {
        let (approve, reject) = (Ruling::Approve, Ruling::Reject);
        let shown = effect(approve, ItemType::Post, Appeal::Unused, true);
        assert!(shown.starts_with("The post becomes public now"), "{shown}");
        let hidden = effect(approve, ItemType::Post, Appeal::Unused, false);
        assert!(hidden.contains("It becomes public when its parent is public."), "{hidden}");
        for (kind, appeal, end) in [
            (ItemType::Post, Appeal::Unused, "can appeal once."),
            (ItemType::Post, Appeal::Used, "cannot appeal again."),
            (ItemType::Problem, Appeal::Unused, "cannot appeal."),
            (ItemType::Solution, Appeal::Unused, "cannot appeal."),
        ] {
            let sentence = effect(reject, kind, appeal, true);
            let start = format!("The {} stays visible only to its author", kind.noun());
            assert!(sentence.starts_with(&start) && sentence.contains(end), "{sentence}");
        }
    }
}
