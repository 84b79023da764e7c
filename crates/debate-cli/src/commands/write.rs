//! The commands that write. Each sends one request, with the same idempotency key on every retry.

use std::io::{self, IsTerminal, Write};

use debate_wire::agent::Receipt;
use debate_wire::arena::{
    CreateDebate, Deleted, Side, SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution,
    SubmitRuling, Transcript, Written,
};
use debate_wire::{ErrorBody, ErrorCode};
use serde::Serialize;

use super::Desk;
use super::ids::{argument_id, debate_id, debate_path, new_debate_id, new_id};
use crate::args::{
    AppealArgs, CompletionArgs, CreateArgs, DeleteArgs, InterventionArgs, KeyFlag, RulingArgs,
    SubmitArgs,
};
use crate::client::{Asked, Request, enveloped};
use crate::fault::Fault;
use crate::output::{About, Done};
use crate::service;

pub(super) async fn create(args: &CreateArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    // Generated here rather than by the server, so that a retry cannot create a second debate.
    let debate = match &args.debate_id {
        Some(id) => new_debate_id(id)?.to_string(),
        None => new_id(),
    };
    let key = key_of(&args.key);
    let body = CreateDebate {
        debate_id: Some(debate.clone()),
        title: args.title.clone(),
        debate_type: args.r#type,
        motion_content: args.content.read()?,
        client_request_id: Some(key.clone()),
        auto_ruling: None,
    };
    service::ensure(desk).await?;
    let receipt = post(desk, "/debates", &body, &key).await?;
    let wait = desk.wait_command(&debate, Side::Proposer, Some(&receipt.argument_id));
    let message = format!(
        "Debate created. Give its ID to the opponent, then wait for the answer with `{wait}`."
    );
    Ok(Done::Written(receipt, About::Opening(message)))
}

pub(super) async fn submit(args: &SubmitArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = key_of(&args.key);
    let body = SubmitClaim {
        role: args.role,
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(desk, &debate_path(&debate, "/arguments"), &body, &key).await?;
    Ok(Done::Written(receipt, About::Argument))
}

pub(super) async fn appeal(args: &AppealArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = key_of(&args.key);
    let body = SubmitAppeal {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(desk, &debate_path(&debate, "/appeal"), &body, &key).await?;
    Ok(Done::Written(receipt, About::Argument))
}

pub(super) async fn request_completion(
    args: &CompletionArgs,
    desk: &Desk<'_>,
) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = key_of(&args.key);
    let body = SubmitResolution {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let receipt = post(desk, &debate_path(&debate, "/resolution"), &body, &key).await?;
    Ok(Done::Written(receipt, About::Argument))
}

pub(super) async fn ruling(args: &RulingArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = key_of(&args.key);
    let body = SubmitRuling {
        content: args.content.read()?,
        close: Some(args.close),
        client_request_id: Some(key.clone()),
    };
    let receipt = post(desk, &debate_path(&debate, "/ruling"), &body, &key).await?;
    Ok(Done::Written(receipt, About::Ruling { closed: args.close }))
}

pub(super) async fn intervention(args: &InterventionArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let key = key_of(&args.key);
    let content = args.content.read_if_given()?;
    let body = SubmitIntervention { content, client_request_id: Some(key.clone()) };
    let receipt = post(desk, &debate_path(&debate, "/intervention"), &body, &key).await?;
    Ok(Done::Written(receipt, About::Argument))
}

/// The caller's name for the write, or one that nobody has used.
fn key_of(flag: &KeyFlag) -> String {
    flag.client_request_id.clone().unwrap_or_else(new_id)
}

async fn post(
    desk: &Desk<'_>,
    path: &str,
    body: &impl Serialize,
    key: &str,
) -> Result<Receipt, Fault> {
    let request = Request::post(path, body)?;
    match desk.client.ask::<Written>(&request).await {
        Ok(written) => Ok(written.into()),
        Err(fault) => Err(fault.leaving_open(key)),
    }
}

pub(super) async fn delete(args: &DeleteArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = debate_id(&args.debate.debate_id)?;
    let path = debate_path(&debate, "");
    if !args.yes {
        someone_to_ask("the debate")?;
        let about = Request::get(format!("{path}?limit=0"));
        let about: Transcript = desk.client.ask(&about).await?;
        if !confirmed(&about.debate.title)? {
            return Ok(deletion(false));
        }
    }
    deleted(desk.client.ask_for(&Request::delete(path), enveloped).await)
}

/// Whether a deletion can be asked about at all.
pub(super) fn someone_to_ask(what: &str) -> Result<(), Fault> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    let message =
        format!("deleting {what} needs a confirmation, but standard input is not a terminal");
    Err(Fault::input(message, "pass --yes to delete without confirmation"))
}

/// Whether something is gone.
pub(super) const fn deletion(deleted: bool) -> Done {
    Done::Deleted(Deleted { deleted })
}

/// What a deletion came to, over all its tries.
pub(super) fn deleted(asked: Asked<Deleted>) -> Result<Done, Fault> {
    match asked.outcome {
        // The first try deleted it; only its answer never came.
        Err(fault) if asked.repeated && fault.is(ErrorCode::DebateNotFound) => Ok(deletion(true)),
        outcome => outcome.map(Done::Deleted),
    }
}

pub(super) fn confirmed(title: &str) -> Result<bool, Fault> {
    let failed = |err: io::Error| Fault::Local(err.to_string());
    let title = crate::output::one_line(title);
    write!(io::stderr(), "Delete “{title}” and everything in it? [y/N] ").map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The error of a debate or a run that was deleted meanwhile.
pub(super) fn gone(what: &str) -> Fault {
    let error = ErrorBody::new(ErrorCode::DebateNotFound, format!("the {what} was deleted"));
    Fault::Refused(serde_json::to_value(error).unwrap_or_default())
}
