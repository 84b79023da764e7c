//! Metrics for Prometheus.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use super::process;
use crate::app_state::Services;

/// Read the metrics for Prometheus
///
/// Needs the server's token if the server has one.
#[utoipa::path(
    get, path = "/metrics", tag = "system",
    responses((status = 200, description = "Metrics in the Prometheus text format", body = String))
)]
pub(crate) async fn metrics(State(services): State<Services>) -> Response {
    gauge("aw_waiters", services.notifier.waiter_count());
    gauge("aw_waited_on_debates", services.notifier.watched_count());
    gauge("aw_sockets", services.sockets.open_count());
    let storage = services.storage.status();
    gauge("aw_storage_healthy", usize::from(storage.failure.is_none()));
    metrics::gauge!("aw_damaged_debates").set(to_float(storage.damaged));
    if let Some(bytes) = storage.wal_bytes {
        metrics::gauge!("aw_wal_bytes").set(to_float(bytes));
    }
    let mut response = (services.metrics.render() + &process::render()).into_response();
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

/// Exact up to 2^53.
fn to_float(number: u64) -> f64 {
    let half = |bits: u64| f64::from(u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX));
    half(number >> 32).mul_add(4_294_967_296.0, half(number))
}

fn gauge(name: &'static str, value: usize) {
    metrics::gauge!(name).set(f64::from(u32::try_from(value).unwrap_or(u32::MAX)));
}
