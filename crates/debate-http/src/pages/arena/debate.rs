//! Lists of debates, a debate, its live updates, and its deletion.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{Redirect, Response};
use debate_app::arena::{Arena, ArenaError, Transcript, TranscriptLimit};
use debate_core::ArgumentId;
use debate_pages::arena::{self as pages, DebateFilter, Window};
use debate_pages::{PageOutcome, Pagination};

use super::arbitration::check_rights;
use crate::app_state::Settings;
use crate::arena::PathDebate;
use crate::cursor;
use crate::error::{ErrorResponse, Invalid};
use crate::events::RequestedPosition;
use crate::extract::Parse;
use crate::pages::browser::{Browser, QueryParams};
use crate::pages::form::Form;

pub(crate) async fn list(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let [search, state] = ["q", "state"].map(|name| query.text(name).unwrap_or_default());
    let (filter, cursor) = (DebateFilter { search, state }, query.text("cursor"));
    let is_first = cursor.is_none();
    let found = arena.list(filter.query(cursor).parse(&settings)?).await?;
    let next = found.next.map(|next| cursor::render(next.updated_at, next.debate));
    let pagination = Pagination { is_first, next };
    let was_deleted = query.text("deleted").is_some();
    let outcome =
        pages::list(&arena, &browser.request, filter, found, &pagination, was_deleted).await?;
    Ok(browser.respond(outcome))
}

pub(crate) async fn debate(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let outcome = if let Some(argument) = find_argument(&arena, &query).await? {
        pages::permalink(&arena, debate, argument).await?
    } else {
        let window = Window::from_params(|name| query.text(name));
        pages::debate(&arena, &browser.request, debate, window).await?
    };
    Ok(browser.respond(outcome))
}

/// The argument that the parameter `at` names. A number is a position, and text that names no
/// argument is ignored.
async fn find_argument(
    arena: &Arena,
    query: &QueryParams,
) -> Result<Option<ArgumentId>, ArenaError> {
    match query.text("at").map(|at| RequestedPosition::parse(&at)) {
        Some(RequestedPosition::Id(reference)) => arena.find_argument(&reference).await,
        Some(RequestedPosition::Seq(_) | RequestedPosition::Unknown) | None => Ok(None),
    }
}

pub(crate) async fn entries(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let invalid = || Invalid::new("after", "must be a position (`seq`) in the debate");
    let after = query.after().ok_or_else(invalid)?;
    let outcome = pages::new_arguments(&arena, &browser.request, debate, after).await?;
    Ok(browser.respond(outcome.ok_or_else(invalid)?))
}

pub(crate) async fn confirm_deletion(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    browser: Browser,
) -> Result<Response, ErrorResponse> {
    let Transcript { debate, through, .. } =
        arena.transcript(debate, TranscriptLimit::Newest(0)).await?;
    check_rights(&debate, &browser.credentials())?;
    Ok(browser.respond(pages::deletion(&browser.request, debate, through)))
}

pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    form: Form,
) -> Result<Response, ErrorResponse> {
    match arena.delete(debate, form.browser.credentials()).await {
        // A repeated request succeeds too.
        Ok(()) | Err(ArenaError::UnknownDebate(_)) => {
            Ok(form.browser.respond(PageOutcome::MovedTo("/arena?deleted=1".to_owned())))
        }
        Err(err) => Err(err.into()),
    }
}

/// The list of debates at the addresses of earlier servers.
pub(crate) async fn old_list_address() -> Redirect {
    Redirect::permanent("/arena")
}

/// A debate at the address of earlier servers.
pub(crate) async fn old_address(PathDebate(debate): PathDebate) -> Redirect {
    Redirect::permanent(&format!("/arena/{debate}"))
}
