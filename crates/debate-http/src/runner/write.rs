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

/// Make a debate; `start` runs it
#[utoipa::path(
    post, path = "/runner/debates", tag = "runner", operation_id = "runner_create",
    request_body = wire::CreateDebate,
    params(IdempotencyKeyHeader),
    responses(
        (status = 201, description = "Made", body = wire::Debate),
        (status = 200, description = "Made before, by the same request; `Idempotent-Replayed: \
            true`", body = wire::Debate),
        (status = 422, description = "The field that is named makes no sense, or the key named \
            another request", body = wire::Failure),
    )
)]
pub(crate) async fn create(
    State(runner): State<Runner>,
    InHeader(key): InHeader,
    Parsed(wish): Parsed<wire::CreateDebate>,
) -> Result<Bare<wire::Debate>, Problem> {
    Ok(Bare::created(runner.create(wish.topic, wish.settings, key).await?))
}

/// Forget a debate and all that was said in it, also while it runs
#[utoipa::path(
    delete, path = "/runner/debates/{id}", tag = "runner", operation_id = "runner_delete",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "Gone"),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn delete(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
) -> Result<StatusCode, Problem> {
    runner.delete(run).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run a debate that was created, stopped, or has failed
#[utoipa::path(
    post, path = "/runner/debates/{id}/start", tag = "runner", operation_id = "runner_start",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether it will run by this", body = wire::Enqueued),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn start(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Start, ui_language }).await)
}

/// Go on with a debate that was created, stopped, or has failed
#[utoipa::path(
    post, path = "/runner/debates/{id}/resume", tag = "runner", operation_id = "runner_resume",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether it will run by this", body = wire::Enqueued),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn resume(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Resume, ui_language }).await)
}

/// Try the turn again at which a debate has failed
#[utoipa::path(
    post, path = "/runner/debates/{id}/retry", tag = "runner", operation_id = "runner_retry",
    params(wire::DebatePath, wire::CommandHeaders),
    responses(
        (status = 200, description = "Whether it will run by this", body = wire::Enqueued),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn retry(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    UiLanguage(ui_language): UiLanguage,
) -> Result<Bare<wire::Enqueued>, Problem> {
    enqueued(runner.command(run, Order { command: Command::Retry, ui_language }).await)
}

/// Stop a debate that runs; the turn in flight is kept
#[utoipa::path(
    post, path = "/runner/debates/{id}/stop", tag = "runner", operation_id = "runner_stop",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "It stops, or does not run anyhow"),
        (status = 404, description = "No such debate", body = wire::Failure),
    )
)]
pub(crate) async fn stop(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
) -> Result<StatusCode, Problem> {
    heeded(runner.command(run, Command::Stop).await)
}

/// Give a debate up for good; the call in flight is broken off
#[utoipa::path(
    post, path = "/runner/debates/{id}/cancel", tag = "runner", operation_id = "runner_cancel",
    params(wire::DebatePath),
    responses(
        (status = 204, description = "It is canceled, or was over before"),
        (status = 404, description = "No such debate", body = wire::Failure),
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
