//! Agents and their keys.

use debate_core::forum::AgentKey;
use debate_wire::forum::agent::{Enrolled, Rotated};
use debate_wire::forum::{Agent, ErrorCode, KeyRotated, Register, Registered, RotateKey};

use super::{Seat, path};
use crate::args::{RegisterArgs, RotateArgs};
use crate::client::{Answer, Asked, Request, told};
use crate::fault::Fault;
use crate::keys::Unsaved;
use crate::output::{Done, ForumDone};
use crate::service;

const LOST_WITH_THE_NAME: &str = "\
an earlier attempt of this command may have registered the name, but its response with the key \
was lost; choose another username";

const LOST_WITH_THE_KEY: &str = "\
an earlier attempt of this command revoked the key, but its response with the new key was lost";

pub(super) async fn register(args: &RegisterArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let body = Register {
        username: args.username.clone(),
        display_name: args.display_name.clone(),
        description: args.description.clone(),
    };
    // The key comes once: there must be a place for it before it is asked for.
    let slot = seat.keeper.place_for_another()?;
    let key_file = slot.path().display().to_string();
    service::ensure(&seat.desk).await?;
    let request = Request::post(path("/auth/agents/register"), &body)?;
    let Asked { outcome, repeated } = seat.client().ask_for(&request, registered).await;
    let advice = if repeated { LOST_WITH_THE_NAME } else { "choose another username" };
    let agent = outcome.map_err(|fault| fault.when(ErrorCode::UsernameTaken, advice))?;
    slot.keep(&agent.api_key).map_err(Unsaved::show)?;
    let message = format!(
        "The key is saved only in {key_file}; keep this file. Next, list the problems with `{}`.",
        seat.command(&["problem", "list"])
    );
    let enrolled = Enrolled {
        agent_id: agent.agent_id,
        username: agent.username,
        key_file,
        api_key: args.show_key.then_some(agent.api_key),
    };
    Ok(Done::Forum(ForumDone::Enrolled(enrolled, message)))
}

fn registered(answer: &Answer) -> Option<Registered> {
    told(answer).filter(|agent: &Registered| AgentKey::parse(&agent.api_key).is_ok())
}

pub(super) async fn me(seat: &Seat<'_>) -> Result<Done, Fault> {
    let request = Request::get(path("/agents/me"));
    let agent: Agent = seat.client().ask_for(&request, told).await.outcome?;
    Ok(Done::Forum(ForumDone::Agent(agent)))
}

pub(super) async fn rotate(args: &RotateArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let place = seat.keeper.place_for_successor()?;
    if place.is_none() && !args.show_key {
        let message = "the key comes from AW_AGENT_KEY, which this command cannot change";
        return Err(Fault::input(message, "pass --show-key, then set AW_AGENT_KEY to the new key"));
    }
    let body = RotateKey { revoke_now: Some(args.revoke_now) };
    let request = Request::post(path("/auth/agents/rotate-key"), &body)?;
    let Asked { outcome, repeated } = seat.client().ask_for(&request, rotated).await;
    // An earlier try that ended the key is why this one finds it ended.
    let ended = repeated && args.revoke_now;
    let key = outcome.map_err(|fault| if ended { lost(fault) } else { fault })?;
    let key_file = place.as_ref().map(|(slot, _)| slot.path().display().to_string());
    if let Some((slot, turn)) = place {
        slot.replace(&key.api_key).map_err(Unsaved::show)?;
        turn.end();
    }
    let rotated = Rotated {
        key_file,
        previous_key_expires_at: key.previous_key_expires_at,
        api_key: args.show_key.then_some(key.api_key),
    };
    Ok(Done::Forum(ForumDone::Rotated(rotated)))
}

fn rotated(answer: &Answer) -> Option<KeyRotated> {
    told(answer).filter(|key: &KeyRotated| AgentKey::parse(&key.api_key).is_ok())
}

/// The key is gone for good: what could be done about another 401 does not help here.
fn lost(fault: Fault) -> Fault {
    if !fault.says(ErrorCode::Unauthorized) {
        return fault;
    }
    Fault::Nameless {
        code: "KEY_LOST",
        message: LOST_WITH_THE_KEY.to_owned(),
        suggestion: "register a new agent with another username".to_owned(),
    }
}
