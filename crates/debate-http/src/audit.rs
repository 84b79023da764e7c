//! The log of accepted writes, each with a mark of its actor: the peer's address, the user agent,
//! and short digests of its credentials. Rulings, interventions, deletions, changes of seats and
//! new login codes are logged at `info`, all other writes at `debug`.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts, Request};
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use debate_pages::Section;
use debate_wire::arena::{ARBITRATOR_HEADER, SEAT_HEADER};
use sha2::{Digest, Sha256};
use tracing::Level;

use crate::access::{bearer_token, query_token};
use crate::app_state::Settings;
use crate::error::ErrorFormat;
use crate::listener::PeerAddress;
use crate::pages::CookieKind;

/// The most characters of a user agent that are logged.
const USER_AGENT_LENGTH_MAX: usize = 200;

/// A prefix of the digested credential, so that the mark differs from every stored digest.
const MARK_PREFIX: &str = "aweave actor mark\n";

/// The last parts of the routes whose writes are logged by default, beside those of deletions.
const NOTABLE: [&str; 6] = ["ruling", "intervention", "rule", "intervene", "delete", "codes"];

/// The part before the last one in the routes of seats, whose changes are logged by default.
const SEATS: &str = "seats";

/// Withdrawing an upvote is not logged like other deletions.
const UPVOTE: &str = "upvote";

/// The origin of a request, as far as the server can tell. It has no `Debug`: it holds the
/// credential until it is logged as a mark.
pub(crate) struct RequestSource {
    peer: IpAddr,
    user_agent: Option<HeaderValue>,
    credential: Option<Credential>,
    /// The mark of the seat token or the arbitrator token.
    role_mark: Option<String>,
}

enum Credential {
    Token(String),
    Session(String),
}

impl RequestSource {
    fn new(
        settings: &Settings,
        extensions: &Extensions,
        headers: &HeaderMap,
        uri: &Uri,
        cookie: CookieKind,
    ) -> Self {
        let peer =
            extensions.get::<PeerAddress>().map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0);
        let token = bearer_token(headers).map(str::to_owned).or_else(|| query_token(uri.query()?));
        let session = || Some(Credential::Session(cookie.find_with_fallback(headers)?.to_owned()));
        Self {
            peer: settings.trusted_proxies.client(peer, headers),
            user_agent: headers.get(USER_AGENT).cloned(),
            credential: token.map(Credential::Token).or_else(session),
            role_mark: role_mark(headers),
        }
    }

    fn user_agent(&self) -> &str {
        let text = self.user_agent.as_ref().and_then(|value| value.to_str().ok()).unwrap_or("");
        text.get(..USER_AGENT_LENGTH_MAX).unwrap_or(text)
    }

    /// `token-` or `session-` and eight hexadecimal digits, or `none`.
    fn mark(&self) -> String {
        match &self.credential {
            None => "none".to_owned(),
            Some(Credential::Token(secret)) => format!("token-{}", digest(secret)),
            Some(Credential::Session(secret)) => format!("session-{}", digest(secret)),
        }
    }

    /// `arbitrator-` or `seat-` and eight hexadecimal digits, or `none`.
    fn role_mark(&self) -> &str {
        self.role_mark.as_deref().unwrap_or("none")
    }

    /// Logs a write that was accepted over a WebSocket.
    pub(crate) fn log_frame(&self, event: &str, debate: impl std::fmt::Display) {
        tracing::info!(
            actor.peer = %self.peer,
            actor.user_agent = self.user_agent(),
            actor.token = self.mark(),
            actor.role = self.role_mark(),
            write.method = event,
            write.path = format!("/debates/{debate}"),
            "write accepted"
        );
    }
}

impl<S> FromRequestParts<S> for RequestSource
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let settings = Arc::<Settings>::from_ref(state);
        Ok(Self::new(&settings, &parts.extensions, &parts.headers, &parts.uri, CookieKind::Session))
    }
}

/// The mark of the arbitrator token or, without one, of the seat token.
fn role_mark(headers: &HeaderMap) -> Option<String> {
    let mark = |kind: &str, name: &str| {
        let secret = headers.get(name)?.to_str().ok()?;
        Some(format!("{kind}-{}", digest(secret)))
    };
    mark("arbitrator", ARBITRATOR_HEADER).or_else(|| mark("seat", SEAT_HEADER))
}

