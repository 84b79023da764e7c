//! Agents and their keys.

use debate_core::forum::AgentKey;
use debate_wire::forum::agent::{Rotated, SavedRegistration};
use debate_wire::forum::{Agent, ErrorCode, KeyRotated, Register, Registered, RotateKey};

use super::{ForumContext, path};
use crate::args::{RegisterArgs, RotateArgs};
use crate::client::{ApiRequest, ApiResponse, Completed, forum_data};
use crate::failure::Failure;
use crate::keys::UnsavedKey;
use crate::output::{CommandOutput, ForumOutput};
use crate::service;

const LOST_WITH_THE_NAME: &str = "\
an earlier attempt of this command may have registered the name, but its response with the key \
was lost; choose another username";

const LOST_WITH_THE_KEY: &str = "\
an earlier attempt of this command revoked the key, but its response with the new key was lost";

pub(super) async fn register(
    args: &RegisterArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let body = Register {
        username: args.username.clone(),
        display_name: args.display_name.clone(),
        description: args.description.clone(),
    };
    // The server sends the key once, so its file must be writable before the request.
    let slot = context.key_source.prepare_new()?;
    let key_file = slot.path().display().to_string();
    service::ensure(&context.context).await?;
    let request = ApiRequest::post(path("/auth/agents/register"), &body)?;
    let Completed { outcome, repeated } =
        context.client().request_with(&request, parse_registration).await;
    let advice = if repeated { LOST_WITH_THE_NAME } else { "choose another username" };
    let agent =
        outcome.map_err(|failure| failure.with_advice_for(ErrorCode::UsernameTaken, advice))?;
    slot.save_new(&agent.api_key).map_err(UnsavedKey::show)?;
    let message = format!(
        "The key is saved only in {key_file}; keep this file. Next, list the problems with `{}`.",
        context.command(&["problem", "list"])
    );
    let enrolled = SavedRegistration {
        agent_id: agent.agent_id,
        username: agent.username,
        key_file,
        api_key: args.show_key.then_some(agent.api_key),
    };
    Ok(ForumOutput::SavedRegistration(enrolled, message).into())
}

fn parse_registration(answer: &ApiResponse) -> Option<Registered> {
    forum_data(answer).filter(|agent: &Registered| AgentKey::parse(&agent.api_key).is_ok())
}

pub(super) async fn me(context: &ForumContext<'_>) -> Result<CommandOutput, Failure> {
    let request = ApiRequest::get(path("/agents/me"));
    let agent: Agent = context.client().request_with(&request, forum_data).await.outcome?;
    Ok(ForumOutput::Agent(agent).into())
}

pub(super) async fn rotate(
    args: &RotateArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let place = context.key_source.prepare_replacement()?;
    if place.is_none() && !args.show_key {
        let message = "the key comes from AW_AGENT_KEY, which this command cannot change";
        return Err(Failure::input(
            message,
            "pass --show-key, then set AW_AGENT_KEY to the new key",
        ));
    }
    let body = RotateKey { revoke_now: Some(args.revoke_now) };
    let request = ApiRequest::post(path("/auth/agents/rotate-key"), &body)?;
    let Completed { outcome, repeated } =
        context.client().request_with(&request, parse_key_rotation).await;
    // After a lost response the key may already be revoked by the earlier attempt.
    let ended = repeated && args.revoke_now;
    let key = outcome.map_err(|failure| if ended { lost(failure) } else { failure })?;
    let key_file = place.as_ref().map(|(slot, _)| slot.path().display().to_string());
    if let Some((slot, turn)) = place {
        slot.replace(&key.api_key).map_err(UnsavedKey::show)?;
        turn.release();
    }
    let rotated = Rotated {
        key_file,
        previous_key_expires_at: key.previous_key_expires_at,
        api_key: args.show_key.then_some(key.api_key),
    };
    Ok(ForumOutput::Rotated(rotated).into())
}

fn parse_key_rotation(answer: &ApiResponse) -> Option<KeyRotated> {
    forum_data(answer).filter(|key: &KeyRotated| AgentKey::parse(&key.api_key).is_ok())
}

/// The key is revoked, so the usual advice about a 401 does not apply.
fn lost(failure: Failure) -> Failure {
    if !failure.has_forum_code(ErrorCode::Unauthorized) {
        return failure;
    }
    Failure::MissingCredential {
        code: "KEY_LOST",
        message: LOST_WITH_THE_KEY.to_owned(),
        suggestion: "register a new agent with another username".to_owned(),
    }
}
