//! A reviewer decides: written, looked at once more with what exactly will come of it, done.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debate_app::forum::{Evaluation, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::Notes;
use debate_core::forum::guardrail::Ruling;
use debate_wire::forum as wire;

use super::act::{again, back_to};
use super::one::{Case, show};
use super::seat::{Bench, Place, button, effect, is_done, may};
use crate::edge::Settings;
use crate::forum::At;
use crate::parsed::Parse;
use crate::problem::{Invalid, Problem, Unacceptable};
use crate::web::face::explained;
use crate::web::form::Form;
use crate::web::forum::seat::ReviewersSeat;
use crate::web::page::{Frame, Part};
use crate::web::signs;

/// What was decided, and what will come of it.
#[derive(Template)]
#[template(path = "web/forum/queue/confirm.html")]
struct ConfirmPage {
    frame: Frame,
    case: Case,
    decision: &'static str,
    effect: String,
    button: &'static str,
    /// The notes, as they are read and as they are sent.
    shown: String,
    notes: String,
}

/// How far the reviewer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Wants to see what will come of it.
    Preview,
    /// Wants to go on writing.
    Edit,
    /// Has seen it and wants it.
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
    by: ReviewersSeat,
    At(evaluation): At<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    let step = Step::of(&form);
    Ok(match (step, decided(&form, &settings)) {
        (Step::Edit, _) => again(&forum, &by, evaluation, &form, None).await?,
        (Step::Preview | Step::Do, Err(wrong)) => {
            misread(&forum, &by, evaluation, &form, wrong).await?
        }
        (Step::Preview, Ok((ruling, _))) => preview(&forum, &by, evaluation, &form, ruling).await?,
        (Step::Do, Ok((ruling, notes))) => {
            decide(&forum, &by, evaluation, &form, ruling, notes).await?
        }
    })
}

/// By way of the contract, so that a page takes exactly what the API takes.
fn decided(form: &Form, settings: &Settings) -> Result<(Ruling, Notes), Unacceptable> {
    let decision = Ruling::named(&form.text("decision"))
        .ok_or_else(|| Invalid::new("decision", "must be `approve` or `reject`"))?;
    wire::Review { decision: decision.into(), notes: form.text("notes") }.parse(settings)
}

/// The form again, with what is wrong with it.
async fn misread(
    forum: &Forum,
    by: &ReviewersSeat,
    evaluation: EvaluationId,
    form: &Form,
    wrong: Unacceptable,
) -> Result<Response, ForumError> {
    let evaluation = forum.reviewable(evaluation).await?;
    let problem = Problem::from(wrong);
    let names = [("notes", "The reason"), ("decision", "The decision")];
    let bench = Bench {
        place: Place::of(&evaluation, &by.name, forum.now()),
        notes: form.text("notes"),
        error: Some(explained(&problem, &names)),
    };
    show(forum, by, &form.visitor, &evaluation, bench, problem.status()).await
}

async fn preview(
    forum: &Forum,
    by: &ReviewersSeat,
    evaluation: EvaluationId,
    form: &Form,
    ruling: Ruling,
) -> Result<Response, ForumError> {
    let found = forum.reviewable(evaluation).await?;
    match may(&found, &by.name, ruling, forum.now()) {
        Ok(()) => confirm(forum, by, &found, form, ruling).await,
        Err(err) => again(forum, by, evaluation, form, Some(err)).await,
    }
}

async fn decide(
    forum: &Forum,
    by: &ReviewersSeat,
    evaluation: EvaluationId,
    form: &Form,
    ruling: Ruling,
    notes: Notes,
) -> Result<Response, ForumError> {
    let Err(err) = forum.review(evaluation, &by.name, ruling, notes).await else {
        return Ok(back_to(evaluation));
    };
    let found = forum.reviewable(evaluation).await.map_err(|_| err.clone())?;
    if is_done(&found, &by.name, ruling, &form.text("notes")) {
        return Ok(back_to(evaluation));
    }
    again(forum, by, evaluation, form, Some(err)).await
}

async fn confirm(
    forum: &Forum,
    by: &ReviewersSeat,
    evaluation: &Evaluation,
    form: &Form,
    ruling: Ruling,
) -> Result<Response, ForumError> {
    let case = Case::read(forum, evaluation, &by.name).await?;
    let notes = form.text("notes");
    let (visitor, is_shown) = (&form.visitor, case.subject.has_public_ground());
    let page = ConfirmPage {
        frame: visitor.frame(Part::Forum, format!("Confirm: {}", case.title)),
        effect: effect(ruling, case.kind, evaluation.appeal, is_shown),
        case,
        decision: ruling.name(),
        button: button(ruling),
        shown: signs::block(&notes),
        notes,
    };
    Ok(visitor.page_with(StatusCode::OK, &page))
}
