//! WebSocket connections of a debate.

mod access;
mod close_watch;
mod frame;
mod handshake;
mod session;

use axum::extract::State;
use axum::response::Response;
use debate_app::StreamPosition;
use debate_app::arena::{Arena, DebatePosition};
use debate_core::Seq;
use debate_wire::{Failure, arena as wire};

use self::access::SocketAccess;
use self::handshake::Upgrade;
use self::session::{Session, SessionStart};
use super::positions::SocketRequest;
use super::resolve::ResolvedQuery;
use crate::app_state::Services;
use crate::audit::RequestSource;
use crate::error::ErrorResponse;

/// Follow a debate over a WebSocket and rule in it
///
/// Frames are JSON text `{event, data}`. The server sends `initial_state` first, then
/// `new_argument` and `state_changed`, and `seat` when a seat was taken or released. The client may
/// send `submit_intervention` and `submit_ruling` with the body of the HTTP operation plus
/// `debate_id`; in a debate with seats that needs `Debate-Arbitrator` in the handshake.
#[utoipa::path(
    get, path = "/ws", tag = "arena",
    params(wire::SocketQuery, wire::SeatHeader, wire::ArbitratorHeader),
    responses(
        (status = 101, description = "The connection is a WebSocket; the body describes the frames \
            that the server sends. A connection that was opened with a session cookie can only \
            read: the server answers its frames with `error` and the code `FORBIDDEN`",
            body = wire::ServerFrame),
        (status = 400, description = "`debate_id` is missing or malformed", body = Failure),
        (status = 404, description = "The debate does not exist", body = Failure),
        (status = 426, description = "The request is not a WebSocket handshake of version 13",
            body = Failure),
        (status = 503, description = "Too many WebSockets are open; see `Retry-After`",
            body = Failure),
    )
)]
pub(crate) async fn socket(
    State(services): State<Services>,
    ResolvedQuery(request): ResolvedQuery<wire::SocketQuery>,
    source: RequestSource,
    access: SocketAccess,
    upgrade: Upgrade,
) -> Result<Response, ErrorResponse> {
    let permit = services.sockets.acquire().ok_or_else(ErrorResponse::crowded)?;
    let (position, begin) = find_start(&services.arena, &request).await?;
    let (at, seat_changes) = (StreamPosition::Seq(position.at), position.debate.seat_changes);
    let subscription = services.arena.follow(request.debate, at, seat_changes).await?;
    let session = Session::new(services, source, access, position, begin, subscription);
    Ok(upgrade.answer(session, permit))
}

/// The session starts after the requested position, or with a snapshot of the debate without one.
async fn find_start(
    arena: &Arena,
    request: &SocketRequest,
) -> Result<(DebatePosition, SessionStart), ErrorResponse> {
    if let Some(after) = request.after
        && let Some(position) = arena.locate(request.debate, StreamPosition::Seq(after)).await?
    {
        return Ok((position, SessionStart::Following));
    }
    // Every debate has its start position; this fails if the debate does not exist.
    let position = arena.locate(request.debate, StreamPosition::Start).await?;
    let position = position.ok_or_else(ErrorResponse::internal)?;
    let through = position.last;
    Ok((
        DebatePosition { at: through, ..position },
        SessionStart::Snapshot { from: Seq::START, through },
    ))
}
