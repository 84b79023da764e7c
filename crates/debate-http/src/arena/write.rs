//! Handlers that change debates.

use axum::extract::State;
use debate_app::arena::Arena;
use debate_wire::{Failure, Success, arena as wire};
use utoipa::IntoResponses;

use super::credentials::RequestCredentials;
use super::resolve::{PathDebate, ResolvedBody};
use crate::error::ErrorResponse;
use crate::extract::ParsedBody;
use crate::reply::Reply;

/// Responses of the operations that add an argument.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "it describes the answers to the contract and is never made")]
enum Added {
    /// The argument was added
    #[response(status = 201)]
    Now(Success<wire::WriteResult>),
    /// An earlier request with the same idempotency key added the argument;
    /// `Idempotent-Replayed: true`
    #[response(status = 200)]
    Before(Success<wire::WriteResult>),
    /// A field is invalid; see `error.field`
    #[response(status = 400)]
    Senseless(Failure),
    /// The debate has seats and the request has no token of the role (`SEAT_REQUIRED`), or the
    /// server's token is missing or wrong
    #[response(status = 401)]
    WithoutCredential(Failure),
    /// The rules forbid the action in the current state; see `error.current_state` and
    /// `error.available_actions`. Or the debate has seats and the token is not that of the role
    /// (`SEAT_INVALID`)
    #[response(status = 403)]
    Refused(Failure),
    /// The debate or the argument in `target_id` does not exist
    #[response(status = 404)]
    Nowhere(Failure),
    /// The content exceeds `error.max_length` bytes of UTF-8
    #[response(status = 413)]
    TooLarge(Failure),
    /// An earlier request with other content used the `client_request_id`
    #[response(status = 422)]
    KeyReused(Failure),
}

/// Delete a debate and its arguments
///
/// The deletion is permanent: neither the id nor the slug can be used again. Waiting requests get
/// 404, and streams end with the reason `debate_deleted`.
#[utoipa::path(
    delete, path = "/debates/{id}", tag = "arena",
    params(wire::DebatePath, wire::ArbitratorHeader),
    responses(
        (status = 200, description = "The debate was deleted", body = Success<wire::Deleted>),
        (status = 401, description = "The debate has seats and the arbitrator token is missing \
            (`SEAT_REQUIRED`), or the server's token is missing or wrong", body = Failure),
        (status = 403, description = "The debate has seats and the arbitrator token is wrong \
            (`SEAT_INVALID`)", body = Failure),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
) -> Result<Reply<wire::Deleted>, ErrorResponse> {
    arena.delete(debate, credentials).await?;
    Ok(Reply::ok(wire::Deleted { deleted: true }))
}

/// Submit a claim as proposer or opponent
///
/// The role must have the turn. Afterwards the other side has it.
#[utoipa::path(
    post, path = "/debates/{id}/arguments", tag = "arena", request_body = wire::SubmitClaim,
    params(wire::DebatePath, wire::SeatHeader),
    responses(Added)
)]
pub(crate) async fn claim(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ResolvedBody(draft): ResolvedBody<wire::SubmitClaim>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft, credentials).await?))
}

/// Ask the arbitrator for a ruling (proposer)
///
/// Both sides wait until the arbitrator has ruled.
#[utoipa::path(
    post, path = "/debates/{id}/appeal", tag = "arena", request_body = wire::SubmitAppeal,
    params(wire::DebatePath, wire::SeatHeader),
    responses(Added)
)]
pub(crate) async fn appeal(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ResolvedBody(draft): ResolvedBody<wire::SubmitAppeal>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft, credentials).await?))
}

/// Ask to close the debate (proposer)
///
/// With automatic rulings (the default) the server adds a closing ruling in the same transaction.
/// Otherwise the arbitrator rules.
#[utoipa::path(
    post, path = "/debates/{id}/resolution", tag = "arena",
    request_body = wire::SubmitResolution,
    params(wire::DebatePath, wire::SeatHeader),
    responses(Added)
)]
pub(crate) async fn resolve(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ResolvedBody(draft): ResolvedBody<wire::SubmitResolution>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft, credentials).await?))
}

/// Pause the debate for a ruling (arbitrator)
///
/// Possible while a side has the turn. Both sides wait until the arbitrator has ruled.
#[utoipa::path(
    post, path = "/debates/{id}/intervention", tag = "arena",
    request_body = wire::SubmitIntervention,
    params(wire::DebatePath, wire::ArbitratorHeader),
    responses(Added)
)]
pub(crate) async fn intervene(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ParsedBody(draft): ParsedBody<wire::SubmitIntervention>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft, credentials).await?))
}

/// Rule and continue or close the debate (arbitrator)
///
/// Possible after an appeal, a resolution or an intervention. With `close` the debate ends;
/// otherwise the proposer has the turn.
#[utoipa::path(
    post, path = "/debates/{id}/ruling", tag = "arena", request_body = wire::SubmitRuling,
    params(wire::DebatePath, wire::ArbitratorHeader),
    responses(Added)
)]
pub(crate) async fn rule(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ParsedBody(draft): ParsedBody<wire::SubmitRuling>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft, credentials).await?))
}
