//! Request headers with a meaning of their own.

use utoipa::IntoParams;

/// Position of a follower that connects again.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct LastEventIdHeader {
    /// The id of the last event received. Browsers send it when they reconnect.
    #[param(rename = "Last-Event-ID")]
    pub last_event_id: Option<String>,
}

/// Name of a request that may be sent again.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IdempotencyKeyHeader {
    /// The client's name for this request: 1 to 200 printable characters. The same name with the
    /// same body is a retry and returns the first answer; with another body it is refused.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
}
