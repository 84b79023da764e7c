//! The forum's identity cookie: `identity.expires.nonce.signature`. It contains no secret.
//!
//! It is sealed with the reviewer's token, or with what is kept of the agent's key. So nothing is
//! kept for it, every server can check it, and it ends with the token or the key.

use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor};
use debate_core::forum::{AgentKey, HashedKey, KeyDigest, KeyPrefix};
use jiff::Timestamp;

use crate::pages::session::{SignedSession, issue, verify};
use crate::reviewers::Reviewers;
use crate::token::Token;

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
    pub(super) who: Visitor,
    pub(super) session: SignedSession,
    /// The key it ends with, if it is an agent's.
    pub(super) key: Option<HashedKey>,
}

/// The identity of a valid cookie.
pub(super) async fn signed_identity(
    forum: &Forum,
    reviewers: &Reviewers,
    cookie: &str,
) -> Result<Option<SignedIdentity>, StoreError> {
    let now = forum.now();
    let Some((who, value)) = cookie.split_once('.') else { return Ok(None) };
    if let Some(name) = who.strip_prefix(REVIEWER) {
        let Some((name, token)) = reviewers.find_by_name(name) else { return Ok(None) };
        let expires = verify(token, &kind(who), value, now);
        return Ok(expires.map(|expires| SignedIdentity {
            who: Visitor::Reviewer(name.to_owned()),
            session: SignedSession::new(cookie, expires),
            key: None,
        }));
    }
    let prefix = who.strip_prefix(AGENT).and_then(|prefix| KeyPrefix::parse(prefix).ok());
    let Some(prefix) = prefix else { return Ok(None) };
    let holders = forum.key_holders(&prefix).await?;
    let expiry = |digest: &KeyDigest| verify(&token_of(digest), &kind(who), value, now);
    let found = holders
        .into_iter()
        .find_map(|signed_identity| Some((expiry(&signed_identity.digest)?, signed_identity)));
    Ok(found.map(|(expires, found)| SignedIdentity {
        who: Visitor::Agent(Box::new(found.agent)),
        session: SignedSession::new(cookie, expires),
        key: Some(HashedKey { prefix, digest: found.digest }),
    }))
}

fn issue_for_agent(prefix: &KeyPrefix, digest: &KeyDigest, now: Timestamp) -> String {
    issue_for(&format!("{AGENT}{}", prefix.as_str()), &token_of(digest), now)
}

/// A token is kept like a key: as a digest, which is what seals.
const fn token_of(digest: &KeyDigest) -> Token {
    Token::from_digest(*digest.as_bytes())
}

fn issue_for(who: &str, token: &Token, now: Timestamp) -> String {
    format!("{who}.{}", issue(token, &kind(who), now))
}

/// The identity is signed too, so that it cannot be replaced.
fn kind(who: &str) -> String {
    format!("identity {who}")
}

#[cfg(test)]
mod tests {
    use debate_core::forum::AgentKey;
    use jiff::{SignedDuration, Timestamp};

    use super::{issue_for, issue_for_agent, kind, token_of};
    use crate::pages::session::{LIFETIME_SECONDS, SESSION, issue, verify};
    use crate::token::Token;

    fn opens(who: &str, value: &str, token: &Token, now: Timestamp) -> bool {
        verify(token, &kind(who), value, now).is_some()
    }

    #[test]
    fn a_pass_is_for_one_name_and_one_secret_until_it_ends() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let cookie = issue_for("reviewer-anna", &token, now);
        let (who, value) = cookie.split_once('.').expect("it says for whom");
        let end = now + SignedDuration::from_secs(LIFETIME_SECONDS);
        assert!(opens(who, value, &token, now));
        assert!(!opens(who, value, &token, end));
        assert!(!opens("reviewer-bert", value, &token, now), "another name");
        assert!(!opens(who, value, &Token::new("other"), now), "another token");
        let later = value.replacen("2592000", "9999999999", 1);
        assert_ne!(later, value);
        for forged in [later.as_str(), "", ".", "..", &value[..value.len() - 1]] {
            assert!(!opens(who, forged, &token, now), "{forged}");
        }
        let session = issue(&token, SESSION, now);
        assert!(!opens(who, &session, &token, now), "a session of the same token is no seat");
        assert!(verify(&token, SESSION, value, now).is_none(), "and a identity no session");
    }

    #[test]
    fn an_agents_pass_says_nothing_that_opens_anything() {
        let bytes = std::array::from_fn(|at| u8::try_from(at * 7).unwrap_or_default());
        let (key, other) = (AgentKey::new(bytes), AgentKey::new([8; 32]));
        let cookie = issue_for_agent(&key.prefix(), &key.digest(), Timestamp::UNIX_EPOCH);
        let (who, value) = cookie.split_once('.').expect("it says for whom");
        let good =
            |key: &AgentKey| opens(who, value, &token_of(&key.digest()), Timestamp::UNIX_EPOCH);
        assert!(good(&key) && !good(&other));
        assert!(AgentKey::parse(&cookie).is_err());
        let secret = key.reveal().strip_prefix(key.prefix().as_str()).expect("it begins so");
        assert!(!cookie.contains(secret.get(..8).expect("it is long")), "{cookie}");
    }
}
