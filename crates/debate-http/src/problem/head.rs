//! Problems of a request's head: nothing of its body was read.

use axum::http::StatusCode;
use debate_wire::ErrorCode;

use super::Problem;

/// The field that names a wrong Host header: a fault of the request's head, never of its body.
pub(super) const HOST: &str = "Host";

impl Problem {
    /// The Host header is absent, empty or repeated.
    pub(crate) fn no_host() -> Self {
        let message = "the `Host` header must be given exactly once";
        Self::invalid(HOST, message).suggesting("send the server's address in the Host header")
    }

    /// The body is compressed, and the server decompresses nothing.
    pub(crate) fn encoded_body() -> Self {
        let message = "the body must not be compressed";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, message)
            .suggesting("send the body without the header Content-Encoding")
    }
}
