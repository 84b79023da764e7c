//! Deletion of a debate, with a confirmation.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::{Arena, ArenaError, Transcript, TranscriptLimit};
use debate_core::Seq;

use super::view::Row;
use crate::arena::PathDebate;
use crate::pages::form::Form;
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/arena/delete.html")]
struct DeletePage {
    frame: Frame,
    debate: Row,
    last: Seq,
}

/// `GET /arena/{id}/delete`
pub(crate) async fn deletion(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let Transcript { debate, through, .. } =
        arena.transcript(debate, TranscriptLimit::Newest(0)).await?;
    let debate = Row::from(debate);
    let frame = visitor.frame(Section::Arena, format!("Delete: {}", debate.title));
    Ok(visitor.page(&DeletePage { frame, debate, last: through }))
}

/// `POST /arena/{id}/delete`
pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    _form: Form,
) -> Result<Response, Problem> {
    match arena.delete(debate).await {
        // A repeated request succeeds too.
        Ok(()) | Err(ArenaError::NoSuchDebate(_)) => {
            Ok(Redirect::to("/arena?deleted=1").into_response())
        }
        Err(err) => Err(err.into()),
    }
}
