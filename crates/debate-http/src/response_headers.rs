//! Headers that every response has, headers of cross-origin requests (CORS), and headers that
//! describe a rate limit.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, CACHE_CONTROL,
    CONTENT_SECURITY_POLICY, ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_core::Admission;

use crate::origin::AllowedOrigins;
use crate::request_id::X_REQUEST_ID;

const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The request headers that a page of an allowed origin may send.
const SENDABLE_HEADERS: &str = "authorization, content-type, idempotency-key, last-event-id, \
     x-correlation-id, x-request-id, x-ui-language";

/// The response headers that a page of an allowed origin may read.
const READABLE_HEADERS: &str = "x-request-id, x-correlation-id, idempotent-replayed, link, \
     retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

/// The response to a preflight request from an allowed origin; none for other requests.
pub(crate) fn preflight_response(request: &Request, origins: &AllowedOrigins) -> Option<Response> {
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && request.headers().get(ORIGIN).is_some_and(|origin| origins.allows(origin));
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENDABLE_HEADERS),
    ];
    is_preflight.then(|| (StatusCode::NO_CONTENT, headers).into_response())
}

/// Adds the request id, the security headers and, for a page of an allowed origin, permission to
/// read the response.
pub(crate) fn add(headers: &mut HeaderMap, id: HeaderValue, allowed_origin: Option<HeaderValue>) {
    if let Some(origin) = allowed_origin {
        let exposed = HeaderValue::from_static(READABLE_HEADERS);
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
    headers.insert(X_REQUEST_ID, id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers.insert(CORP, HeaderValue::from_static("same-origin"));
    headers.insert(COOP, HeaderValue::from_static("same-origin"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Adds the headers of a rate limit to the response, if its request was counted.
pub(crate) fn with_limit(mut response: Response, admission: Option<&Admission>) -> Response {
    if let Some(admission) = admission {
        describe_limit(response.headers_mut(), admission);
    }
    response
}

/// Adds the headers of a rate limit unless the response already describes a stricter limit.
pub(crate) fn describe_limit(headers: &mut HeaderMap, admission: &Admission) {
    if headers.contains_key(RATE_LIMIT) {
        return;
    }
    headers.insert(RATE_LIMIT, HeaderValue::from(admission.quota.limit.count()));
    headers.insert(RATE_REMAINING, HeaderValue::from(admission.remaining));
    // In whole seconds, rounded up.
    let reset = admission.reset.as_millisecond().saturating_add(999) / 1000;
    headers.insert(RATE_RESET, HeaderValue::from(reset));
}
