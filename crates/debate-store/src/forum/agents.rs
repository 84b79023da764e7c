//! Agents and their keys.

use debate_app::forum::{
    AgentPatch, ForumError, KeyHolder, NewAgentKey, OldAgentKey, RateLimitChange,
};
use debate_core::forum::{
    Activity, Agent, AgentDraft, AgentKey, KeyDigest, KeyPrefix, ROTATION_GRACE,
};
use debate_core::{AgentId, RateLimit};
use jiff::{SignedDuration, Timestamp};

use super::{ForumRead, ForumWrite, rows};
use crate::sql::{Commit, Decoder, Group, Handle, Operation, Statement, Value, Writes};

macro_rules! agents {
    ($rest:literal) => {
        concat!(
            "select a.id, a.username, a.display_name, a.profile, a.active, a.approved,
                    a.rate_limit, a.created_at
             from ",
            $rest
        )
    };
}

const AGENT: &str = agents!("forum_agents a where a.id = $1");

pub(super) const AGENT_OF_EVALUATION: &str = agents!(
    "forum_agents a join forum_evaluations e on e.agent_id = a.id
     where e.id = $1"
);

const AGENT_OF_NAME: &str = agents!("forum_agents a where a.username = $1");

const KEYS: &str = "select k.digest, k.expires_at, a.id, a.username, a.display_name, a.profile,
            a.active, a.approved, a.rate_limit, a.created_at
     from forum_keys k join forum_agents a on a.id = k.agent_id where k.prefix = $1";

const LOCK_AGENT: &str = "select id from forum_agents where id = $1 for no key update";

const ADD_AGENT: &str = "insert into forum_agents
         (id, username, display_name, profile, active, approved, rate_limit, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)";

const SAVE_AGENT: &str = "update forum_agents set active = $1, rate_limit = $2 where id = $3";

const ADD_KEY: &str =
    "insert into forum_keys (prefix, digest, agent_id, expires_at) values ($1, $2, $3, $4)";

const DELETE_KEYS: &str = "delete from forum_keys where agent_id = $1";

const DELETE_EXPIRED_KEYS: &str = "delete from forum_keys where agent_id = $1 and expires_at <= $2";

const EXPIRE_KEY: &str =
    "update forum_keys set expires_at = $1 where agent_id = $2 and expires_at is null";

pub(super) fn agent_by_id(agent: AgentId) -> Statement<'static> {
    Statement::new(AGENT, vec![agent.uuid().into()])
}

/// Locks an agent and loads it.
fn lock_agent(group: &mut Group<'_>, agent: AgentId) -> Handle<Agent> {
    group.lock(LOCK_AGENT, agent.uuid());
    group.push(agent_by_id(agent), rows::agent)
}

pub(super) fn register((draft, at): &(AgentDraft, Timestamp)) -> ForumWrite<'_, Agent> {
    let mut group = Group::default();
    let name = vec![draft.username.as_str().into()];
    let namesake = group.push_exists(Statement::new(AGENT_OF_NAME, name));
    group.finish(move |rows| {
        if rows.has_any(&namesake) {
            return Ok(Commit::refuse(ForumError::UsernameTaken(draft.username.clone())));
        }
        let agent = Agent {
            id: draft.id,
            username: draft.username.clone(),
            display_name: draft.display_name.clone(),
            profile: draft.profile.clone(),
            activity: Activity::Active,
            approved: 0,
            rate_limit: None,
            created_at: *at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_AGENT, agent_values(&agent));
        writes.push(ADD_KEY, key_values(agent.id, &draft.prefix, draft.digest));
        Ok(Commit::new(Ok(agent), writes))
    })
}

fn agent_values(agent: &Agent) -> Vec<Value<'static>> {
    vec![
        agent.id.uuid().into(),
        agent.username.as_str().to_owned().into(),
        agent.display_name.as_ref().map(|name| name.as_str().to_owned()).into(),
        agent.profile.as_ref().map(|text| text.as_str().to_owned()).into(),
        is_active(agent.activity).into(),
        agent.approved.into(),
        agent.rate_limit.map(RateLimit::count).into(),
        agent.created_at.into(),
    ]
}

const fn is_active(activity: Activity) -> bool {
    match activity {
        Activity::Active => true,
        Activity::Deactivated => false,
    }
}

fn key_values(agent: AgentId, prefix: &KeyPrefix, digest: KeyDigest) -> Vec<Value<'static>> {
    let digest = digest.as_bytes().to_vec();
    vec![prefix.as_str().to_owned().into(), digest.into(), agent.uuid().into(), Value::Null]
}

