//! What happens to every request, whatever it asks for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, CACHE_CONTROL,
    CONTENT_SECURITY_POLICY, ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::Sessions;
use futures_util::FutureExt;
use futures_util::future::Either;
use tracing::{Instrument, Span};

use crate::admission::{self, Stranger, is_read};
use crate::audit::Attempt;
use crate::client::ClientNetwork;
use crate::compression;
use crate::edge::Settings;
use crate::paths::BasePath;
use crate::problem::{Family, Problem};
use crate::request_id::{
    CURRENT, RequestId, X_CORRELATION_ID, X_REQUEST_ID, current, new_request_id, sent_id,
};
use crate::session_access::{end_on_revocation, find_sessions, read_until_revoked};
use crate::web::session::{self, ActiveSession, SignedSession};
use crate::web::{self, Face};
use crate::wrong_tokens::WrongTokens;

const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What a foreign page that may call can send, and what it can read.
const SENDABLE_HEADERS: &str = "authorization, content-type, idempotency-key, last-event-id, \
     x-correlation-id, x-request-id, x-ui-language";
const READABLE_HEADERS: &str = "x-request-id, x-correlation-id, idempotent-replayed, link, \
     retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

/// The one path beside the door's that needs no token.
pub(crate) const OPEN_PATHS: [&str; 2] = ["/health", "/proof"];

/// The one path that takes the token in its query: a browser's WebSocket can send no header.
const SOCKET_PATH: &str = "/ws";

/// Names the request, times it, counts it, and dresses whatever comes of it. All in one layer, and
/// decided before anything is awaited: each box and each request kept beside its answer is memory
/// that ten thousand waiting clients pay.
pub(crate) fn around(
    State(gate): State<Gate>,
    mut request: Request,
    next: Next,
) -> impl Future<Output = Response> + Send {
    let seen = Seen::of(&request, &gate.settings);
    // Decided on the spot, so that the request's own room is not kept beside its answer's.
    let access = check(&request, &gate.settings, seen.face);
    let sessions = match access {
        Access::Granted => find_sessions(&request, &gate.settings, true),
        Access::NoToken(_) | Access::WrongToken(..) => {
            find_sessions(&request, &gate.settings, false)
        }
        Access::Refused(_) => Vec::new(),
    };
    if seen.family == Family::Forum {
        // Its answers say it in their bodies as well.
        request.extensions_mut().insert(RequestId(seen.id.clone()));
    }
    let answer = if sessions.is_empty() {
        Either::Left(proceed(&gate, access, request, next))
    } else {
        // Boxed, so that browsers' requests add nothing to the size of the others.
        Either::Right(Box::pin(proceed_with_session(gate, sessions, access, request, next)))
    };
    let answer = CURRENT.scope(seen.id.clone(), answer);
    answer.instrument(seen.span.clone()).map(move |response| seen.finish(response))
}

/// Passes a request on that has access, and refuses others.
fn proceed(
    gate: &Gate,
    access: Access,
    request: Request,
    next: Next,
) -> impl Future<Output = Response> + Send + use<> {
    match access {
        Access::Granted => {
            Either::Right(answered(next.run(request), gate.settings.request_timeout))
        }
        Access::Refused(refusal) | Access::NoToken(refusal) => {
            Either::Left(Either::Left(std::future::ready(refusal)))
        }
        Access::WrongToken(refusal, ClientNetwork(network)) => {
            let wrong_tokens = Arc::clone(&gate.wrong_tokens);
            // Boxed, so that the rare case adds nothing to the size of the others.
            Either::Left(Either::Right(Box::pin(async move {
                let counted = wrong_tokens.count(network).await;
                counted.map_or_else(IntoResponse::into_response, |()| refusal)
            })))
        }
    }
}

/// The same for a request with session cookies: one that is not revoked gives access.
async fn proceed_with_session(
    gate: Gate,
    signed: Vec<SignedSession>,
    access: Access,
    mut request: Request,
    next: Next,
) -> Response {
    let digest = match session::find_active(&gate.sessions, &signed).await {
        Ok(Some(digest)) => digest,
        Ok(None) => return proceed(&gate, access, request, next).await,
        Err(err) => return Problem::from(err).into_response(),
    };
    let is_only_credential = !matches!(access, Access::Granted);
    request.extensions_mut().insert(ActiveSession { digest, is_only_credential });
    let is_read = is_read(request.method());
    let response = proceed(&gate, Access::Granted, request, next);
    let response = if is_read && is_only_credential {
        let response = read_until_revoked(&gate.sessions, digest, response).await;
        response.unwrap_or_else(IntoResponse::into_response)
    } else {
        response.await
    };
    end_on_revocation(response, &gate.sessions, Some(digest))
}

/// What is remembered of a request while it is answered.
struct Seen {
    started: Instant,
    id: HeaderValue,
    /// The caller's name for a chain of requests, if it sent one that may be repeated.
    correlation_id: Option<HeaderValue>,
    method: Method,
    family: Family,
    route: Option<MatchedPath>,
    /// The foreign page that asked, where it is one that may read the answer.
    page: Option<HeaderValue>,
    face: Face,
    /// Whether the client takes the response in gzip.
    is_gzip_wanted: bool,
    /// What to log if the request turns out to have written something.
    attempt: Option<Box<Attempt>>,
    base_path: BasePath,
    span: Span,
}

