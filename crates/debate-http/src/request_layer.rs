//! The layer around every router: request id, access, time limit, error format, headers, log and
//! metrics.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL,
    CONTENT_SECURITY_POLICY, ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::Sessions;
use debate_core::Admission;
use futures_util::FutureExt;
use futures_util::future::Either;
use tracing::{Instrument, Span};
use uuid::Uuid;

use crate::access::{
    AccessCheck, Policy, WrongTokens, end_on_revocation, is_read, read_until_revoked,
};
use crate::app_state::Settings;
use crate::audit::WriteAttempt;
use crate::client::ClientNetwork;
use crate::compression;
use crate::error::ErrorResponse;
use crate::pages::session::SignedSessions;
use crate::paths::BasePath;

/// The state of the layer around one router.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) policy: Policy,
    pub(crate) settings: Arc<Settings>,
    pub(crate) wrong_tokens: Arc<WrongTokens>,
    pub(crate) sessions: Sessions,
}

/// Handles a request of one router. Everything is in one layer, and decided before anything is
/// awaited: each box, and each request that is held until its response, costs memory for each of
/// ten thousand waiting clients.
pub(crate) fn handle(
    State(guard): State<Guard>,
    request: Request,
    next: Next,
) -> impl Future<Output = Response> + Send {
    let context = RequestContext::new(&request, &guard);
    let (policy, settings) = (context.policy, &guard.settings);
    // Decided at once, so that the request is not held beside its response.
    let decision = policy.decide(&request, settings);
    let sessions = match decision {
        AccessCheck::Granted => policy.find_sessions(&request, settings, true),
        AccessCheck::NoToken(_) | AccessCheck::WrongToken(..) => {
            policy.find_sessions(&request, settings, false)
        }
        AccessCheck::Final(_) => SignedSessions::default(),
    };
    let response = if sessions.is_empty() {
        Either::Left(proceed(&guard, decision, request, next))
    } else {
        // Boxed, so that browsers' requests add nothing to the size of the others.
        Either::Right(Box::pin(proceed_with_session(guard, sessions, decision, request, next)))
    };
    let response = CURRENT_ID.scope(context.id.clone(), response);
    response.instrument(context.span.clone()).map(move |response| context.finish(response))
}

/// Passes a request with access on, and refuses others.
fn proceed(
    guard: &Guard,
    decision: AccessCheck,
    request: Request,
    next: Next,
) -> impl Future<Output = Response> + Send + use<> {
    match decision {
        AccessCheck::Granted => {
            Either::Right(within_time_limit(next.run(request), guard.settings.request_timeout))
        }
        AccessCheck::Final(response) | AccessCheck::NoToken(response) => {
            Either::Left(Either::Left(std::future::ready(response)))
        }
        AccessCheck::WrongToken(response, ClientNetwork(network)) => {
            let wrong_tokens = Arc::clone(&guard.wrong_tokens);
            // Boxed, so that the rare case adds nothing to the size of the others.
            Either::Left(Either::Right(Box::pin(async move {
                let counted = wrong_tokens.count(network).await;
                counted.map_or_else(IntoResponse::into_response, |()| response)
            })))
        }
    }
}

/// The same for a request with session cookies: a session that is not revoked gives access.
async fn proceed_with_session(
    guard: Guard,
    signed: SignedSessions,
    decision: AccessCheck,
    mut request: Request,
    next: Next,
) -> Response {
    let is_only_credential = !matches!(decision, AccessCheck::Granted);
    let session = match signed.find_active(&guard.sessions, is_only_credential).await {
        Ok(Some(session)) => session,
        Ok(None) => return proceed(&guard, decision, request, next).await,
        Err(err) => return ErrorResponse::from(err).into_response(),
    };
    let digest = session.digest;
    request.extensions_mut().insert(session);
    let is_read = is_read(request.method());
    let response = proceed(&guard, AccessCheck::Granted, request, next);
    let response = if is_read && is_only_credential {
        let response = read_until_revoked(&guard.sessions, digest, response).await;
        response.unwrap_or_else(IntoResponse::into_response)
    } else {
        response.await
    };
    end_on_revocation(response, &guard.sessions, Some(digest))
}

/// The response, or an error if it takes too long or its handler panics. A stream has responded
/// before its body goes on, so the limit does not apply to its body.
fn within_time_limit(
    response: impl Future<Output = Response> + Send,
    limit: Duration,
) -> impl Future<Output = Response> + Send {
    let response = AssertUnwindSafe(response).catch_unwind();
    tokio::time::timeout(limit, response).map(|outcome| match outcome {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            // The panic's message is on standard error.
            tracing::error!(request.id = current_request_id(), "request handler panicked");
            ErrorResponse::internal().into_response()
        }
        Err(_) => ErrorResponse::too_slow().into_response(),
    })
}

/// The parts of a request that its response depends on.
struct RequestContext {
    started: Instant,
    id: HeaderValue,
    /// The client's id for a chain of requests, if it sent a valid one.
    correlation_id: Option<HeaderValue>,
    method: Method,
    /// The router's policy, with the error format that this client gets.
    policy: Policy,
    route: Option<MatchedPath>,
    /// The origin of the calling page, if it is one that may read the response.
    allowed_origin: Option<HeaderValue>,
    accepts_gzip: bool,
    /// The entry of the audit log, if the request writes.
    attempt: Option<Box<WriteAttempt>>,
    base_path: BasePath,
    span: Span,
}

