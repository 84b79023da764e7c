//! Handlers that change debates.

use axum::extract::State;
use debate_app::arena::Arena;
use debate_wire::{Failure, Success, arena as wire};
use utoipa::IntoResponses;

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
    /// The rules forbid the action in the current state; see `error.current_state` and
    /// `error.available_actions`
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

/// Create a debate with its motion
///
/// The motion is the first argument, submitted by the proposer. The opponent answers next.
#[utoipa::path(
    post, path = "/debates", tag = "arena", request_body = wire::CreateDebate,
    responses(
        (status = 201, description = "The debate was created", body = Success<wire::WriteResult>),
        (status = 200, description = "An earlier request with the same id, idempotency key and \
            content created the debate; `Idempotent-Replayed: true`",
                body = Success<wire::WriteResult>),
        (status = 409, description = "Another debate has this id", body = Failure),
        (status = 410, description = "A debate with this id was deleted; choose another id",
            body = Failure),
        (status = 422, description = "An earlier request with other content used the \
            `client_request_id`", body = Failure),
    )
)]
pub(crate) async fn open(
    State(arena): State<Arena>,
    ParsedBody(opening): ParsedBody<wire::CreateDebate>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.open(opening).await?))
}

/// Delete a debate and its arguments
///
/// The deletion is permanent: the id cannot be used again. Waiting requests get 404, and streams
/// end with the reason `debate_deleted`.
#[utoipa::path(
    delete, path = "/debates/{id}", tag = "arena",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "The debate was deleted", body = Success<wire::Deleted>),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Reply<wire::Deleted>, ErrorResponse> {
    arena.delete(debate).await?;
    Ok(Reply::ok(wire::Deleted { deleted: true }))
}

/// Submit a claim as proposer or opponent
///
/// The role must have the turn. Afterwards the other side has it.
#[utoipa::path(
    post, path = "/debates/{id}/arguments", tag = "arena", request_body = wire::SubmitClaim,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn claim(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ResolvedBody(draft): ResolvedBody<wire::SubmitClaim>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft).await?))
}

/// Ask the arbitrator for a ruling (proposer)
///
/// Both sides wait until the arbitrator has ruled.
#[utoipa::path(
    post, path = "/debates/{id}/appeal", tag = "arena", request_body = wire::SubmitAppeal,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn appeal(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ResolvedBody(draft): ResolvedBody<wire::SubmitAppeal>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft).await?))
}

/// Ask to close the debate (proposer)
///
/// With automatic rulings (the default) the server adds a closing ruling in the same transaction.
/// Otherwise the arbitrator rules.
#[utoipa::path(
    post, path = "/debates/{id}/resolution", tag = "arena",
    request_body = wire::SubmitResolution,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn resolve(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ResolvedBody(draft): ResolvedBody<wire::SubmitResolution>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft).await?))
}

/// Pause the debate for a ruling (arbitrator)
///
/// Possible while a side has the turn. Both sides wait until the arbitrator has ruled.
#[utoipa::path(
    post, path = "/debates/{id}/intervention", tag = "arena",
    request_body = wire::SubmitIntervention,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn intervene(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ParsedBody(draft): ParsedBody<wire::SubmitIntervention>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft).await?))
}

/// Rule and continue or close the debate (arbitrator)
///
/// Possible after an appeal, a resolution or an intervention. With `close` the debate ends;
/// otherwise the proposer has the turn.
#[utoipa::path(
    post, path = "/debates/{id}/ruling", tag = "arena", request_body = wire::SubmitRuling,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn rule(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ParsedBody(draft): ParsedBody<wire::SubmitRuling>,
) -> Result<Reply<wire::WriteResult>, ErrorResponse> {
    Ok(Reply::for_write(arena.submit(debate, draft).await?))
}