impl Seen {
    fn of(request: &Request, settings: &Settings) -> Self {
        let headers = request.headers();
        let correlation_id = sent_id(headers, &X_CORRELATION_ID);
        let id = sent_id(headers, &X_REQUEST_ID);
        let id = id.or_else(|| correlation_id.clone()).unwrap_or_else(new_request_id);
        let page = headers.get(ORIGIN).filter(|page| settings.origins.allows(page)).cloned();
        let method = request.method().clone();
        let family = Family::of(request.uri().path());
        let route = request.extensions().get::<MatchedPath>().cloned();
        // The route and never the address: what stands behind a question mark is nobody's
        // business. Below what is logged by default: every request would pay for writing it
        // down, and what goes wrong is logged with the request's name anyway.
        let span = tracing::debug_span!(
            "request",
            request.id = id.to_str().unwrap_or_default(),
            http.method = %method,
            http.route = name(route.as_ref())
        );
        let face = Face::of(request);
        let is_gzip_wanted = compression::is_wanted(&method, headers);
        let started = Instant::now();
        Self {
            started,
            id,
            correlation_id,
            method,
            family,
            route,
            page,
            face,
            is_gzip_wanted,
            attempt: Attempt::of(request, settings),
            base_path: settings.base_path.clone(),
            span,
        }
    }

    fn finish(self, response: Response) -> Response {
        let took = self.started.elapsed();
        let response = self.face.show(response, &self.base_path);
        let mut response = self.family.retold(response, &self.id);
        self.span.in_scope(|| {
            let (status, ms) = (response.status().as_u16(), took.as_millis());
            tracing::debug!(http.status = status, request.duration_ms = ms, "request finished");
        });
        if let Some(attempt) = &self.attempt {
            attempt.log(&response, &self.id);
        }
        let labels = [
            ("method", label(&self.method).to_owned()),
            ("route", name(self.route.as_ref()).to_owned()),
            ("status", response.status().as_u16().to_string()),
        ];
        metrics::counter!("aw_http_requests_total", &labels).increment(1);
        metrics::histogram!("aw_http_request_seconds").record(took);
        let correlation_id = self.correlation_id.unwrap_or_else(|| self.id.clone());
        response.headers_mut().insert(X_CORRELATION_ID, correlation_id);
        self.base_path.prefix_headers(response.headers_mut());
        dress(response.headers_mut(), self.id, self.page);
        compression::compress(response, self.is_gzip_wanted)
    }
}

fn name(route: Option<&MatchedPath>) -> &str {
    route.map_or("none", MatchedPath::as_str)
}

/// What the outermost layer needs.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) settings: Arc<Settings>,
    pub(crate) wrong_tokens: Arc<WrongTokens>,
    pub(crate) sessions: Sessions,
}

/// Whether a request goes any further without a session.
enum Access {
    Granted,
    /// No credential would help.
    Refused(Response),
    NoToken(Response),
    /// It presents a token that is not the server's. The network's wrong tokens are counted first.
    WrongToken(Response, ClientNetwork),
}

/// Only a request that was meant for this server, from no foreign page, with the token if there is
/// one, goes further.
fn check(request: &Request, settings: &Settings, face: Face) -> Access {
    match admission::check_origin(request, &settings.hosts, &settings.origins) {
        Ok(()) => {}
        Err(Stranger::NoHost) => return Access::Refused(Problem::no_host().into_response()),
        Err(Stranger::Host) => return Access::Refused(Problem::unknown_host().into_response()),
        Err(Stranger::Page) => return Access::Refused(Problem::foreign_page().into_response()),
    }
    // What a browser asks before it lets a page send something carries no token.
    if is_preflight(request, settings) {
        return Access::Refused(may_send());
    }
    match find_token(request, settings) {
        Presented::Enough => Access::Granted,
        Presented::Nothing => Access::NoToken(face.turned_away(request)),
        Presented::Wrong => {
            let network = ClientNetwork::find(settings, request.extensions(), request.headers());
            Access::WrongToken(face.turned_away(request), network)
        }
    }
}

/// The answer, or why there is none in time. Streams are not held up by this: they have answered
/// by then and only their bodies go on.
fn answered(
    answer: impl Future<Output = Response> + Send,
    most: Duration,
) -> impl Future<Output = Response> + Send {
    let answer = AssertUnwindSafe(answer).catch_unwind();
    tokio::time::timeout(most, answer).map(|outcome| match outcome {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            // The panic's own words are on standard error by now.
            tracing::error!(request.id = current(), "request handler panicked");
            Problem::internal().into_response()
        }
        Err(_) => Problem::too_slow().into_response(),
    })
}

/// What a request presents of what it needs.
enum Presented {
    Enough,
    Nothing,
    Wrong,
}

fn find_token(request: &Request, settings: &Settings) -> Presented {
    let path = request.uri().path();
    let Some(token) = &settings.token else { return Presented::Enough };
    // The forum has keys of its own.
    if OPEN_PATHS.contains(&path) || web::is_open(path) || Family::of(path) == Family::Forum {
        return Presented::Enough;
    }
    let query = request.uri().query().filter(|_| path == SOCKET_PATH);
    let is_right = token.is_carried_by(request.headers())
        || query.is_some_and(|query| token.is_in_query(query));
    match (is_right, admission::presents_token(request.headers(), query)) {
        (true, _) => Presented::Enough,
        (false, true) => Presented::Wrong,
        (false, false) => Presented::Nothing,
    }
}

fn is_preflight(request: &Request, settings: &Settings) -> bool {
    let page = request.headers().get(ORIGIN);
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && page.is_some_and(|page| settings.origins.allows(page))
}

fn may_send() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENDABLE_HEADERS),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
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

/// `page` is the foreign page that asked, where it is one that may read the answer.
fn dress(headers: &mut HeaderMap, id: HeaderValue, page: Option<HeaderValue>) {
    if let Some(page) = page {
        let exposed = HeaderValue::from_static(READABLE_HEADERS);
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
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
