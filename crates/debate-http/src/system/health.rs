//! The server's health.

use axum::extract::State;
use debate_wire::{Failure, Health, HealthStatus, Success};

use crate::app_state::Services;
use crate::error::ErrorResponse;
use crate::reply::Reply;

/// Check the health of the server
///
/// Reports whether the server accepts writes. Needs no token.
#[utoipa::path(
    get, path = "/health", tag = "system", security(()),
    responses(
        (status = 200, description = "The server accepts writes", body = Success<Health>),
        (status = 503, description = "The server does not accept writes; see `error.code`",
            body = Failure),
    )
)]
pub(crate) async fn health(
    State(services): State<Services>,
) -> Result<Reply<Health>, ErrorResponse> {
    let status = services.storage.status();
    if let Some(error) = status.failure {
        return Err(ErrorResponse::unhealthy(&error));
    }
    Ok(Reply::ok(Health {
        status: HealthStatus::Ok,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        storage: status.engine,
        uptime_seconds: services.started.elapsed().as_secs(),
        damaged: status.damaged,
    }))
}
