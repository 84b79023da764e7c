//! The credentials that each router accepts: the server's token, session cookies, or none.
//!
//! A revoked session counts as absent, and the streams of a session end when it is revoked.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::{RateLimiter, Sessions};
use debate_core::{Charge, Network, Quota, RateKey, RateLimit, SessionDigest};
use futures_util::StreamExt;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::{ErrorFormat, ErrorResponse};
use crate::events::EVENT_STREAM;
use crate::origin::{OriginRefusal, check_origin, preflight_response, single_header};
use crate::pages::session::SignedSessions;

/// The credentials that a router needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// None. The router may have credentials of its own.
    Open,
    /// The server's token in the `Authorization` header; for reads also a session.
    Token,
    /// The same, and the token may be in the query: a browser's WebSocket can send no header.
    TokenInQuery,
    /// The server's token or a session. Forms prove their origin, so a session may write.
    Page,
    /// None, but a session is recognised.
    OpenPage,
}

/// The rules of one router.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    pub(crate) access: Access,
    pub(crate) format: ErrorFormat,
}

/// The decision about a request before its sessions are looked up.
pub(crate) enum AccessCheck {
    Granted,
    /// The response does not depend on credentials: a refusal, or the answer to a preflight.
    Final(Response),
    /// A session may still give access; without one this is the response.
    NoToken(Response),
    /// The same, and the wrong token is counted for its network first.
    WrongToken(Response, ClientNetwork),
}

impl Policy {
    /// Grants access to a request that is meant for this server, comes from no foreign page and
    /// presents the token where one is needed.
    pub(crate) fn decide(self, request: &Request, settings: &Settings) -> AccessCheck {
        if let Err(refusal) = check_origin(request, &settings.hosts, &settings.origins) {
            return AccessCheck::Final(ErrorResponse::from(refusal).into_response());
        }
        // A browser sends no credential with the request for permission.
        if let Some(response) = preflight_response(request, &settings.origins) {
            return AccessCheck::Final(response);
        }
        match self.access.check_token(request, settings) {
            TokenCheck::Accepted => AccessCheck::Granted,
            TokenCheck::Missing => AccessCheck::NoToken(self.unauthorized(request)),
            TokenCheck::Wrong => {
                let network =
                    ClientNetwork::find(settings, request.extensions(), request.headers());
                AccessCheck::WrongToken(self.unauthorized(request), network)
            }
        }
    }

    /// A browser that opens a page is sent to the login page.
    fn unauthorized(self, request: &Request) -> Response {
        let is_page = matches!(self.format, ErrorFormat::Page(_));
        if is_page && is_read(request.method()) {
            return redirect_to_login("/login", request.uri());
        }
        ErrorResponse::unauthorized().into_response()
    }

    /// The signed sessions of a request, where the router accepts sessions.
    pub(crate) fn find_sessions(
        self,
        request: &Request,
        settings: &Settings,
        has_access: bool,
    ) -> SignedSessions {
        let is_accepted = match self.access {
            Access::Open => false,
            Access::Token | Access::TokenInQuery => is_read(request.method()) && !has_access,
            Access::Page | Access::OpenPage => true,
        };
        if !is_accepted {
            return SignedSessions::default();
        }
        SignedSessions::find(request.headers(), settings, Timestamp::now())
    }
}

enum TokenCheck {
    Accepted,
    Missing,
    Wrong,
}

impl Access {
    fn check_token(self, request: &Request, settings: &Settings) -> TokenCheck {
        let Some(token) = &settings.token else { return TokenCheck::Accepted };
        let query = match self {
            Self::Open | Self::OpenPage => return TokenCheck::Accepted,
            Self::Token | Self::Page => None,
            Self::TokenInQuery => request.uri().query(),
        };
        let is_right = token.is_in_header(request.headers())
            || query.is_some_and(|query| token.is_in_query(query));
        match (is_right, presents_token(request.headers(), query)) {
            (true, _) => TokenCheck::Accepted,
            (false, true) => TokenCheck::Wrong,
            (false, false) => TokenCheck::Missing,
        }
    }
}

impl From<OriginRefusal> for ErrorResponse {
    fn from(refusal: OriginRefusal) -> Self {
        match refusal {
            OriginRefusal::NoHost => Self::no_host(),
            OriginRefusal::UnknownHost => Self::unknown_host(),
            OriginRefusal::ForeignPage => Self::foreign_page(),
        }
    }
}

/// A redirect to a login page that leads back to `page` after the login.
pub(crate) fn redirect_to_login(login: &str, page: &Uri) -> Response {
    let page = page.path_and_query().map_or("/", |page| page.as_str());
    let page = utf8_percent_encode(page, NON_ALPHANUMERIC);
    Redirect::to(&format!("{login}?next={page}")).into_response()
}

/// The response, or a refusal as soon as the session is revoked. For requests that only read: a
/// write that has begun must not be abandoned.
pub(crate) async fn read_until_revoked(
    sessions: &Sessions,
    session: SessionDigest,
    response: impl Future<Output = Response>,
) -> Result<Response, ErrorResponse> {
    tokio::select! {
        response = response => Ok(response),
        () = sessions.wait_until_revoked(session) => Err(ErrorResponse::unauthorized()),
    }
}

