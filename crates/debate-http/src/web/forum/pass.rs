//! What the forum's cookie holds: `who.expires.nonce.seal`, and never a secret itself.
//!
//! It is sealed with the reviewer's token, or with what is kept of the agent's key. So nothing is
//! kept for it, every server can check it, and it ends with the token or the key.

use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor};
use debate_core::forum::{AgentKey, KeyDigest, KeyMark, KeyPrefix};
use jiff::Timestamp;

use crate::admission::Token;
use crate::reviewers::Reviewers;
use crate::web::session::{SignedSession, issue, verify};

const REVIEWER: &str = "reviewer-";
const AGENT: &str = "agent-";

/// The pass of whoever has this secret: a reviewer's token, or an agent's key.
pub(super) async fn for_secret(
    forum: &Forum,
    reviewers: &Reviewers,
    secret: &str,
) -> Result<Option<String>, StoreError> {
    let now = forum.now();
    if let Some((name, token)) = reviewers.whose(secret).and_then(|name| reviewers.called(name)) {
        return Ok(Some(made(&format!("{REVIEWER}{name}"), token, now)));
    }
    let Ok(key) = AgentKey::parse(secret) else { return Ok(None) };
    let owner = forum.owner(&key).await?;
    Ok(owner.map(|_| agents(&key.prefix(), &key.digest(), now)))
}

/// The identity that a cookie proves.
pub(super) struct Holder {
    pub(super) who: Visitor,
    pub(super) session: SignedSession,
    /// The key it ends with, if it is an agent's.
    pub(super) key: Option<KeyMark>,
}

/// Who it lets in, if it is good.
pub(super) async fn holder(
    forum: &Forum,
    reviewers: &Reviewers,
    pass: &str,
) -> Result<Option<Holder>, StoreError> {
    let now = forum.now();
    let Some((who, value)) = pass.split_once('.') else { return Ok(None) };
    if let Some(name) = who.strip_prefix(REVIEWER) {
        let Some((name, token)) = reviewers.called(name) else { return Ok(None) };
        let expires = verify(token, &kind(who), value, now);
        return Ok(expires.map(|expires| Holder {
            who: Visitor::Reviewer(name.to_owned()),
            session: SignedSession::new(pass, expires),
            key: None,
        }));
    }
    let prefix = who.strip_prefix(AGENT).and_then(|prefix| KeyPrefix::parse(prefix).ok());
    let Some(prefix) = prefix else { return Ok(None) };
    let holders = forum.holders(&prefix).await?;
    let expiry = |digest: &KeyDigest| verify(&token_of(digest), &kind(who), value, now);
    let found = holders.into_iter().find_map(|holder| Some((expiry(&holder.digest)?, holder)));
    Ok(found.map(|(expires, found)| Holder {
        who: Visitor::Agent(Box::new(found.agent)),
        session: SignedSession::new(pass, expires),
        key: Some(KeyMark { prefix, digest: found.digest }),
    }))
}

fn agents(prefix: &KeyPrefix, digest: &KeyDigest, now: Timestamp) -> String {
    made(&format!("{AGENT}{}", prefix.as_str()), &token_of(digest), now)
}

/// A token is kept like a key: as a digest, which is what seals.
const fn token_of(digest: &KeyDigest) -> Token {
    Token::of_digest(*digest.as_bytes())
}

fn made(who: &str, token: &Token, now: Timestamp) -> String {
    format!("{who}.{}", issue(token, &kind(who), now))
}

/// Who it is for is sealed too: nobody can put another name on it.
fn kind(who: &str) -> String {
    format!("seat {who}")
}

#[cfg(test)]
mod tests {
    use debate_core::forum::AgentKey;
    use jiff::{SignedDuration, Timestamp};

    use super::{agents, kind, made, token_of};
    use crate::admission::Token;
    use crate::web::session::{LIFETIME_SECONDS, SESSION, issue, verify};

    fn opens(who: &str, value: &str, token: &Token, now: Timestamp) -> bool {
        verify(token, &kind(who), value, now).is_some()
    }

    #[test]
    fn a_pass_is_for_one_name_and_one_secret_until_it_ends() {
        let (token, now) = (Token::new("secret"), Timestamp::UNIX_EPOCH);
        let pass = made("reviewer-anna", &token, now);
        let (who, value) = pass.split_once('.').expect("it says for whom");
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
        assert!(verify(&token, SESSION, value, now).is_none(), "and a seat no session");
    }

    #[test]
    fn an_agents_pass_says_nothing_that_opens_anything() {
        let bytes = std::array::from_fn(|at| u8::try_from(at * 7).unwrap_or_default());
        let (key, other) = (AgentKey::new(bytes), AgentKey::new([8; 32]));
        let pass = agents(&key.prefix(), &key.digest(), Timestamp::UNIX_EPOCH);
        let (who, value) = pass.split_once('.').expect("it says for whom");
        let good =
            |key: &AgentKey| opens(who, value, &token_of(&key.digest()), Timestamp::UNIX_EPOCH);
        assert!(good(&key) && !good(&other));
        assert!(AgentKey::parse(&pass).is_err());
        let secret = key.reveal().strip_prefix(key.prefix().as_str()).expect("it begins so");
        assert!(!pass.contains(secret.get(..8).expect("it is long")), "{pass}");
    }
}
