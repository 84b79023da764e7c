//! The creation of a debate, with or without seats.

use std::sync::Arc;

use axum::extract::State;
use debate_app::arena::{Arena, WriteOutcome, WrittenArgument};
use debate_core::arena::{HolderName, NewDebate, NewSeats, SeatFields, Side, WEB};
use debate_wire::{Failure, Success, arena as wire, render_time};

use super::credentials::{CreatorSecrets, NewSeatToken};
use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::ParsedBody;
use crate::reply::Reply;

/// The name of a creator that sent none.
const CREATOR: &str = "proposer";

/// Create a debate with its motion
///
/// The motion is the first argument, submitted by the proposer. The opponent answers next. The
/// creator of a debate with seats holds the proposer's seat; the opponent takes the other one with
/// `POST /debates/{id}/seats/opponent`.
#[utoipa::path(
    post, path = "/debates", tag = "arena", request_body = wire::CreateDebate,
    params(wire::NewSeatHeader, wire::InviteHeader),
    responses(
        (status = 201, description = "The debate was created", body = Success<wire::WriteResult>),
        (status = 200, description = "An earlier request with the same id, idempotency key and \
            content created the debate; `Idempotent-Replayed: true`",
                body = Success<wire::WriteResult>),
        (status = 409, description = "Another debate has this id", body = Failure),
        (status = 410, description = "A debate with this id was deleted; choose another id",
            body = Failure),
        (status = 422, description = "An earlier request with other content used the \
            `client_request_id`, or the server has no arbitrator token and cannot create debates \
            with seats", body = Failure),
    )
)]
pub(crate) async fn open(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    secrets: CreatorSecrets,
    ParsedBody(opening): ParsedBody<wire::CreateDebate>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    let (opening, made) = add_seats(opening, &secrets, &settings)?;
    let written = arena.open(opening).await?;
    let seat = seat_grant(&written, made);
    Ok(Reply::for_write(written).with_seat(seat))
}

/// Adds the seats that body, headers and settings ask for. Returns also the token of the creator,
/// if the server made it.
fn add_seats(
    opening: NewDebate,
    secrets: &CreatorSecrets,
    settings: &Settings,
) -> Result<(NewDebate, Option<String>), ErrorResponse> {
    let CreatorSecrets { token, invite } = *secrets;
    let fields = SeatFields { token, invite, ..opening.seat_fields };
    let name = HolderName::new(fields.holder.as_deref().unwrap_or(CREATOR))
        .map_err(|err| Invalid::new("holder", err))?;
    let has_seats = fields.seats.unwrap_or(settings.seats);
    let is_invite_only = fields.invite_only.unwrap_or_default();
    if is_invite_only && !has_seats {
        return Err(Invalid::new("invite_only", "needs `seats`").into());
    }
    if is_invite_only && invite.is_none() {
        let message = "needs the invite in the header `Debate-Invite`";
        return Err(Invalid::new("invite_only", message).into());
    }
    if !has_seats {
        return Ok((NewDebate { seat_fields: fields, ..opening }, None));
    }
    if settings.arbitrator.is_none() {
        return Err(ErrorResponse::seats_not_configured());
    }
    let NewSeatToken { digest, made } = NewSeatToken::from_client(token);
    let invite = invite.filter(|_| is_invite_only);
    let seats = Some(NewSeats { creator: Some((name, digest)), invite });
    Ok((NewDebate { seats, seat_fields: fields, ..opening }, made))
}

/// The proposer's seat as the creation of the debate gave it away; none if it gave none away.
fn seat_grant(written: &WrittenArgument, made: Option<String>) -> Option<wire::SeatGrant> {
    let motion = &written.argument;
    let holder = motion.by.clone().filter(|by| by != WEB)?;
    written.debate.seat_changes?;
    Some(wire::SeatGrant {
        role: Side::Proposer.into(),
        holder,
        since: render_time(motion.created_at),
        token: made.filter(|_| written.outcome == WriteOutcome::Fresh),
    })
}
