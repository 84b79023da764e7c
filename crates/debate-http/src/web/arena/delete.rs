//! Forgetting a debate, after a second thought.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::{Arena, ArenaError, Newest, Transcript};
use debate_core::Seq;

use super::view::Row;
use crate::arena::PathDebate;
use crate::problem::Problem;
use crate::web::form::Form;
use crate::web::page::{Frame, Part, Visitor};

#[derive(Template)]
#[template(path = "web/arena/delete.html")]
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
    let Transcript { debate, through, .. } = arena.transcript(debate, Newest::Count(0)).await?;
    let debate = Row::from(debate);
    let frame = visitor.frame(Part::Arena, format!("Delete: {}", debate.title));
    Ok(visitor.page(&DeletePage { frame, debate, last: through }))
}

/// `POST /arena/{id}/delete`
pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    _form: Form,
) -> Result<Response, Problem> {
    match arena.delete(debate).await {
        // Gone is gone, also for the second click.
        Ok(()) | Err(ArenaError::NoSuchDebate(_)) => {
            Ok(Redirect::to("/arena?deleted=1").into_response())
        }
        Err(err) => Err(err.into()),
    }
}
