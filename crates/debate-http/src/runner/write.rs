//! What changes a debate that runs itself.

use axum::extract::State;
use axum::http::StatusCode;
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::{Command, Order};
use debate_wire::{IdempotencyKeyHeader, runner as wire};

use super::ui_language::UiLanguage;
use crate::parsed::{InHeader, InPath, Parsed};
use crate::problem::Problem;
use crate::reply::Bare;

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
    InHeader(key): InHeader,
    Parsed(wish): Parsed<wire::CreateDebate>,
) -> Result<Bare<wire::Debate>, Problem> {
    Ok(Bare::created(runner.create(wish.topic, wish.settings, key).await?))
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
    InPath(run): InPath<RunId>,
) -> Result<StatusCode, Problem> {
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
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Start, ui_language }).await)
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
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Resume, ui_language }).await)
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
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Retry, ui_language }).await)
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
    InPath(run): InPath<RunId>,
) -> Result<StatusCode, Problem> {
    heeded(runner.command(run, Command::Stop).await)
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
    InPath(run): InPath<RunId>,
) -> Result<StatusCode, Problem> {
    heeded(runner.command(run, Command::Cancel).await)
}

/// Whether a debate runs by what was asked; a refusal is an answer like any other.
fn enqueued<R>(commanded: Result<R, RunnerError>) -> Result<Bare<wire::Enqueued>, Problem> {
    let reason = match commanded {
        Ok(_) => None,
        Err(RunnerError::Refused(refusal)) => Some(refusal.to_string()),
        Err(RunnerError::Unpriced(unpriced)) => Some(unpriced.to_string()),
        Err(err) => return Err(err.into()),
    };
    Ok(Bare::ok(wire::Enqueued { enqueued: reason.is_none(), reason }))
}

/// What does not run is stopped already, and what is over stays so.
fn heeded<R>(commanded: Result<R, RunnerError>) -> Result<StatusCode, Problem> {
    match commanded {
        Ok(_) | Err(RunnerError::Refused(_)) => Ok(StatusCode::NO_CONTENT),
        Err(err) => Err(err.into()),
    }
}
