//! Figures for Prometheus.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::edge::Edge;

/// Figures for Prometheus
#[utoipa::path(
    get, path = "/metrics", tag = "system",
    responses((status = 200, description = "The text format of Prometheus", body = String))
)]
pub(crate) async fn metrics(State(edge): State<Edge>) -> Response {
    gauge("aw_waiters", edge.hub.waiters());
    gauge("aw_waited_on_debates", edge.hub.debates());
    gauge("aw_storage_healthy", usize::from(edge.storage.status().trouble.is_none()));
    let mut response = edge.metrics.render().into_response();
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

fn gauge(name: &'static str, value: usize) {
    metrics::gauge!(name).set(f64::from(u32::try_from(value).unwrap_or(u32::MAX)));
}
