//! The cookies of the pages. A session cookie is a signed value that every server with the same
//! token can check, and that only holders of the token can make. A session needs no stored state,
//! so it outlives restarts and works behind a load balancer; another token ends every session. Only
//! sessions that are ended early are stored, as revoked.
//!
//! The server's token signs sessions that give access to the pages. The arbitrator token signs
//! sessions that have arbitrator rights on debates with seats as well.

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use debate_app::{Sessions, StoreError};
use debate_core::SessionDigest;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::access::Token;
use crate::app_state::Settings;

/// The lifetime of a session.
pub(crate) const LIFETIME_SECONDS: i64 = 30 * 24 * 60 * 60;

/// The most cookies of one name that are checked in one request: another server of the same machine
/// may have set one too.
pub(crate) const COOKIES_MAX: usize = 4;

/// The kind of the server's own sessions in signed values.
pub(crate) const SESSION: &str = "session";

/// The kind of sessions with arbitrator rights in signed values.
pub(crate) const ARBITRATOR_SESSION: &str = "arbitrator-session";

/// A new value: `expires.nonce.signature`. The signature includes the kind, so that a value of one
/// kind is not valid for another.
pub(crate) fn issue(token: &Token, kind: &str, now: Timestamp) -> String {
    let expires = now.as_second().saturating_add(LIFETIME_SECONDS);
    let claim = format!("{expires}.{}", Uuid::now_v7().simple());
    format!("{claim}.{}", sign(token, kind, &claim))
}

/// A cookie with a valid signature that has not expired. It may have been revoked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedSession {
    pub(crate) digest: SessionDigest,
    pub(crate) expires: Timestamp,
}

impl SignedSession {
    /// The session of a cookie value whose signature is valid until `expires`.
    pub(crate) fn new(cookie: &str, expires: Timestamp) -> Self {
        Self { digest: SessionDigest::new(Sha256::digest(cookie).into()), expires }
    }
}

/// The session of a request: signed, not expired, and not revoked. The layer attaches it to the
/// request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveSession {
    pub(crate) digest: SessionDigest,
    /// Whether the request has no other credential.
    pub(crate) is_only_credential: bool,
    /// Whether the request has a session that the server's token signed.
    pub(crate) has_server_session: bool,
    /// Whether the request has a session with arbitrator rights.
    pub(crate) is_arbitrator: bool,
}

/// The signed session cookies of a request.
#[derive(Debug, Default)]
pub(crate) struct SignedSessions {
    /// Sessions that the server's token signed.
    server: Vec<SignedSession>,
    /// Sessions that the arbitrator token signed.
    arbitrator: Vec<SignedSession>,
}

impl SignedSessions {
    /// The signed cookies, at most [`COOKIES_MAX`] of each kind.
    pub(crate) fn find(headers: &HeaderMap, settings: &Settings, now: Timestamp) -> Self {
        let signed = |token: Option<&Token>, cookie: CookieKind, kind: &str| {
            let values = token.into_iter().flat_map(|token| {
                let values = cookie.values(headers).take(COOKIES_MAX);
                values.filter_map(move |value| {
                    Some(SignedSession::new(value, verify(token, kind, value, now)?))
                })
            });
            values.collect()
        };
        let (server, arbitrator) = (settings.token.as_ref(), settings.arbitrator.as_ref());
        Self {
            server: signed(server, CookieKind::Session, SESSION),
            arbitrator: signed(arbitrator, CookieKind::Arbitrator, ARBITRATOR_SESSION),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.server.is_empty() && self.arbitrator.is_empty()
    }

    /// The session of the request: the sessions that are not revoked, as one. A stream ends with
    /// the server's session if there is one, otherwise with the arbitrator's.
    pub(crate) async fn find_active(
        &self,
        sessions: &Sessions,
        is_only_credential: bool,
    ) -> Result<Option<ActiveSession>, StoreError> {
        let server = find_active(sessions, &self.server).await?;
        let arbitrator = find_active(sessions, &self.arbitrator).await?;
        Ok(server.or(arbitrator).map(|digest| ActiveSession {
            digest,
            is_only_credential,
            has_server_session: server.is_some(),
            is_arbitrator: arbitrator.is_some(),
        }))
    }

    /// Revokes all of the sessions.
    pub(crate) async fn revoke(&self, sessions: &Sessions) -> Result<(), StoreError> {
        revoke(sessions, &self.server).await?;
        revoke(sessions, &self.arbitrator).await
    }
}

/// The first of the sessions that is not revoked.
async fn find_active(
    sessions: &Sessions,
    signed: &[SignedSession],
) -> Result<Option<SessionDigest>, StoreError> {
    for session in signed {
        if !sessions.is_revoked(session.digest).await? {
            return Ok(Some(session.digest));
        }
    }
    Ok(None)
}

/// Revokes all of the sessions.
pub(crate) async fn revoke(
    sessions: &Sessions,
    signed: &[SignedSession],
) -> Result<(), StoreError> {
    for session in signed {
        sessions.revoke(session.digest, session.expires).await?;
    }
    Ok(())
}

/// The expiry of a valid value; none if it is expired or not signed with this token for this kind.
pub(crate) fn verify(token: &Token, kind: &str, value: &str, now: Timestamp) -> Option<Timestamp> {
    let (claim, presented) = value.rsplit_once('.')?;
    let is_ours: bool = sign(token, kind, claim).as_bytes().ct_eq(presented.as_bytes()).into();
    let expires = claim.split('.').next()?.parse().ok()?;
    let expires = Timestamp::from_second(expires).ok()?;
    (is_ours && now < expires).then_some(expires)
}

fn sign(token: &Token, kind: &str, claim: &str) -> String {
    token.sign(&format!("{kind} {claim}"))
}

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// A cookie of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CookieKind {
    /// The session of the server.
    Session,
    /// The session with arbitrator rights.
    Arbitrator,
    /// The identity in the forum.
    ForumIdentity,
    /// The token that forms repeat.
    Form,
}

