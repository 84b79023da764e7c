//! What happens to every request, whatever it asks for.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::cors::CorsLayer;
use tracing::Instrument;
use uuid::Uuid;

use crate::admission::{self, Stranger};
use crate::edge::Settings;
use crate::problem::Problem;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The longest request id of a caller's own that is echoed.
const REQUEST_ID_LENGTH_MAX: usize = 64;

/// The one path that needs no token.
const OPEN_PATH: &str = "/health";

/// The one path that takes the token in its query: a browser's WebSocket can send no header.
const SOCKET_PATH: &str = "/ws";

/// Names the request, times it, counts it, and dresses whatever comes of it.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    // The route and never the address: what stands behind a question mark is nobody's business.
    let span = tracing::info_span!(
        "request",
        request.id = id.to_str().unwrap_or_default(),
        http.method = %method,
        http.route = route
    );
    let mut response = next.run(request).instrument(span.clone()).await;
    let took = started.elapsed();
    span.in_scope(|| {
        let (status, ms) = (response.status().as_u16(), took.as_millis());
        tracing::debug!(http.status = status, took.ms = ms, "answered");
    });
    let labels = [
        ("method", label(&method).to_owned()),
        ("route", route.to_owned()),
        ("status", response.status().as_u16().to_string()),
    ];
    metrics::counter!("aw_http_requests_total", &labels).increment(1);
    metrics::histogram!("aw_http_request_seconds").record(took);
    dress(response.headers_mut(), id);
    response
}

/// A client can invent methods; a label per invention would be memory it can take.
fn label(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS => method.as_str(),
        _ => "other",
    }
}

/// The caller's own id, if it is harmless, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let own = headers.get(X_REQUEST_ID).filter(|id| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_LENGTH_MAX
            && id
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    });
    own.cloned().unwrap_or_else(|| {
        HeaderValue::try_from(format!("req_{}", Uuid::now_v7().simple()))
            .expect("letters, digits and an underscore make a header value")
    })
}

fn dress(headers: &mut HeaderMap, id: HeaderValue) {
    headers.insert(X_REQUEST_ID, id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CORP, HeaderValue::from_static("same-origin"));
    headers.insert(COOP, HeaderValue::from_static("same-origin"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Lets in only what was meant for this server, and no foreign web page's requests.
pub(crate) async fn check_origin(
    State(settings): State<Arc<Settings>>,
    request: Request,
    next: Next,
) -> Response {
    match admission::check_origin(&request, &settings.hosts, &settings.origins) {
        Ok(()) => next.run(request).await,
        Err(Stranger::Host) => Problem::unknown_host().into_response(),
        Err(Stranger::Page) => Problem::foreign_page().into_response(),
    }
}

/// Lets in only who carries the token, if there is one.
pub(crate) async fn check_token(
    State(settings): State<Arc<Settings>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let in_query = request.uri().query().filter(|_| path == SOCKET_PATH);
    match &settings.token {
        Some(token)
            if path != OPEN_PATH
                && !token.is_carried_by(request.headers())
                && !in_query.is_some_and(|query| token.is_in_query(query)) =>
        {
            Problem::unauthorized().into_response()
        }
        Some(_) | None => next.run(request).await,
    }
}

/// Gives up on a plain request that takes too long. Streams are not held up by this: they have
/// answered by then and only their bodies go on.
pub(crate) async fn limit_time(
    State(settings): State<Arc<Settings>>,
    request: Request,
    next: Next,
) -> Response {
    match tokio::time::timeout(settings.request_timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::too_slow().into_response(),
    }
}

/// What a panic becomes: its details are in the log, not in the answer.
pub(crate) fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    Problem::internal().into_response()
}

/// Tells browsers that the listed pages may read answers; nothing when none is listed.
pub(crate) fn cors(settings: &Settings) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> =
        settings.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    (!origins.is_empty()).then(|| {
        CorsLayer::new()
            .allow_origin(origins)
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers([
                axum::http::header::AUTHORIZATION,
                axum::http::header::CONTENT_TYPE,
                X_REQUEST_ID,
            ])
            .expose_headers([X_REQUEST_ID, HeaderName::from_static("idempotent-replayed")])
    })
}
