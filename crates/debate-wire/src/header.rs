//! Request headers that several operations share.

use utoipa::IntoParams;

/// Position at which an event stream continues.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct LastEventIdHeader {
    /// The `id` of the last event that the client received. The stream continues after it. Browsers
    /// send this header when they reconnect.
    #[param(rename = "Last-Event-ID")]
    pub last_event_id: Option<String>,
}

/// Key that makes a request safe to retry.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IdempotencyKeyHeader {
    /// Idempotency key, 1 to 200 printable characters. A repeated request with the same key and
    /// body returns the first response with the header `Idempotent-Replayed: true`; with another
    /// body it fails with 422. Without a key every request creates a new item.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
}
