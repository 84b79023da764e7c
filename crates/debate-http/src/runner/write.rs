//! Handlers that change runs.

use axum::extract::State;
use axum::http::StatusCode;
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::{Command, CommandRequest};
use debate_wire::{IdempotencyKeyHeader, runner as wire};

use super::parse::UiLanguage;
use crate::error::ErrorResponse;
use crate::extract::{IdempotencyKey, ParsedBody, PathId};
use crate::reply::BareReply;

/// Create a run
///
/// The run does not start before `POST /runner/debates/{id}/start`.
#[utoipa::path(
    post, path = "/runner/debates", tag = "runner", operation_id = "runner_create",
    request_body = wire::CreateDebate,
    params(IdempotencyKeyHeader),
    responses(
        (status = 201, description = "The run was created", body = wire::Debate),
        (status = 200, description = "An earlier request with the same idempotency key and body \
            created the run; `Idempotent-Replayed: true`", body = wire::Debate),
        (status = 422, description = "A field is invalid (see `error.field`), or an earlier \
            request with another body used the idempotency key", body = wire::Failure),
    )
)]
pub(crate) async fn create(
    State(runner): State<Runner>,
    IdempotencyKey(key): IdempotencyKey,
    ParsedBody(new_run): ParsedBody<wire::CreateDebate>,
) -> Result<BareReply<wire::Debate>, ErrorResponse> {
    Ok(BareReply::for_creation(runner.create(new_run.topic, new_run.settings, key).await?))
}

/// Delete a run and its turns
///
/// Possible in every status. A running run stops, and its streams end with the reason
/// `debate_deleted`.
#[utoipa::path(
    delete, path = "/runner/debates/{id}", tag = "runner", operation_id = "runner_delete",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "The run was deleted"),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn delete(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
) -> Result<StatusCode, ErrorResponse> {
    runner.delete(run).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Start a run
///
/// Applies to runs with the status `created`, `stopped` or `failed`; clears `stop_reason` and
/// `last_error`. In any other status nothing changes and `enqueued` is false.
#[utoipa::path(
    post, path = "/runner/debates/{id}/start", tag = "runner", operation_id = "runner_start",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether the request started the run", body = wire::Enqueued),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn start(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<BareReply<wire::Enqueued>, ErrorResponse> {
    to_enqueued(runner.command(run, CommandRequest { command: Command::Start, ui_language }).await)
}

/// Resume a stopped or failed run
///
/// Same effect as `start`: applies to runs with the status `created`, `stopped` or `failed`.
#[utoipa::path(
    post, path = "/runner/debates/{id}/resume", tag = "runner", operation_id = "runner_resume",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether the request started the run", body = wire::Enqueued),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn resume(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<BareReply<wire::Enqueued>, ErrorResponse> {
    to_enqueued(runner.command(run, CommandRequest { command: Command::Resume, ui_language }).await)
}

/// Retry the failed turn of a run
///
/// Applies to runs with the status `failed`. In any other status nothing changes and `enqueued` is
/// false.
#[utoipa::path(
    post, path = "/runner/debates/{id}/retry", tag = "runner", operation_id = "runner_retry",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether the request started the run", body = wire::Enqueued),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn retry(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<BareReply<wire::Enqueued>, ErrorResponse> {
    to_enqueued(runner.command(run, CommandRequest { command: Command::Retry, ui_language }).await)
}

/// Stop a run after the turn in progress
///
/// The turn in progress is finished and saved; `resume` continues the run. In any status other
/// than `running` nothing changes.
#[utoipa::path(
    post, path = "/runner/debates/{id}/stop", tag = "runner", operation_id = "runner_stop",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "The run stops, or was not running"),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn stop(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
) -> Result<StatusCode, ErrorResponse> {
    to_no_content(runner.command(run, Command::Stop).await)
}

/// Cancel a run permanently
///
/// Aborts the call in progress. A cancelled run cannot be resumed. A completed run does not
/// change.
#[utoipa::path(
    post, path = "/runner/debates/{id}/cancel", tag = "runner", operation_id = "runner_cancel",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "The run is cancelled, or had ended before"),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn cancel(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
) -> Result<StatusCode, ErrorResponse> {
    to_no_content(runner.command(run, Command::Cancel).await)
}

/// The response to a command. A refused command is reported with `enqueued: false`.
fn to_enqueued<R>(
    commanded: Result<R, RunnerError>,
) -> Result<BareReply<wire::Enqueued>, ErrorResponse> {
    let reason = match commanded {
        Ok(_) => None,
        Err(RunnerError::Refused(refusal)) => Some(refusal.to_string()),
        Err(RunnerError::ModelWithoutPrice(unpriced)) => Some(unpriced.to_string()),
        Err(err) => return Err(err.into()),
    };
    Ok(BareReply::ok(wire::Enqueued { enqueued: reason.is_none(), reason }))
}

/// A refused command leaves the run in a state that the client accepts.
fn to_no_content<R>(commanded: Result<R, RunnerError>) -> Result<StatusCode, ErrorResponse> {
    match commanded {
        Ok(_) | Err(RunnerError::Refused(_)) => Ok(StatusCode::NO_CONTENT),
        Err(err) => Err(err.into()),
    }
}