impl RequestContext {
    fn new(request: &Request, guard: &Guard) -> Self {
        let (headers, settings) = (request.headers(), &guard.settings);
        let correlation_id = sent_id(headers, &X_CORRELATION_ID);
        let id = sent_id(headers, &X_REQUEST_ID);
        let id = id.or_else(|| correlation_id.clone()).unwrap_or_else(new_request_id);
        let origin = headers.get(ORIGIN).filter(|origin| settings.origins.allows(origin));
        let method = request.method().clone();
        let route = request.extensions().get::<MatchedPath>().cloned();
        // The route and never the address, whose query may hold secrets. At `debug`, because at
        // the default level every request would pay for it; errors are logged with the request id.
        let span = tracing::debug_span!(
            "request",
            request.id = id.to_str().unwrap_or_default(),
            http.method = %method,
            http.route = route_label(route.as_ref())
        );
        let format = guard.policy.format.for_client(headers);
        let policy = Policy { format, ..guard.policy };
        Self {
            started: Instant::now(),
            id,
            correlation_id,
            accepts_gzip: compression::is_accepted(&method, headers),
            method,
            policy,
            route,
            allowed_origin: origin.cloned(),
            attempt: WriteAttempt::new(request, settings, policy.format),
            base_path: settings.base_path.clone(),
            span,
        }
    }

    fn finish(self, response: Response) -> Response {
        let duration = self.started.elapsed();
        let mut response = self.policy.format.render(response, &self.id, &self.base_path);
        self.span.in_scope(|| {
            let (status, ms) = (response.status().as_u16(), duration.as_millis());
            tracing::debug!(http.status = status, request.duration_ms = ms, "request finished");
        });
        if let Some(attempt) = &self.attempt {
            attempt.log(&response, &self.id);
        }
        let labels = [
            ("method", method_label(&self.method).to_owned()),
            ("route", route_label(self.route.as_ref()).to_owned()),
            ("status", response.status().as_u16().to_string()),
        ];
        metrics::counter!("aw_http_requests_total", &labels).increment(1);
        metrics::histogram!("aw_http_request_seconds").record(duration);
        let correlation_id = self.correlation_id.unwrap_or_else(|| self.id.clone());
        response.headers_mut().insert(X_CORRELATION_ID, correlation_id);
        self.base_path.prefix_headers(response.headers_mut());
        add_response_headers(response.headers_mut(), self.id, self.allowed_origin);
        compression::compress(response, self.accepts_gzip)
    }
}

fn route_label(route: Option<&MatchedPath>) -> &str {
    route.map_or("none", MatchedPath::as_str)
}

/// A client can invent methods; a label for each would be unbounded memory.
fn method_label(method: &Method) -> &str {
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

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const X_CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The longest id of a client that the server repeats.
const LENGTH_MAX: usize = 64;

tokio::task_local! {
    /// The id of the request that this task handles.
    pub(crate) static CURRENT_ID: HeaderValue;
}

/// The id of the request that this task handles; empty outside a request.
pub(crate) fn current_request_id() -> String {
    CURRENT_ID.try_with(id_to_text).unwrap_or_default()
}

/// Runs a part of the current request to its end, even if the client disconnects.
pub(crate) async fn run_to_end<T: Send + 'static>(
    part: impl Future<Output = T> + Send + 'static,
) -> T {
    let part = part.instrument(Span::current());
    let task = match CURRENT_ID.try_with(HeaderValue::clone) {
        Ok(id) => tokio::spawn(CURRENT_ID.scope(id, part)),
        Err(_) => tokio::spawn(part),
    };
    task.await.unwrap_or_else(|err| std::panic::resume_unwind(err.into_panic()))
}

/// An id consists of ASCII letters, digits and a few signs, so this loses nothing.
pub(crate) fn id_to_text(id: &HeaderValue) -> String {
    id.to_str().unwrap_or_default().to_owned()
}

/// The id that the client sent in this header, if the server may repeat it.
pub(crate) fn sent_id(headers: &HeaderMap, name: &HeaderName) -> Option<HeaderValue> {
    let sent = headers.get(name).filter(|id| {
        !id.is_empty()
            && id.len() <= LENGTH_MAX
            && id
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    });
    sent.cloned()
}

pub(crate) fn new_request_id() -> HeaderValue {
    HeaderValue::try_from(format!("req_{}", Uuid::now_v7().simple()))
        .expect("letters, digits and an underscore make a header value")
}

const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The response headers that a page of an allowed origin may read.
const READABLE_HEADERS: &str = "x-request-id, x-correlation-id, idempotent-replayed, link, \
     retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

/// Adds the request id, the security headers and, for a page of an allowed origin, permission to
/// read the response.
fn add_response_headers(
    headers: &mut HeaderMap,
    id: HeaderValue,
    allowed_origin: Option<HeaderValue>,
) {
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
