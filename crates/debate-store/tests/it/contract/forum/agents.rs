//! Agents and their keys.

use debate_app::forum::{AgentPatch, ForumError, NewAgentKey, OldAgentKey, RateLimitChange};
use debate_core::RateLimit;
use debate_core::forum::{Activity, Agent, AgentKey};
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};

use super::fixture::{agent_draft, agent_id, agent_key, username};
use crate::engine::Engine;
use crate::support::instant;

async fn authenticate(on: &Engine, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError> {
    let answer = on.forum.authenticate(key, at).await;
    // A credential that was signed with the key has the same result.
    let holders = on.forum.key_holders(&key.prefix(), at).await.expect("it is allowed");
    let holder = holders.into_iter().find(|holder| holder.digest.is_same(&key.digest()));
    assert_eq!(holder.map(|holder| holder.agent).as_ref(), answer.as_ref().ok());
    answer
}

fn is_bad(answer: &Result<Agent, ForumError>) -> bool {
    matches!(answer, Err(ForumError::BadKey))
}

async fn rotate_key(on: &Engine, key: &AgentKey, old: OldAgentKey, second: u32) -> Timestamp {
    let (prefix, digest) = (key.prefix(), key.digest());
    let new = NewAgentKey { agent: agent_id(1), prefix, digest, old, at: instant(second) };
    on.forum.rotate(new).await.expect("the agent is there")
}

pub(crate) async fn agent_is_authenticated_by_its_key(on: &Engine) {
    let agent = on.register_agent(1).await;
    on.register_agent(2).await;
    assert_eq!(authenticate(on, &agent_key(1), instant(1)).await.expect("it is allowed"), agent);
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed"), agent);
    assert_eq!(agent.activity, Activity::Active);
    assert_eq!((agent.approved, agent.rate_limit, agent.created_at), (0, None, instant(0)));
    assert_eq!(agent.display_name.expect("it is allowed").as_str(), "Agent 1");
}

pub(crate) async fn username_is_registered_once(on: &Engine) {
    let drafts = (1..=8).map(|number| {
        let mut draft = agent_draft(number);
        draft.username = username("wanted");
        on.forum.register(draft, instant(0))
    });
    let answers = join_all(drafts).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for answer in answers.into_iter().filter_map(Result::err) {
        let taken = matches!(&answer, ForumError::UsernameTaken(name) if name.as_str() == "wanted");
        assert!(taken, "{answer:?}");
    }
}

pub(crate) async fn wrong_key_is_not_authenticated(on: &Engine) {
    assert!(is_bad(&authenticate(on, &agent_key(1), instant(1)).await));
    on.register_agent(1).await;
    assert!(is_bad(&authenticate(on, &agent_key(2), instant(1)).await));
    // Another key with the same prefix.
    let mut random = [7; 32];
    random[..4].copy_from_slice(&1_u32.to_be_bytes());
    random[31] = 8;
    let twin = AgentKey::new(random);
    assert_eq!(twin.prefix(), agent_key(1).prefix());
    assert!(is_bad(&authenticate(on, &twin, instant(1)).await));
}

pub(crate) async fn rotated_key_stays_valid_for_a_day(on: &Engine) {
    on.register_agent(1).await;
    let day = SignedDuration::from_hours(24);
    let said = rotate_key(on, &agent_key(2), OldAgentKey::Expires, 10).await;
    let end = instant(10) + day;
    assert_eq!(said, end);
    // A second rotation does not extend the validity of the first key.
    rotate_key(on, &agent_key(3), OldAgentKey::Expires, 20).await;
    let just_before = end - SignedDuration::from_micros(1);
    for number in 1..=3 {
        assert!(authenticate(on, &agent_key(number), just_before).await.is_ok(), "key {number}");
    }
    assert!(is_bad(&authenticate(on, &agent_key(1), end).await));
    assert!(authenticate(on, &agent_key(2), end).await.is_ok());
    assert!(is_bad(&authenticate(on, &agent_key(2), instant(20) + day).await));
    assert!(authenticate(on, &agent_key(3), instant(20) + day * 100).await.is_ok());
}

pub(crate) async fn revoked_key_is_not_authenticated(on: &Engine) {
    on.register_agent(1).await;
    rotate_key(on, &agent_key(2), OldAgentKey::Expires, 10).await;
    let said = rotate_key(on, &agent_key(3), OldAgentKey::Revoked, 20).await;
    assert_eq!(said, instant(20));
    assert!(is_bad(&authenticate(on, &agent_key(1), instant(20)).await));
    assert!(is_bad(&authenticate(on, &agent_key(2), instant(20)).await));
    assert!(authenticate(on, &agent_key(3), instant(20)).await.is_ok());
}

pub(crate) async fn key_of_a_deactivated_agent_is_invalid_at_once(on: &Engine) {
    on.register_agent(1).await;
    let patch = |activity| AgentPatch { activity: Some(activity), rate_limit: None };
    let off = on
        .forum
        .patch_agent(agent_id(1), patch(Activity::Deactivated))
        .await
        .expect("it is allowed");
    assert_eq!(off.activity, Activity::Deactivated);
    assert!(is_bad(&authenticate(on, &agent_key(1), instant(1)).await));
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed"), off);
    on.forum.patch_agent(agent_id(1), patch(Activity::Active)).await.expect("it is allowed");
    assert!(authenticate(on, &agent_key(1), instant(1)).await.is_ok());
}

pub(crate) async fn rate_limit_of_an_agent_is_set_and_reset(on: &Engine) {
    on.register_agent(1).await;
    let limit = RateLimit::new(500).expect("it is allowed");
    let patch = |rate_limit| AgentPatch { activity: None, rate_limit };
    let set = patch(Some(RateLimitChange::Set(limit)));
    assert_eq!(
        on.forum.patch_agent(agent_id(1), set).await.expect("it is allowed").rate_limit,
        Some(limit)
    );
    on.forum.patch_agent(agent_id(1), patch(None)).await.expect("it is allowed");
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed").rate_limit, Some(limit));
    on.forum
        .patch_agent(agent_id(1), patch(Some(RateLimitChange::Usual)))
        .await
        .expect("it is allowed");
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed").rate_limit, None);
}

pub(crate) async fn unregistered_agent_is_not_found(on: &Engine) {
    let none = |err: &ForumError| matches!(err, ForumError::UnknownAgent(id) if *id == agent_id(1));
    assert!(none(&on.forum.agent(agent_id(1)).await.expect_err("it is refused")));
    let patched = on.forum.patch_agent(agent_id(1), AgentPatch::default()).await;
    assert!(none(&patched.expect_err("it is refused")));
    let key = agent_key(1);
    let (prefix, digest) = (key.prefix(), key.digest());
    let old = OldAgentKey::Revoked;
    let new = NewAgentKey { agent: agent_id(1), prefix, digest, old, at: instant(0) };
    assert!(none(&on.forum.rotate(new).await.expect_err("it is refused")));
}
