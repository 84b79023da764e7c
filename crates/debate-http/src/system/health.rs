//! The server's health.

use axum::extract::State;
use debate_wire::{Failure, Health, HealthStatus, Success};

use crate::edge::Edge;
use crate::problem::Problem;
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
pub(crate) async fn health(State(edge): State<Edge>) -> Result<Reply<Health>, Problem> {
    let status = edge.storage.status();
    if let Some(trouble) = status.trouble {
        return Err(Problem::unwell(&trouble));
    }
    Ok(Reply::ok(Health {
        status: HealthStatus::Ok,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        storage: status.engine,
        uptime_seconds: edge.started.elapsed().as_secs(),
        damaged: status.damaged,
    }))
}