impl CookieKind {
    /// The name for this request. It contains the port, because cookies do not depend on ports: two
    /// servers on one machine must not overwrite each other's cookies.
    fn name(self, headers: &HeaderMap) -> String {
        let base = match self {
            Self::Session => "aw_session",
            Self::Arbitrator => "aw_arbitrator",
            Self::ForumIdentity => "aw_seat",
            Self::Form => "aw_form",
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let port = host.rsplit_once(':').map(|(_, port)| port);
        let port = port.filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        match port {
            Some(port) => format!("{base}_{port}"),
            None => base.to_owned(),
        }
    }

    /// All values of the cookie. There can be several, because another server on this machine may
    /// have set one for its path. The server checks the signature of each.
    pub(crate) fn values(self, headers: &HeaderMap) -> impl Iterator<Item = &str> {
        let name = self.name(headers);
        let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        pairs.flat_map(|value| value.split(';')).filter_map(move |pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        })
    }

    /// The first value under this name or, without one, of the other sessions' cookies.
    pub(crate) fn find_with_fallback(self, headers: &HeaderMap) -> Option<&str> {
        [self, Self::Arbitrator, Self::Session]
            .into_iter()
            .find_map(|kind| kind.values(headers).next())
    }

    /// The header that sets the cookie for a path, for `seconds` or until the browser is closed.
    pub(crate) fn set(
        self,
        headers: &HeaderMap,
        path: &str,
        value: &str,
        seconds: Option<i64>,
    ) -> HeaderValue {
        let name = self.name(headers);
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        let secure = if is_encrypted(headers) { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict{age}{secure}");
        HeaderValue::try_from(text).expect("our own cookies and paths are printable")
    }
}

/// Whether the browser uses https, by its `Origin` header or by the proxy's header. A client that
/// sends a false header affects only its own cookie.
pub(super) fn is_encrypted(headers: &HeaderMap) -> bool {
    let by_page = headers.get(ORIGIN).is_some_and(|page| page.as_bytes().starts_with(b"https://"));
    by_page || headers.get(FORWARDED_PROTO).is_some_and(|scheme| scheme == "https")
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{LIFETIME_SECONDS, SESSION, issue, verify};
    use crate::access::Token;

    #[test]
    fn no_proof_of_the_token_passes_as_a_session() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let nonce = "9".repeat(64);
        let text = debate_wire::proof_text("server", 3456, &nonce);
        let proof = token.sign(&text);
        for kind in [SESSION, "reviewer-admin", "agent-x", "aweave-proof-v1", ""] {
            for claim in [&text, &nonce, "server 3456", &text.replacen("aweave-proof-v1 ", "", 1)] {
                let value = format!("{claim}.{proof}");
                assert!(verify(&token, kind, &value, now).is_none(), "{kind} {claim}");
            }
        }
    }

    #[test]
    fn a_session_is_good_until_it_ends_and_only_for_its_token() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let value = issue(&token, SESSION, now);
        let end = now + SignedDuration::from_secs(LIFETIME_SECONDS);
        assert!(verify(&token, SESSION, &value, now).is_some());
        assert!(verify(&token, SESSION, &value, end).is_none());
        assert!(verify(&token, "seat", &value, now).is_none());
        assert!(verify(&Token::new("other"), SESSION, &value, now).is_none());
        assert_ne!(value, issue(&token, SESSION, now), "no two are the same");
        let later = value.replacen("2592000", "9999999999", 1);
        assert_ne!(later, value);
        for forged in [later.as_str(), "", ".", "..", "9999999999.x.", &value[..value.len() - 1]] {
            assert!(verify(&token, SESSION, forged, now).is_none(), "{forged}");
        }
    }
}
