//! Handlers of the seats of a debate.

use axum::extract::{FromRef, FromRequestParts, Path, State};
use axum::http::request::Parts;
use debate_app::arena::Arena;
use debate_core::DebateId;
use debate_core::arena::{HolderName, Seat, Side};
use debate_wire::{Failure, Success, arena as wire};

use super::credentials::{NewSeatToken, RequestCredentials};
use super::parse::SIDE;
use super::resolve::{PathDebate, resolve_debate};
use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, ParsedBody};
use crate::reply::Reply;

/// List the seats of a debate
///
/// The list is empty for a debate without seats. Tokens are never returned.
#[utoipa::path(
    get, path = "/debates/{id}/seats", tag = "arena",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "The seats of the proposer and the opponent",
            body = Success<Vec<wire::Seat>>),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn seats(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Reply<Vec<wire::Seat>>, ErrorResponse> {
    let seats = arena.seats(debate).await?;
    let list = |seats: debate_core::arena::Seats| {
        Side::ALL.map(|side| to_wire(&arena, side, seats.seat(side))).into()
    };
    Ok(Reply::ok(seats.map(list).unwrap_or_default()))
}

fn to_wire(arena: &Arena, side: Side, seat: &Seat) -> wire::Seat {
    wire::Seat::new(side, seat, arena.last_seen(seat))
}

/// Take a free seat
///
/// The token of the seat is in the header `Debate-Seat`; without it the server makes one and
/// returns it this one time. A seat of a debate with `invite_only`, and a released seat of the proposer,
/// can be taken only with the invite of the debate or with arbitrator rights.
#[utoipa::path(
    post, path = "/debates/{id}/seats/{role}", tag = "arena", request_body = wire::TakeSeat,
    params(wire::SeatPath, wire::NewSeatHeader, wire::InviteHeader, wire::ArbitratorHeader),
    responses(
        (status = 201, description = "The caller holds the seat now",
            body = Success<wire::SeatResult>),
        (status = 200, description = "An earlier request with the same token took the seat; \
            `Idempotent-Replayed: true`", body = Success<wire::SeatResult>),
        (status = 403, description = "The invite is missing or wrong", body = Failure),
        (status = 404, description = "The debate does not exist", body = Failure),
        (status = 409, description = "Another participant holds the seat (`SEAT_TAKEN`), the token \
            holds the other seat (`SEAT_CONFLICT`), or the debate has no seats (`NOT_SEATED`)",
            body = Failure),
    )
)]
pub(crate) async fn take_seat(
    State(arena): State<Arena>,
    PathSeat { debate, side }: PathSeat,
    token: NewSeatToken,
    RequestCredentials(credentials): RequestCredentials,
    ParsedBody(holder): ParsedBody<wire::TakeSeat>,
) -> Result<Reply<wire::SeatResult>, ErrorResponse> {
    let NewSeatToken { digest, made } = token;
    let taken = arena.take_seat(debate, side, holder, digest, credentials).await?;
    Ok(Reply::for_seat(side, taken, made))
}

/// Release a seat for another participant
///
/// The token of the seat is invalid at once, and another participant can take the seat. The holder
/// and the arbitrator may release a seat; releasing an open seat changes nothing.
#[utoipa::path(
    delete, path = "/debates/{id}/seats/{role}", tag = "arena",
    params(wire::SeatPath, wire::SeatHeader, wire::ArbitratorHeader),
    responses(
        (status = 200, description = "The seat is open", body = Success<wire::ReleasedSeat>),
        (status = 401, description = "The request has no token of the seat, or the server's token \
            is missing or wrong", body = Failure),
        (status = 403, description = "The token is not that of the seat", body = Failure),
        (status = 404, description = "The debate does not exist", body = Failure),
        (status = 409, description = "The debate has no seats (`NOT_SEATED`)", body = Failure),
    )
)]
pub(crate) async fn release_seat(
    State(arena): State<Arena>,
    PathSeat { debate, side }: PathSeat,
    RequestCredentials(credentials): RequestCredentials,
) -> Result<Reply<wire::ReleasedSeat>, ErrorResponse> {
    arena.release_seat(debate, side, credentials).await?;
    Ok(Reply::ok(wire::ReleasedSeat { seat: to_wire(&arena, side, &Seat::Released) }))
}

/// The seat that the path names.
pub(crate) struct PathSeat {
    debate: DebateId,
    side: Side,
}

impl<S> FromRequestParts<S> for PathSeat
where
    S: Send + Sync,
    Arena: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Path(path) = Path::<wire::SeatPath>::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("debate_id", "must be percent-encoded UTF-8"))?;
        let side = match path.role.as_str() {
            "proposer" => Side::Proposer,
            "opponent" => Side::Opponent,
            _ => return Err(Invalid::new("role", format!("must be {SIDE}")).into()),
        };
        let reference = path.id.parse().map_err(|err| Invalid::new("debate_id", err))?;
        Ok(Self { debate: resolve_debate(&reference, &Arena::from_ref(state)).await?, side })
    }
}

impl Parse for wire::TakeSeat {
    type Domain = HolderName;

    const FIELDS: &'static [(&'static str, &'static str)] =
        &[("holder", "a string of 1 to 80 printable characters")];

    fn parse(self, _: &Settings) -> Result<HolderName, Unacceptable> {
        Ok(HolderName::new(&self.holder).map_err(|err| Invalid::new("holder", err))?)
    }
}