/// The first eight hexadecimal digits of a digest.
fn digest(secret: &str) -> String {
    let digest = Sha256::digest(format!("{MARK_PREFIX}{secret}"));
    debate_wire::hex(digest.get(..4).unwrap_or_default())
}

/// A request that may write, kept until its response is known.
pub(crate) struct WriteAttempt {
    actor: RequestSource,
    method: Method,
    path: String,
    is_form: bool,
}

impl WriteAttempt {
    /// None for a request that only reads, and if writes are not logged.
    pub(crate) fn new(
        request: &Request,
        settings: &Settings,
        format: ErrorFormat,
    ) -> Option<Box<Self>> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        if is_read || !tracing::enabled!(Level::INFO) {
            return None;
        }
        let (is_form, cookie) = match format {
            ErrorFormat::Page(Section::Forum) => (true, CookieKind::ForumIdentity),
            ErrorFormat::Page(_) => (true, CookieKind::Session),
            ErrorFormat::Arena
            | ErrorFormat::Runner
            | ErrorFormat::Forum
            | ErrorFormat::PageOrArena => (false, CookieKind::Session),
        };
        let (headers, uri) = (request.headers(), request.uri());
        let actor = RequestSource::new(settings, request.extensions(), headers, uri, cookie);
        let (method, path) = (request.method().clone(), uri.path().to_owned());
        Some(Box::new(Self { actor, method, path, is_form }))
    }

    /// Logs the write, if it was accepted.
    pub(crate) fn log(&self, response: &Response, request_id: &HeaderValue) {
        if !self.is_accepted(response.status()) {
            return;
        }
        let Self { actor, method, path, is_form: _ } = self;
        macro_rules! log_at {
            ($level:expr) => {
                tracing::event!(
                    $level,
                    request.id = request_id.to_str().unwrap_or_default(),
                    actor.peer = %actor.peer,
                    actor.user_agent = actor.user_agent(),
                    actor.token = actor.mark(),
                    actor.role = actor.role_mark(),
                    write.method = %method,
                    write.path = path,
                    "write accepted"
                )
            };
        }
        let is_replay = response.headers().contains_key(REPLAYED);
        if !is_replay && is_notable(method, path) {
            log_at!(Level::INFO);
        } else {
            log_at!(Level::DEBUG);
        }
    }

    /// An accepted form redirects; a form that asks for confirmation first does not.
    fn is_accepted(&self, status: StatusCode) -> bool {
        if self.is_form { status == StatusCode::SEE_OTHER } else { status.is_success() }
    }
}

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

fn is_notable(method: &Method, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    NOTABLE.contains(&last)
        || parts.next() == Some(SEATS)
        || (*method == Method::DELETE && last != UPVOTE)
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::{digest, is_notable};

    #[test]
    fn rulings_interventions_deletions_and_seats_are_notable_and_other_writes_are_not() {
        for (method, path) in [
            (Method::POST, "/debates/x/ruling"),
            (Method::POST, "/debates/x/intervention"),
            (Method::DELETE, "/debates/x"),
            (Method::POST, "/debates/x/seats/opponent"),
            (Method::DELETE, "/debates/x/seats/opponent"),
            (Method::POST, "/session/codes"),
            (Method::DELETE, "/runner/debates/x"),
            (Method::DELETE, "/api/v1/problems/x"),
            (Method::POST, "/arena/x/rule"),
            (Method::POST, "/arena/x/intervene"),
            (Method::POST, "/runs/x/delete"),
        ] {
            assert!(is_notable(&method, path), "{method} {path}");
        }
        for (method, path) in [
            (Method::POST, "/debates"),
            (Method::POST, "/debates/x/arguments"),
            (Method::POST, "/debates/x/resolution"),
            (Method::DELETE, "/api/v1/solutions/x/debates/y/upvote"),
            (Method::POST, "/runner/debates/x/start"),
        ] {
            assert!(!is_notable(&method, path), "{method} {path}");
        }
    }

    #[test]
    fn mark_is_short_and_the_same_for_the_same_secret_only() {
        assert_eq!(digest("secret").len(), 8);
        assert_eq!(digest("secret"), digest("secret"));
        assert_ne!(digest("secret"), digest("secret "));
    }
}
