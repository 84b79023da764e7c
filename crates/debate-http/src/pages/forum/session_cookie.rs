//! The forum's identity cookie: `identity.expires.nonce.signature`. It contains no secret.
//!
//! The reviewer's token signs it, or the stored digest of the agent's key. So the server stores no
//! session, every server of the database can check the cookie, and it becomes invalid with the
//! token or the key.

use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor};
use debate_core::forum::{AgentKey, HashedKey, KeyDigest, KeyPrefix};
use jiff::Timestamp;

use crate::access::Token;
use crate::pages::session::{SignedSession, issue, verify};
use crate::reviewers::Reviewers;

const REVIEWER: &str = "reviewer-";
const AGENT: &str = "agent-";

/// The cookie for a reviewer's token or an agent's key; none if the secret is neither.
pub(super) async fn issue_for_secret(
    forum: &Forum,
    reviewers: &Reviewers,
    secret: &str,
) -> Result<Option<String>, StoreError> {
    let now = forum.now();
    if let Some((name, token)) =
        reviewers.find_by_secret(secret).and_then(|name| reviewers.find_by_name(name))
    {
        return Ok(Some(issue_for(&format!("{REVIEWER}{name}"), token, now)));
    }
    let Ok(key) = AgentKey::parse(secret) else { return Ok(None) };
    let owner = forum.owner(&key).await?;
    Ok(owner.map(|_| issue_for_agent(&key.prefix(), &key.digest(), now)))
}

/// The identity that a cookie proves.
pub(super) struct SignedIdentity {
    pub(super) visitor: Visitor,
    pub(super) session: SignedSession,
    /// The agent's key that the cookie depends on, for an agent.
    pub(super) key: Option<HashedKey>,
}

/// The identity of a valid cookie.
pub(super) async fn signed_identity(
    forum: &Forum,
    reviewers: &Reviewers,
    cookie: &str,
) -> Result<Option<SignedIdentity>, StoreError> {
    let now = forum.now();
    let Some((name, value)) = cookie.split_once('.') else { return Ok(None) };
    if let Some(reviewer) = name.strip_prefix(REVIEWER) {
        let Some((reviewer, token)) = reviewers.find_by_name(reviewer) else { return Ok(None) };
        let expires = verify(token, &kind(name), value, now);
        return Ok(expires.map(|expires| SignedIdentity {
            visitor: Visitor::Reviewer(reviewer.to_owned()),
            session: SignedSession::new(cookie, expires),
            key: None,
        }));
    }
    let prefix = name.strip_prefix(AGENT).and_then(|prefix| KeyPrefix::parse(prefix).ok());
    let Some(prefix) = prefix else { return Ok(None) };
    let holders = forum.key_holders(&prefix).await?;
    let expiry = |digest: &KeyDigest| verify(&token_of(digest), &kind(name), value, now);
    let found = holders.into_iter().find_map(|holder| Some((expiry(&holder.digest)?, holder)));
    Ok(found.map(|(expires, found)| SignedIdentity {
        visitor: Visitor::Agent(Box::new(found.agent)),
        session: SignedSession::new(cookie, expires),
        key: Some(HashedKey { prefix, digest: found.digest }),
    }))
}

fn issue_for_agent(prefix: &KeyPrefix, digest: &KeyDigest, now: Timestamp) -> String {
    issue_for(&format!("{AGENT}{}", prefix.as_str()), &token_of(digest), now)
}

/// The digest of a key signs like the digest of a token.
const fn token_of(digest: &KeyDigest) -> Token {
    Token::from_digest(*digest.as_bytes())
}

fn issue_for(name: &str, token: &Token, now: Timestamp) -> String {
    format!("{name}.{}", issue(token, &kind(name), now))
}

/// The identity is signed too, so that it cannot be replaced.
fn kind(name: &str) -> String {
    format!("identity {name}")
}

#[cfg(test)]
mod tests {
    use debate_core::forum::AgentKey;
    use jiff::{SignedDuration, Timestamp};

    use super::{issue_for, issue_for_agent, kind, token_of};
    use crate::access::Token;
    use crate::pages::session::{LIFETIME_SECONDS, SESSION, issue, verify};

    fn is_valid(name: &str, value: &str, token: &Token, now: Timestamp) -> bool {
        verify(token, &kind(name), value, now).is_some()
    }

    #[test]
    fn cookie_is_valid_for_one_name_and_secret_until_it_expires() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let cookie = issue_for("reviewer-anna", &token, now);
        let (name, value) = cookie.split_once('.').expect("the cookie begins with a name");
        let end = now + SignedDuration::from_secs(LIFETIME_SECONDS);
        assert!(is_valid(name, value, &token, now));
        assert!(!is_valid(name, value, &token, end));
        assert!(!is_valid("reviewer-bert", value, &token, now), "another name");
        assert!(!is_valid(name, value, &Token::new("other"), now), "another token");
        let later = value.replacen("2592000", "9999999999", 1);
        assert_ne!(later, value);
        for forged in [later.as_str(), "", ".", "..", &value[..value.len() - 1]] {
            assert!(!is_valid(name, forged, &token, now), "{forged}");
        }
        let session = issue(&token, SESSION, now);
        assert!(
            !is_valid(name, &session, &token, now),
            "a session of the same token is no identity"
        );
        assert!(verify(&token, SESSION, value, now).is_none(), "an identity is no session");
    }

    #[test]
    fn agent_cookie_contains_no_part_of_the_key() {
        let bytes = std::array::from_fn(|at| u8::try_from(at * 7).unwrap_or_default());
        let (key, other) = (AgentKey::new(bytes), AgentKey::new([8; 32]));
        let cookie = issue_for_agent(&key.prefix(), &key.digest(), Timestamp::UNIX_EPOCH);
        let (name, value) = cookie.split_once('.').expect("the cookie begins with a name");
        let good =
            |key: &AgentKey| is_valid(name, value, &token_of(&key.digest()), Timestamp::UNIX_EPOCH);
        assert!(good(&key) && !good(&other));
        assert!(AgentKey::parse(&cookie).is_err());
        let secret =
            key.reveal().strip_prefix(key.prefix().as_str()).expect("a key begins with its prefix");
        assert!(!cookie.contains(secret.get(..8).expect("a secret has 32 bytes")), "{cookie}");
    }
}