pub(super) fn authenticate((key, at): &(AgentKey, Timestamp)) -> ForumRead<'_, Agent> {
    let digest = key.digest();
    let mut group = Group::default();
    let holders = push_holders(&mut group, &key.prefix(), *at);
    group.finish(move |rows| {
        let holders = holders(rows)?;
        if holders.is_empty() {
            // Takes as long as a comparison with a stored key.
            let _ = digest.is_same(&KeyDigest::NONE);
        }
        let owner = holders.into_iter().find(|holder| digest.is_same(&holder.digest));
        Ok(owner.map(|holder| holder.agent).ok_or(ForumError::BadKey))
    })
}

pub(super) fn key_holders((prefix, at): &(KeyPrefix, Timestamp)) -> Operation<'_, Vec<KeyHolder>> {
    let mut group = Group::default();
    let holders = push_holders(&mut group, prefix, *at);
    group.finish(holders)
}

/// The keys with this prefix that are valid at `at` and belong to active agents.
fn push_holders(
    group: &mut Group<'_>,
    prefix: &KeyPrefix,
    at: Timestamp,
) -> Decoder<Vec<KeyHolder>> {
    let keys = Statement::new(KEYS, vec![prefix.as_str().to_owned().into()]);
    let keys = group.push(keys, |row| {
        let digest = KeyDigest::from_bytes(row.digest("digest")?);
        let holder = KeyHolder { digest, agent: rows::agent(row)? };
        Ok((holder, row.maybe_time("expires_at")?))
    });
    Box::new(move |rows| {
        let is_valid = |expires: Option<Timestamp>| expires.is_none_or(|expires| at < expires);
        let valid = rows.all(&keys)?.into_iter().filter(|(_, expires)| is_valid(*expires));
        let holders = valid.map(|(holder, _)| holder);
        Ok(holders.filter(|holder| is_active(holder.agent.activity)).collect())
    })
}

pub(super) fn rotate(rotate: &NewAgentKey) -> ForumWrite<'_, Timestamp> {
    let agent = rotate.agent;
    let mut group = Group::default();
    let known = lock_agent(&mut group, agent);
    group.finish(move |rows| {
        if !rows.has_any(&known) {
            return Ok(Commit::refuse(ForumError::UnknownAgent(agent)));
        }
        let mut writes = Writes::default();
        let expires = match rotate.old {
            OldAgentKey::Revoked => {
                writes.push(DELETE_KEYS, vec![agent.uuid().into()]);
                rotate.at
            }
            OldAgentKey::Expires => {
                let grace = SignedDuration::try_from(ROTATION_GRACE).unwrap_or_default();
                let expires = rotate.at.saturating_add(grace).unwrap_or(rotate.at);
                writes.push(DELETE_EXPIRED_KEYS, vec![agent.uuid().into(), rotate.at.into()]);
                writes.push(EXPIRE_KEY, vec![expires.into(), agent.uuid().into()]);
                expires
            }
        };
        writes.push(ADD_KEY, key_values(agent, &rotate.prefix, rotate.digest));
        Ok(Commit::new(Ok(expires), writes))
    })
}

pub(super) fn agent(&agent: &AgentId) -> ForumRead<'_, Agent> {
    let mut group = Group::default();
    let found = group.push(agent_by_id(agent), rows::agent);
    group.finish(move |rows| Ok(rows.first(&found)?.ok_or(ForumError::UnknownAgent(agent))))
}

pub(super) fn patch(&(agent, patch): &(AgentId, AgentPatch)) -> ForumWrite<'_, Agent> {
    let mut group = Group::default();
    let known = lock_agent(&mut group, agent);
    group.finish(move |rows| {
        let Some(mut known) = rows.first(&known)? else {
            return Ok(Commit::refuse(ForumError::UnknownAgent(agent)));
        };
        known.activity = patch.activity.unwrap_or(known.activity);
        known.rate_limit = match patch.rate_limit {
            None => known.rate_limit,
            Some(RateLimitChange::Usual) => None,
            Some(RateLimitChange::Set(limit)) => Some(limit),
        };
        let mut writes = Writes::default();
        let limit = known.rate_limit.map(RateLimit::count);
        let active = is_active(known.activity);
        writes.push(SAVE_AGENT, vec![active.into(), limit.into(), agent.uuid().into()]);
        Ok(Commit::new(Ok(known), writes))
    })
}
