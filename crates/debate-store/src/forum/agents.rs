//! Agents and their keys.

use debate_app::forum::{AgentPatch, ForumError, Holder, LimitChange, NewKey, OldKey, Rotated};
use debate_core::forum::{
    Activity, Agent, AgentDraft, AgentKey, KeyDigest, KeyPrefix, ROTATION_GRACE,
};
use debate_core::{AgentId, RateLimit};
use jiff::{SignedDuration, Timestamp};

use super::rows;
use crate::sql::{Columns, Misfit, Query, Read, Rows, Step, Value, Writes};

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

pub(super) const AGENT: &str = agents!("forum_agents a where a.id = $1");

/// The author of what is examined.
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

const FORGET_KEYS: &str = "delete from forum_keys where agent_id = $1";

const FORGET_OLD_KEYS: &str = "delete from forum_keys where agent_id = $1 and expires_at <= $2";

const EXPIRE_KEY: &str =
    "update forum_keys set expires_at = $1 where agent_id = $2 and expires_at is null";

pub(crate) fn register<'s, R: Columns + 's>(
    draft: &'s AgentDraft,
    at: Timestamp,
) -> Step<'s, R, Result<Agent, ForumError>> {
    let asked = Query::new(AGENT_OF_NAME, vec![draft.username.as_str().into()]);
    Step::ask(vec![asked], move |found: &Rows<R>| {
        if found.any(0) {
            let taken = ForumError::UsernameTaken(draft.username.clone());
            return Ok(Step::decided(Err(taken)));
        }
        let agent = Agent {
            id: draft.id,
            username: draft.username.clone(),
            display_name: draft.display_name.clone(),
            profile: draft.profile.clone(),
            activity: Activity::Active,
            approved: 0,
            rate_limit: None,
            created_at: at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_AGENT, registered(&agent));
        let key = (draft.prefix.as_str(), draft.digest);
        writes.push(ADD_KEY, kept_key(agent.id, key.0, key.1));
        Ok(Step::decided(Ok((agent, writes))))
    })
}

fn registered(agent: &Agent) -> Vec<Value<'static>> {
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

fn kept_key(agent: AgentId, prefix: &str, digest: KeyDigest) -> Vec<Value<'static>> {
    let digest = digest.as_bytes().to_vec();
    vec![prefix.to_owned().into(), digest.into(), agent.uuid().into(), Value::Null]
}

pub(crate) fn authenticate<'s, R: Columns + 's>(
    key: &AgentKey,
    at: Timestamp,
) -> Read<'s, R, Result<Agent, ForumError>> {
    let digest = key.digest();
    Read::new(vec![keys(&key.prefix())], move |found: &Rows<R>| {
        let holders = opening(found, at)?;
        if holders.is_empty() {
            // As much work as where there is one.
            let _ = digest.is_same(&KeyDigest::NONE);
        }
        let owner = holders.into_iter().find(|holder| digest.is_same(&holder.digest));
        Ok(owner.map(|holder| holder.agent).ok_or(ForumError::BadKey))
    })
}

pub(crate) fn holders<'s, R: Columns + 's>(
    prefix: &KeyPrefix,
    at: Timestamp,
) -> Read<'s, R, Vec<Holder>> {
    Read::new(vec![keys(prefix)], move |found: &Rows<R>| opening(found, at))
}

fn keys<'s>(prefix: &KeyPrefix) -> Query<'s> {
    Query::new(KEYS, vec![prefix.as_str().to_owned().into()])
}

/// Those of the keys that were found whose time is not over, and whose agents may do anything.
fn opening<R: Columns>(found: &Rows<R>, at: Timestamp) -> Result<Vec<Holder>, R::Fault> {
    let keys = found.all(0, |row| Ok((kept_digest(row)?, row.maybe_time("expires_at")?)))?;
    let owners = found.all(0, rows::agent)?;
    let opens = |expires: Option<Timestamp>| expires.is_none_or(|expires| at < expires);
    let open = keys.into_iter().zip(owners).filter(|((_, expires), _)| opens(*expires));
    let holders = open.map(|((digest, _), agent)| Holder { digest, agent });
    Ok(holders.filter(|holder| is_active(holder.agent.activity)).collect())
}

fn kept_digest<R: Columns>(row: &R) -> Result<KeyDigest, R::Fault> {
    let bytes = row.maybe_bytes("digest")?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| Misfit("invalid digest".to_owned()))?;
    Ok(KeyDigest::from_bytes(bytes))
}

pub(crate) fn rotate<'s, R: Columns + 's>(
    rotate: &'s NewKey,
) -> Step<'s, R, Result<Rotated, ForumError>> {
    let agent = rotate.agent;
    Step::ask(locked(agent), move |found: &Rows<R>| {
        if !found.any(1) {
            return Ok(Step::decided(Err(ForumError::NoSuchAgent(agent))));
        }
        let mut writes = Writes::default();
        let expires = match rotate.old {
            OldKey::Revoked => {
                writes.push(FORGET_KEYS, vec![agent.uuid().into()]);
                rotate.at
            }
            OldKey::Expires => {
                let grace = SignedDuration::try_from(ROTATION_GRACE).unwrap_or_default();
                let expires = rotate.at.saturating_add(grace).unwrap_or(rotate.at);
                writes.push(FORGET_OLD_KEYS, vec![agent.uuid().into(), rotate.at.into()]);
                writes.push(EXPIRE_KEY, vec![expires.into(), agent.uuid().into()]);
                expires
            }
        };
        writes.push(ADD_KEY, kept_key(agent, rotate.prefix.as_str(), rotate.digest));
        Ok(Step::decided(Ok((Rotated { previous_expires_at: expires }, writes))))
    })
}

fn locked<'s>(agent: AgentId) -> Vec<Query<'s>> {
    let id = agent.uuid();
    vec![Query::lock(LOCK_AGENT, id), Query::new(AGENT, vec![id.into()])]
}

pub(crate) fn agent<'s, R: Columns + 's>(agent: AgentId) -> Read<'s, R, Result<Agent, ForumError>> {
    let asked = Query::new(AGENT, vec![agent.uuid().into()]);
    Read::new(vec![asked], move |found: &Rows<R>| {
        Ok(found.one(0, rows::agent)?.ok_or(ForumError::NoSuchAgent(agent)))
    })
}

pub(crate) fn patch_agent<'s, R: Columns + 's>(
    agent: AgentId,
    patch: AgentPatch,
) -> Step<'s, R, Result<Agent, ForumError>> {
    Step::ask(locked(agent), move |found: &Rows<R>| {
        let Some(mut known) = found.one(1, rows::agent)? else {
            return Ok(Step::decided(Err(ForumError::NoSuchAgent(agent))));
        };
        known.activity = patch.activity.unwrap_or(known.activity);
        known.rate_limit = match patch.rate_limit {
            None => known.rate_limit,
            Some(LimitChange::Usual) => None,
            Some(LimitChange::Set(limit)) => Some(limit),
        };
        let mut writes = Writes::default();
        let limit = known.rate_limit.map(RateLimit::count);
        let active = is_active(known.activity);
        writes.push(SAVE_AGENT, vec![active.into(), limit.into(), agent.uuid().into()]);
        Ok(Step::decided(Ok((known, writes))))
    })
}
