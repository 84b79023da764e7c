//! What changes a debate.

use axum::extract::State;
use debate_app::arena::Arena;
use debate_wire::{Failure, Success, arena as wire};
use utoipa::IntoResponses;

use super::resolve::{PathDebate, Resolved};
use crate::parsed::Parsed;
use crate::problem::Problem;
use crate::reply::Reply;

/// What an attempt to add an argument can come to.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "it describes the answers to the contract and is never made")]
enum Added {
    /// Added
    #[response(status = 201)]
    Now(Success<wire::Written>),
    /// Added before, by the same request
    #[response(status = 200)]
    Before(Success<wire::Written>),
    /// The request is invalid; `error.field` names the field
    #[response(status = 400)]
    Senseless(Failure),
    /// The rules forbid it in the debate's current state
    #[response(status = 403)]
    Refused(Failure),
    /// No such debate or argument
    #[response(status = 404)]
    Nowhere(Failure),
    /// The content is too large
    #[response(status = 413)]
    TooLarge(Failure),
    /// The `client_request_id` belongs to another request
    #[response(status = 422)]
    KeyReused(Failure),
}

/// Open a debate with its motion
#[utoipa::path(
    post, path = "/debates", tag = "arena", request_body = wire::CreateDebate,
    responses(
        (status = 201, description = "Opened", body = Success<wire::Written>),
        (status = 200, description = "Opened before, by the same request",
            body = Success<wire::Written>),
        (status = 409, description = "The id is taken", body = Failure),
        (status = 410, description = "A debate with this id was deleted", body = Failure),
        (status = 422, description = "The `client_request_id` belongs to another request",
            body = Failure),
    )
)]
pub(crate) async fn open(
    State(arena): State<Arena>,
    Parsed(opening): Parsed<wire::CreateDebate>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.open(opening).await?))
}

/// Forget a debate and all that was said in it
#[utoipa::path(
    delete, path = "/debates/{id}", tag = "arena",
    params(wire::DebatePath),
    responses(
        (status = 200, description = "Gone", body = Success<wire::Deleted>),
        (status = 404, description = "No such debate", body = Failure),
    )
)]
pub(crate) async fn delete(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
) -> Result<Reply<wire::Deleted>, Problem> {
    arena.delete(debate).await?;
    Ok(Reply::ok(wire::Deleted { deleted: true }))
}

/// Answer the other side
#[utoipa::path(
    post, path = "/debates/{id}/arguments", tag = "arena", request_body = wire::SubmitClaim,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn claim(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    Resolved(draft): Resolved<wire::SubmitClaim>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.submit(debate, draft).await?))
}

/// As the proposer, ask the arbitrator to rule
#[utoipa::path(
    post, path = "/debates/{id}/appeal", tag = "arena", request_body = wire::SubmitAppeal,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn appeal(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    Resolved(draft): Resolved<wire::SubmitAppeal>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.submit(debate, draft).await?))
}

/// As the proposer, ask to finish; with auto-ruling this closes the debate
#[utoipa::path(
    post, path = "/debates/{id}/resolution", tag = "arena",
    request_body = wire::SubmitResolution,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn resolve(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    Resolved(draft): Resolved<wire::SubmitResolution>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.submit(debate, draft).await?))
}

/// As the arbitrator, stop the debate for a ruling
#[utoipa::path(
    post, path = "/debates/{id}/intervention", tag = "arena",
    request_body = wire::SubmitIntervention,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn intervene(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    Parsed(draft): Parsed<wire::SubmitIntervention>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.submit(debate, draft).await?))
}

/// As the arbitrator, rule, and close the debate or let it go on
#[utoipa::path(
    post, path = "/debates/{id}/ruling", tag = "arena", request_body = wire::SubmitRuling,
    params(wire::DebatePath),
    responses(Added)
)]
pub(crate) async fn rule(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    Parsed(draft): Parsed<wire::SubmitRuling>,
) -> Result<Reply<wire::Written>, Problem> {
    Ok(Reply::written(arena.submit(debate, draft).await?))
}
