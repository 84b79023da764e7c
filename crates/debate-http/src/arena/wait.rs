//! Handlers that report new arguments: poll and long poll.

use axum::extract::State;
use debate_app::arena::{Arena, DebateUpdate, NewArguments};
use debate_core::DebateId;
use debate_core::arena::{available_actions, wait_action};
use debate_wire::{Failure, Success, arena as wire};

use super::credentials::RequestCredentials;
use super::positions::{CatchUp, PollRequest};
use super::resolve::{PathDebate, ResolvedQuery};
use crate::error::ErrorResponse;
use crate::reply::Reply;

/// Check for new arguments
///
/// Responds immediately. `GET /debates/{id}/wait` waits for the next argument.
#[utoipa::path(
    get, path = "/debates/{id}/poll", tag = "arena",
    params(wire::DebatePath, wire::PollQuery, wire::SeatHeader),
    responses(
        (status = 200, description = "The new arguments, or `has_new_argument: false`",
            body = Success<wire::WaitResult>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn poll(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ResolvedQuery(poll): ResolvedQuery<wire::PollQuery>,
) -> Result<Reply<wire::WaitResult>, ErrorResponse> {
    arena.note_presence(&credentials);
    let update = arena.poll(debate, poll.since).await?;
    Ok(Reply::ok(wait_outcome(debate, &poll, update)))
}

/// Wait for the next argument (long poll)
///
/// Responds as soon as the debate has an argument after `argument_id`, or with
/// `has_new_argument: false` when the time is up or the server is shutting down; the client then
/// sends the request again.
#[utoipa::path(
    get, path = "/debates/{id}/wait", tag = "arena",
    params(wire::DebatePath, wire::WaitQuery, wire::SeatHeader),
    responses(
        (status = 200, description = "The new arguments, or `has_new_argument: false`",
            body = Success<wire::WaitResult>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
        (status = 404, description = "The debate does not exist or was deleted meanwhile",
            body = Failure),
        (status = 503, description = "Too many requests are waiting; see `Retry-After`",
            body = Failure),
    )
)]
pub(crate) async fn wait(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    RequestCredentials(credentials): RequestCredentials,
    ResolvedQuery(wait_request): ResolvedQuery<wire::WaitQuery>,
) -> Result<Reply<wire::WaitResult>, ErrorResponse> {
    arena.note_presence(&credentials);
    let update = arena.wait(debate, wait_request.poll.since, wait_request.timeout).await?;
    arena.note_presence(&credentials);
    Ok(Reply::ok(wait_outcome(debate, &wait_request.poll, update)))
}

fn wait_outcome(debate: DebateId, poll: &PollRequest, update: DebateUpdate) -> wire::WaitResult {
    let (seen, new) = match update {
        DebateUpdate::Timeout(seen) | DebateUpdate::Closing(seen) => (seen, None),
        DebateUpdate::Arguments(new) => (new.seen, new_arguments(poll, new)),
    };
    match new {
        Some(new) => wire::WaitResult::NewArguments(Box::new(new)),
        None => wire::WaitResult::Nothing(wire::NoNewArguments {
            has_new_argument: false,
            debate_id: debate.to_string(),
            last_seen_seq: seen.number(),
        }),
    }
}

fn new_arguments(poll: &PollRequest, new: NewArguments) -> Option<wire::NewArguments> {
    let state = new.debate.state;
    let latest = new.newer.last()?.kind;
    let actions = available_actions(state, poll.side.into());
    let mut arguments: Vec<wire::NewArgument> = new.newer.into_iter().map(Into::into).collect();
    let argument = match poll.missed {
        CatchUp::All => arguments.last()?.clone(),
        CatchUp::Earlier => arguments.pop()?,
    };
    Some(wire::NewArguments {
        has_new_argument: true,
        action: wait_action(state, latest, poll.side).into(),
        debate_state: state.into(),
        argument,
        arguments,
        arguments_omitted: new.omitted,
        available_actions: actions.into_iter().map(Into::into).collect(),
    })
}
