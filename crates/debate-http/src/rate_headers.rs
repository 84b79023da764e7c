//! The headers that describe a rate limit.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use debate_core::Admission;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Adds the headers to the response, if its request was counted.
pub(crate) fn with_limit(mut response: Response, admission: Option<&Admission>) -> Response {
    if let Some(admission) = admission {
        describe_limit(response.headers_mut(), admission);
    }
    response
}

/// Adds the headers unless the response already describes a stricter limit.
pub(crate) fn describe_limit(headers: &mut HeaderMap, admission: &Admission) {
    if headers.contains_key(LIMIT) {
        return;
    }
    headers.insert(LIMIT, HeaderValue::from(admission.quota.limit.count()));
    headers.insert(REMAINING, HeaderValue::from(admission.remaining));
    // In whole seconds, rounded up.
    let reset = admission.reset.as_millisecond().saturating_add(999) / 1000;
    headers.insert(RESET, HeaderValue::from(reset));
}
