//! A reviewer's decision: edit, preview with the effect, submit.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debate_app::forum::{EvaluationDetails, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::Notes;
use debate_core::forum::guardrail::Ruling;
use debate_render::visible;
use debate_wire::forum as wire;

use super::claim::{redirect_to_item, show_again};
use super::claim_state::{
    ClaimState, ReviewForm, button, check_decision, effect, is_same_decision,
};
use super::item::{ReviewItem, show};
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::forum::PathIds;
use crate::pages::error_page::explain;
use crate::pages::form::Form;
use crate::pages::forum::identity::Reviewer;
use crate::pages::page::{Frame, Section};
use crate::problem::{Invalid, Problem, Unacceptable};

/// The preview of the decision and its effect.
#[derive(Template)]
#[template(path = "pages/forum/review/confirm.html")]
struct ConfirmPage {
    frame: Frame,
    case: ReviewItem,
    decision: &'static str,
    effect: String,
    button: &'static str,
    /// The notes, as they are read and as they are sent.
    shown: String,
    notes: String,
}

/// The step of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Show the preview.
    Preview,
    /// Show the form again.
    Edit,
    /// Submit.
    Do,
}

impl Step {
    fn of(form: &Form) -> Self {
        match form.text("step").as_str() {
            "do" => Self::Do,
            "edit" => Self::Edit,
            _ => Self::Preview,
        }
    }
}

/// `POST /forum/flagged/{id}/review`
pub(crate) async fn review(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    by: Reviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    let step = Step::of(&form);
    Ok(match (step, parse_decision(&form, &settings)) {
        (Step::Edit, _) => show_again(&forum, &by, evaluation, &form, None).await?,
        (Step::Preview | Step::Do, Err(wrong)) => {
            show_invalid(&forum, &by, evaluation, &form, wrong).await?
        }
        (Step::Preview, Ok((ruling, _))) => preview(&forum, &by, evaluation, &form, ruling).await?,
        (Step::Do, Ok((ruling, notes))) => {
            decide(&forum, &by, evaluation, &form, ruling, notes).await?
        }
    })
}

/// By way of the contract, so that a page takes exactly what the API takes.
fn parse_decision(form: &Form, settings: &Settings) -> Result<(Ruling, Notes), Unacceptable> {
    let decision = Ruling::from_name(&form.text("decision"))
        .ok_or_else(|| Invalid::new("decision", "must be `approve` or `reject`"))?;
    wire::Review { decision: decision.into(), notes: form.text("notes") }.parse(settings)
}

/// The form again, with the error of each field.
async fn show_invalid(
    forum: &Forum,
    by: &Reviewer,
    evaluation: EvaluationId,
    form: &Form,
    wrong: Unacceptable,
) -> Result<Response, ForumError> {
    let evaluation = forum.reviewable(evaluation).await?;
    let problem = Problem::from(wrong);
    let names = [("notes", "The reason"), ("decision", "The decision")];
    let form_view = ReviewForm {
        claim_state: ClaimState::of(&evaluation, &by.name, forum.now()),
        notes: form.text("notes"),
        error: Some(explain(&problem, &names)),
    };
    show(forum, by, &form.visitor, &evaluation, form_view, problem.status()).await
}

async fn preview(
    forum: &Forum,
    by: &Reviewer,
    evaluation: EvaluationId,
    form: &Form,
    ruling: Ruling,
) -> Result<Response, ForumError> {
    let found = forum.reviewable(evaluation).await?;
    match check_decision(&found, &by.name, ruling, forum.now()) {
        Ok(()) => confirm(forum, by, &found, form, ruling).await,
        Err(err) => show_again(forum, by, evaluation, form, Some(err)).await,
    }
}

async fn decide(
    forum: &Forum,
    by: &Reviewer,
    evaluation: EvaluationId,
    form: &Form,
    ruling: Ruling,
    notes: Notes,
) -> Result<Response, ForumError> {
    let Err(err) = forum.review(evaluation, &by.name, ruling, notes).await else {
        return Ok(redirect_to_item(evaluation));
    };
    let found = forum.reviewable(evaluation).await.map_err(|_| err.clone())?;
    if is_same_decision(&found, &by.name, ruling, &form.text("notes")) {
        return Ok(redirect_to_item(evaluation));
    }
    show_again(forum, by, evaluation, form, Some(err)).await
}

async fn confirm(
    forum: &Forum,
    by: &Reviewer,
    evaluation: &EvaluationDetails,
    form: &Form,
    ruling: Ruling,
) -> Result<Response, ForumError> {
    let case = ReviewItem::read(forum, evaluation, &by.name).await?;
    let notes = form.text("notes");
    let (visitor, is_shown) = (&form.visitor, case.subject.has_public_parents());
    let page = ConfirmPage {
        frame: visitor.frame(Section::Forum, format!("Confirm: {}", case.title)),
        effect: effect(ruling, case.kind, evaluation.appeal, is_shown),
        case,
        decision: ruling.name(),
        button: button(ruling),
        shown: visible::block(&notes),
        notes,
    };
    Ok(visitor.page_with(StatusCode::OK, &page))
}
