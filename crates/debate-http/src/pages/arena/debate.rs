//! The page of a debate: the motion, a window of arguments, and the arbitrator's form.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError, Transcript, TranscriptLimit};
use debate_core::{ArgumentId, DebateId, Seq};

use super::arbitrator_form::ArbitratorForm;
use super::view::{Entry, Row};
use super::window::{self, Window};
use crate::arena::PathDebate;
use crate::events::RequestedPosition;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/arena/debate.html")]
struct DebatePage {
    frame: Frame,
    debate: Row,
    motion: Entry,
    entries: Vec<Entry>,
    /// The first and the last position on the page, beside the motion.
    first: Seq,
    shown: Seq,
    /// The last position of the debate.
    last: Seq,
    arbitrator: ArbitratorForm,
}

impl DebatePage {
    fn has_earlier(&self) -> bool {
        self.first > Seq::FIRST.next()
    }

    fn has_later(&self) -> bool {
        self.shown < self.last
    }
}

/// `GET /arena/{id}`
pub(crate) async fn debate(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    if let Some(argument) = find_argument(&arena, &asked).await? {
        return Ok(permalink(&arena, debate, argument).await?);
    }
    let page = read(&arena, debate, Window::of(&asked), &visitor).await?;
    Ok(visitor.page(&page))
}

/// The argument that the page is asked to show. A number is a place, and text that names no
/// argument is passed over.
async fn find_argument(
    arena: &Arena,
    asked: &QueryParams,
) -> Result<Option<ArgumentId>, ArenaError> {
    match asked.text("at").map(|at| RequestedPosition::parse(&at)) {
        Some(RequestedPosition::Id(reference)) => arena.find_argument(&reference).await,
        Some(RequestedPosition::Seq(_) | RequestedPosition::Unknown) | None => Ok(None),
    }
}

/// An argument by its id: its place is known only now.
async fn permalink(
    arena: &Arena,
    debate: DebateId,
    argument: ArgumentId,
) -> Result<Response, ArenaError> {
    let place = arena.locate(debate, StreamPosition::Item(argument)).await?;
    let place = place.ok_or(ArenaError::NoSuchArgument(argument))?;
    Ok(Redirect::to(&format!("/arena/{debate}?at={0}#seq-{0}", place.at)).into_response())
}

async fn read(
    arena: &Arena,
    debate: DebateId,
    window: Window,
    visitor: &Visitor,
) -> Result<DebatePage, ArenaError> {
    let Transcript { debate, motion, through, .. } =
        arena.transcript(debate, TranscriptLimit::Newest(0)).await?;
    let (after, shown) = window.bounds(through);
    let arguments = window::between(arena, debate.id, after, shown).await?;
    let entries = window::entries_of(arena, debate.id, arguments, Some(&motion)).await?;
    let frame = visitor.frame(Section::Arena, debate_render::visible::line(&debate.title));
    Ok(DebatePage {
        arbitrator: ArbitratorForm::new(&debate, &frame.form_token),
        frame,
        debate: debate.into(),
        motion: Entry::new(&motion, &HashMap::new()),
        entries,
        first: after.next(),
        shown,
        last: through,
    })
}

/// `GET /debate`, `GET /debate/debates`: the list of debates at the addresses of earlier servers.
pub(crate) async fn old_list_address() -> Redirect {
    Redirect::permanent("/arena")
}

/// `GET /debate/debates/{id}`: where earlier servers showed it.
pub(crate) async fn old_address(PathDebate(debate): PathDebate) -> Redirect {
    Redirect::permanent(&format!("/arena/{debate}"))
}
