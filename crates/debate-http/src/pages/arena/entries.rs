//! New arguments of an open page, rendered like the page.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError};
use debate_core::{DebateId, Seq};

use super::arbitrator_form::ArbitratorForm;
use super::view::{Entry, Row};
use super::window;
use crate::arena::PathDebate;
use crate::pages::page::Visitor;
use crate::pages::query::QueryParams;
use crate::problem::{Invalid, Problem};

/// The news, for the script to put into the page.
#[derive(Template)]
#[template(path = "pages/arena/entries.html")]
struct NewEntries {
    debate: Row,
    entries: Vec<Entry>,
    /// The last place there is; more is to be fetched while it is not among the entries.
    last: Seq,
    arbitrator: ArbitratorForm,
}

/// `GET /arena/{id}/entries`
pub(crate) async fn entries(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let after = asked.text("after").and_then(|text| text.parse().ok()).map(Seq::new);
    let after =
        after.ok_or_else(|| Invalid::new("after", "must be a position (`seq`) in the debate"))?;
    let news = read(&arena, debate, after, &visitor).await?;
    let news =
        news.ok_or_else(|| Invalid::new("after", "must be a position (`seq`) in the debate"))?;
    Ok(visitor.page(&news))
}

/// None if the debate has no such place.
async fn read(
    arena: &Arena,
    debate: DebateId,
    after: Seq,
    visitor: &Visitor,
) -> Result<Option<NewEntries>, ArenaError> {
    let Some(place) = arena.locate(debate, StreamPosition::Seq(after)).await? else {
        return Ok(None);
    };
    let through = Seq::new(after.number().saturating_add(window::PAGE)).min(place.last);
    let arguments = window::between(arena, debate, after, through).await?;
    let entries = window::entries_of(arena, debate, arguments, None).await?;
    let arbitrator = ArbitratorForm::new(&place.debate, visitor.form_token());
    Ok(Some(NewEntries { debate: place.debate.into(), entries, last: place.last, arbitrator }))
}
