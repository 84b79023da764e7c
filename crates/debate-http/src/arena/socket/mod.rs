//! WebSocket connections of a debate.

mod access;
mod close_watch;
mod frame;
mod handshake;
mod session;

use axum::extract::State;
use axum::response::Response;
use debate_app::arena::{Arena, Place, Since};
use debate_core::Seq;
use debate_wire::{Failure, arena as wire};

use self::access::SocketAccess;
use self::handshake::Upgrade;
use self::session::{Begin, Session};
use super::positions::SocketAsk;
use super::resolve::ResolvedQuery;
use crate::audit::Actor;
use crate::edge::Edge;
use crate::problem::Problem;

/// Follow a debate over a WebSocket and rule in it
///
/// Frames are JSON text `{event, data}`. The server sends `initial_state` first, then
/// `new_argument` and `state_changed`. The client may send `submit_intervention` and
/// `submit_ruling` with the body of the HTTP operation plus `debate_id`.
#[utoipa::path(
    get, path = "/ws", tag = "arena", params(wire::SocketQuery),
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
    State(edge): State<Edge>,
    ResolvedQuery(ask): ResolvedQuery<wire::SocketQuery>,
    actor: Actor,
    access: SocketAccess,
    upgrade: Upgrade,
) -> Result<Response, Problem> {
    let seat = edge.sockets.admit().ok_or_else(Problem::crowded)?;
    let (place, begin) = find_begin(&edge.arena, &ask).await?;
    let subscription = edge.arena.subscribe(ask.debate, Since::Seq(place.at))?;
    let session = Session::new(edge, actor, access, place, begin, subscription);
    Ok(upgrade.answer(session, seat))
}

/// After the position asked for, if it is one; else with a snapshot of everything there is.
async fn find_begin(arena: &Arena, ask: &SocketAsk) -> Result<(Place, Begin), Problem> {
    if let Some(after) = ask.after
        && let Some(place) = arena.locate(ask.debate, Since::Seq(after)).await?
    {
        return Ok((place, Begin::Following));
    }
    // The beginning of a debate is always a place in it; where there is no debate, this says so.
    let place = arena.locate(ask.debate, Since::Start).await?;
    let place = place.ok_or_else(Problem::internal)?;
    let through = place.last;
    Ok((Place { at: through, ..place }, Begin::Snapshot { from: Seq::START, through }))
}
