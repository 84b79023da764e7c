//! Who has logged in: a value that any server with the same token can check, and nobody without it
//! can make. Nothing is kept, so it outlives restarts and works behind a balancer; another token
//! ends every session.

use axum::http::HeaderMap;
use jiff::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::cookies::Cookie;
use crate::admission::Token;

/// How long a login lasts.
pub(crate) const LIFETIME_SECONDS: i64 = 30 * 24 * 60 * 60;

/// What the server's own sessions are called when they are sealed.
pub(crate) const SESSION: &str = "session";

/// A new value: `expires.nonce.seal`. What it is for is sealed with it, so that one of a kind is
/// none of another.
pub(crate) fn issue(token: &Token, kind: &str, now: Timestamp) -> String {
    let expires = now.as_second().saturating_add(LIFETIME_SECONDS);
    let claim = format!("{expires}.{}", Uuid::now_v7().simple());
    format!("{claim}.{}", seal(token, kind, &claim))
}

/// Whether the request belongs to a session that is still good.
pub(crate) fn is_carried_by(headers: &HeaderMap, token: &Token, now: Timestamp) -> bool {
    Cookie::Session.values(headers).any(|value| is_good(token, SESSION, value, now))
}

/// Whether the value was made for this and is not over.
pub(crate) fn is_good(token: &Token, kind: &str, value: &str, now: Timestamp) -> bool {
    let Some((claim, presented)) = value.rsplit_once('.') else { return false };
    let is_ours: bool = seal(token, kind, claim).as_bytes().ct_eq(presented.as_bytes()).into();
    let expires = claim.split('.').next().and_then(|text| text.parse::<i64>().ok());
    is_ours && expires.is_some_and(|expires| now.as_second() < expires)
}

fn seal(token: &Token, kind: &str, claim: &str) -> String {
    token.seal_hex(&format!("{kind} {claim}"))
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{LIFETIME_SECONDS, SESSION, is_good, issue};
    use crate::admission::Token;

    #[test]
    fn no_proof_of_the_token_passes_as_a_session() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let nonce = "9".repeat(64);
        let text = debate_wire::proof_text("server", 3456, &nonce);
        let proof = token.seal_hex(&text);
        for kind in [SESSION, "reviewer-admin", "agent-x", "aweave-proof-v1", ""] {
            for claim in [&text, &nonce, "server 3456", &text.replacen("aweave-proof-v1 ", "", 1)] {
                let value = format!("{claim}.{proof}");
                assert!(!is_good(&token, kind, &value, now), "{kind} {claim}");
            }
        }
    }

    #[test]
    fn a_session_is_good_until_it_ends_and_only_for_its_token() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let value = issue(&token, SESSION, now);
        let end = now + SignedDuration::from_secs(LIFETIME_SECONDS);
        assert!(is_good(&token, SESSION, &value, now));
        assert!(!is_good(&token, SESSION, &value, end));
        assert!(!is_good(&token, "seat", &value, now));
        assert!(!is_good(&Token::new("other"), SESSION, &value, now));
        assert_ne!(value, issue(&token, SESSION, now), "no two are the same");
        let later = value.replacen("2592000", "9999999999", 1);
        assert_ne!(later, value);
        for forged in [later.as_str(), "", ".", "..", "9999999999.x.", &value[..value.len() - 1]] {
            assert!(!is_good(&token, SESSION, forged, now), "{forged}");
        }
    }
}
