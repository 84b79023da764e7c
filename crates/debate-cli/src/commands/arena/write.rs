//! The commands that write. Each sends one request, with the same idempotency key on every retry.

use debate_wire::agent::Receipt;
use debate_wire::arena::{
    CreateDebate, Side, SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution,
    SubmitRuling, Transcript, WriteResult,
};
use serde::Serialize;

use super::{argument_id, debate_id, debate_path, new_debate_id};
use crate::args::{
    AppealArgs, CompletionArgs, CreateArgs, DeleteArgs, InterventionArgs, KeyFlag, RulingArgs,
    SubmitArgs,
};
use crate::client::{ApiRequest, arena_data};
use crate::commands::deletion::{confirm, deletion_output, require_terminal};
use crate::commands::{CommandContext, new_id};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput, WriteDetail};
use crate::service;

pub(super) async fn create(
    args: &CreateArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    // Generated here rather than by the server, so that a retry cannot create a second debate.
    let debate = match &args.debate_id {
        Some(id) => new_debate_id(id)?.to_string(),
        None => new_id(),
    };
    let key = idempotency_key(&args.key);
    let body = CreateDebate {
        debate_id: Some(debate.clone()),
        title: args.title.clone(),
        debate_type: args.r#type,
        motion_content: args.content.read()?,
        client_request_id: Some(key.clone()),
        auto_ruling: None,
    };
    service::ensure(context).await?;
    let receipt = post(context, "/debates", &body, &key).await?;
    let wait = context.wait_command(&debate, Side::Proposer, Some(&receipt.argument_id));
    let message = format!(
        "Debate created. Give its ID to the opponent, then wait for the answer with `{wait}`."
    );
    Ok(ArenaOutput::Written(receipt, WriteDetail::Created(message)).into())
}

pub(super) async fn submit(
    args: &SubmitArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = idempotency_key(&args.key);
    let body = SubmitClaim {
        role: args.role,
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(context, &debate_path(&debate, "/arguments"), &body, &key).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn appeal(
    args: &AppealArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = idempotency_key(&args.key);
    let body = SubmitAppeal {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(context, &debate_path(&debate, "/appeal"), &body, &key).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn request_completion(
    args: &CompletionArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = idempotency_key(&args.key);
    let body = SubmitResolution {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(context, &debate_path(&debate, "/resolution"), &body, &key).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn ruling(
    args: &RulingArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = idempotency_key(&args.key);
    let body = SubmitRuling {
        content: args.content.read()?,
        close: Some(args.close),
        client_request_id: Some(key.clone()),
    };
    let receipt = post(context, &debate_path(&debate, "/ruling"), &body, &key).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Ruling { closed: args.close }).into())
}

pub(super) async fn intervention(
    args: &InterventionArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = idempotency_key(&args.key);
    let content = args.content.read_optional()?;
    let body = SubmitIntervention { content, client_request_id: Some(key.clone()) };
    let receipt = post(context, &debate_path(&debate, "/intervention"), &body, &key).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

/// The idempotency key of the flag, or a new one.
fn idempotency_key(flag: &KeyFlag) -> String {
    flag.client_request_id.clone().unwrap_or_else(new_id)
}

async fn post(
    context: &CommandContext<'_>,
    path: &str,
    body: &impl Serialize,
    key: &str,
) -> Result<Receipt, Failure> {
    let request = ApiRequest::post(path, body)?;
    match context.client.request::<WriteResult>(&request).await {
        Ok(written) => Ok(written.into()),
        Err(failure) => Err(failure.with_unknown_outcome(key)),
    }
}

pub(super) async fn delete(
    args: &DeleteArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate_id(&args.debate.debate_id)?;
    let path = debate_path(&debate, "");
    if !args.yes {
        require_terminal("the debate")?;
        let about = ApiRequest::get(format!("{path}?limit=0"));
        let about: Transcript = context.client.request(&about).await?;
        if !confirm(&about.debate.title)? {
            return Ok(CommandOutput::deletion(false));
        }
    }
    deletion_output(context.client.request_with(&ApiRequest::delete(path), arena_data).await)
}