/// Ends an event stream when the session that opened it is revoked. Other responses are short and
/// stay as they are.
pub(crate) fn end_on_revocation(
    response: Response,
    sessions: &Sessions,
    session: Option<SessionDigest>,
) -> Response {
    let is_stream =
        response.headers().get(CONTENT_TYPE) == Some(&HeaderValue::from_static(EVENT_STREAM));
    let Some(session) = session.filter(|_| is_stream) else { return response };
    let sessions = sessions.clone();
    let revoked = Box::pin(async move { sessions.wait_until_revoked(session).await });
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(revoked)))
}

/// A secret token. Only its SHA-256 digest is held, so that neither a log nor a crash dump can
/// reveal it. All comparisons take the same time for every presented text.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// The token with this text.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// The token with this digest. An agent's key is stored as such a digest.
    pub(crate) const fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Whether the request presents this token in its `Authorization` header.
    pub(crate) fn is_in_header(&self, headers: &HeaderMap) -> bool {
        bearer_token(headers).is_some_and(|presented| self.is(presented))
    }

    /// Whether the query presents this token in its parameter `token`.
    pub(crate) fn is_in_query(&self, query: &str) -> bool {
        query_token(query).is_some_and(|presented| self.is(&presented))
    }

    /// The HMAC-SHA256 of `text` under this token, as hexadecimal digits.
    pub(crate) fn sign(&self, text: &str) -> String {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0)
            .expect("HMAC accepts a key of any length");
        mac.update(text.as_bytes());
        debate_wire::hex(&mac.finalize().into_bytes())
    }

    /// Whether `presented` is the text of this token.
    pub(crate) fn is(&self, presented: &str) -> bool {
        self.is_same(&Self::new(presented))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether a request with this method only reads.
pub(crate) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The parameter `token` of a query.
pub(crate) fn query_token(query: &str) -> Option<String> {
    let presented = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    Some(percent_decode_str(presented).decode_utf8_lossy().into_owned())
}

/// Whether a request presents a token, right or wrong, in its header or in the given query.
pub(crate) fn presents_token(headers: &HeaderMap, query: Option<&str>) -> bool {
    headers.contains_key(AUTHORIZATION)
        || query.and_then(query_token).is_some_and(|token| !token.is_empty())
}

/// The token in the `Authorization` header, if the header is present once and has the scheme
/// `Bearer`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = single_header(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// The minimum time between two log lines.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Counts wrong tokens by network, and logs them.
pub(crate) struct WrongTokens {
    rate_limiter: RateLimiter,
    quota: Quota,
    log: Mutex<LogThrottle>,
}

/// The time of the last log line, and the number of wrong tokens since.
#[derive(Debug, Default)]
struct LogThrottle {
    written: Option<Instant>,
    unwritten: u64,
}

impl LogThrottle {
    /// Counts a wrong token. Returns the number of uncounted tokens if a log line is due.
    fn count(&mut self, now: Instant) -> Option<u64> {
        self.unwritten += 1;
        let is_due = self.written.is_none_or(|at| now.duration_since(at) >= LOG_INTERVAL);
        if !is_due {
            return None;
        }
        self.written = Some(now);
        Some(std::mem::take(&mut self.unwritten))
    }
}

impl WrongTokens {
    pub(crate) fn new(rate_limiter: RateLimiter, per_minute: RateLimit) -> Self {
        Self { rate_limiter, quota: Quota::per_minute(per_minute), log: Mutex::default() }
    }

    /// Counts a wrong token from `network`; an error if the network has sent too many. If counting
    /// fails, the token is refused like any wrong token.
    pub(crate) async fn count(&self, network: Network) -> Result<(), ErrorResponse> {
        self.note(network);
        let charge = Charge::new(RateKey::WrongTokens(network), self.quota);
        match self.rate_limiter.admit(&[charge]).await {
            Ok(Some(admission)) if admission.is_refused() => {
                Err(ErrorResponse::too_many_wrong_tokens(&admission))
            }
            Ok(_) => Ok(()),
            Err(err) => {
                tracing::debug!(error = %err, "counting a wrong token failed");
                Ok(())
            }
        }
    }

    fn note(&self, network: Network) {
        metrics::counter!("aw_wrong_tokens_total").increment(1);
        let due = self.log.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
        if let Some(count) = due {
            tracing::warn!(client.network = %network, token.count = count, "wrong tokens received");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_minute_counts_all_wrong_tokens() {
        let mut log = LogThrottle::default();
        let start = Instant::now();
        assert_eq!(log.count(start), Some(1), "the first at once");
        for second in 1..60 {
            assert_eq!(log.count(start + Duration::from_secs(second)), None);
        }
        assert_eq!(log.count(start + Duration::from_mins(1)), Some(60));
        assert_eq!(log.count(start + Duration::from_mins(1)), None);
    }
}
