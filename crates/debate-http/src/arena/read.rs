//! Handlers that read debates.

use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;
use debate_wire::{Failure, Success, arena as wire};

use super::resolve::PathDebate;
use super::stream;
use crate::cursor;
use crate::error::ErrorResponse;
use crate::extract::ParsedQuery;
use crate::reply::Reply;

/// List debates, most recently changed first
///
/// Filters combine. Pass `next_cursor` as `cursor` to read the next page.
#[utoipa::path(
    get, path = "/debates", tag = "arena", params(wire::ListQuery),
    responses(
        (status = 200, description = "A page of debates", body = Success<wire::DebateList>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
    )
)]
pub(crate) async fn list(
    State(arena): State<Arena>,
    ParsedQuery(query): ParsedQuery<wire::ListQuery>,
) -> Result<Reply<wire::DebateList>, ErrorResponse> {
    let page = arena.list(query).await?;
    Ok(Reply::ok(wire::DebateList {
        debates: page.debates.into_iter().map(Into::into).collect(),
        total: page.total,
        next_cursor: page.next.map(|next| cursor::render(next.updated_at, next.debate)),
    }))
}

/// Read a debate and its arguments
///
/// Returns the whole transcript, or with `limit` its newest arguments. The motion is always
/// included.
#[utoipa::path(
    get, path = "/debates/{id}", tag = "arena",
    params(wire::DebatePath, wire::DebateQuery),
    responses(
        (status = 200, description = "The debate, its motion and its arguments",
            body = Success<wire::Transcript>),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn transcript(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ParsedQuery(newest): ParsedQuery<wire::DebateQuery>,
) -> Result<Response, ErrorResponse> {
    let first_page = arena.transcript(debate, newest).await?;
    Ok(stream::transcript(arena, first_page))
}
