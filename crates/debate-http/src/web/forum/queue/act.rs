//! A reviewer takes something on, or gives it back. Doing so twice is doing so once.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::forum::{Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::{ClaimRefusal, Refusal};

use super::one::show;
use super::seat::{Bench, Place, told};
use crate::forum::At;
use crate::problem::Problem;
use crate::web::form::Form;
use crate::web::forum::seat::ReviewersSeat;

/// `POST /forum/flagged/{id}/claim`
pub(crate) async fn claim(
    State(forum): State<Forum>,
    by: ReviewersSeat,
    At(evaluation): At<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    let notes = form.text("notes");
    let error = match forum.claim(evaluation, &by.name).await {
        Ok(_) if notes.is_empty() => return Ok(to_seat(evaluation)),
        // What was written under a claim that ran out goes on with the new one.
        Ok(_) => None,
        Err(err) => Some(err),
    };
    Ok(again(&forum, &by, evaluation, &form, error).await?)
}

/// `POST /forum/flagged/{id}/release`
pub(crate) async fn release(
    State(forum): State<Forum>,
    by: ReviewersSeat,
    At(evaluation): At<EvaluationId>,
    form: Form,
) -> Result<Response, Problem> {
    match forum.release(evaluation, &by.name).await {
        // What is not one's own, or was decided, is given back already.
        Ok(_)
        | Err(
            ForumError::Claim(ClaimRefusal::NotClaimed)
            | ForumError::Guardrail(Refusal::NotFlagged),
        ) => Ok(back_to(evaluation)),
        Err(err) => Ok(again(&forum, &by, evaluation, &form, Some(err)).await?),
    }
}

pub(super) fn back_to(evaluation: EvaluationId) -> Response {
    Redirect::to(&format!("/forum/flagged/{evaluation}")).into_response()
}

/// Where the decision is written: on a phone it is far down.
fn to_seat(evaluation: EvaluationId) -> Response {
    Redirect::to(&format!("/forum/flagged/{evaluation}#seat")).into_response()
}

/// The page as it stands now, with what was written and what went wrong.
pub(super) async fn again(
    forum: &Forum,
    by: &ReviewersSeat,
    evaluation: EvaluationId,
    form: &Form,
    error: Option<ForumError>,
) -> Result<Response, ForumError> {
    let evaluation = match forum.reviewable(evaluation).await {
        Ok(evaluation) => evaluation,
        // Whoever was told of one error has no use for another.
        Err(err) => return Err(error.unwrap_or(err)),
    };
    let bench = Bench {
        place: Place::of(&evaluation, &by.name, forum.now()),
        notes: form.text("notes"),
        error: error.as_ref().map(told),
    };
    let status = error.map_or(StatusCode::OK, |err| Problem::from(err).status());
    show(forum, by, &form.visitor, &evaluation, bench, status).await
}
