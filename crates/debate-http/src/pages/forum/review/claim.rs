//! A reviewer takes something on, or gives it back. Doing so twice is doing so once.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::forum::{Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::{ClaimRefusal, GuardrailRefusal};

use super::claim_state::{ClaimState, ReviewForm, explain_refusal};
use super::item::show;
use crate::forum::PathIds;
use crate::pages::form::Form;
use crate::pages::forum::identity::Reviewer;
use crate::problem::Problem;

/// `POST /forum/flagged/{id}/claim`
pub(crate) async fn claim(
    State(forum): State<Forum>,
    by: Reviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    let notes = form.text("notes");
    let error = match forum.claim(evaluation, &by.name).await {
        Ok(_) if notes.is_empty() => return Ok(redirect_to_form(evaluation)),
        // The text that was written under an expired claim is kept.
        Ok(_) => None,
        Err(err) => Some(err),
    };
    Ok(show_again(&forum, &by, evaluation, &form, error).await?)
}

/// `POST /forum/flagged/{id}/release`
pub(crate) async fn release(
    State(forum): State<Forum>,
    by: Reviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    match forum.release(evaluation, &by.name).await {
        // An item without a claim of the reviewer, or with a decision, is released already.
        Ok(_)
        | Err(
            ForumError::Claim(ClaimRefusal::NotClaimed)
            | ForumError::Guardrail(GuardrailRefusal::NotFlagged),
        ) => Ok(redirect_to_item(evaluation)),
        Err(err) => Ok(show_again(&forum, &by, evaluation, &form, Some(err)).await?),
    }
}

pub(super) fn redirect_to_item(evaluation: EvaluationId) -> Response {
    Redirect::to(&format!("/forum/flagged/{evaluation}")).into_response()
}

/// Redirects to the form, which is far down on a phone.
fn redirect_to_form(evaluation: EvaluationId) -> Response {
    Redirect::to(&format!("/forum/flagged/{evaluation}#seat")).into_response()
}

/// The page in its current state, with the text of the form and the error.
pub(super) async fn show_again(
    forum: &Forum,
    by: &Reviewer,
    evaluation: EvaluationId,
    form: &Form,
    error: Option<ForumError>,
) -> Result<Response, ForumError> {
    let evaluation = match forum.reviewable(evaluation).await {
        Ok(evaluation) => evaluation,
        // The first error is the one to report.
        Err(err) => return Err(error.unwrap_or(err)),
    };
    let form_view = ReviewForm {
        claim_state: ClaimState::of(&evaluation, &by.name, forum.now()),
        notes: form.text("notes"),
        error: error.as_ref().map(explain_refusal),
    };
    let status = error.map_or(StatusCode::OK, |err| Problem::from(err).status());
    show(forum, by, &form.visitor, &evaluation, form_view, status).await
}
