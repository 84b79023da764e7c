//! The commands that write. Each sends one request, with the same idempotency key on every retry.

use debate_core::{DebateId, Reference};
use debate_wire::agent::Receipt;
use debate_wire::arena::{
    CreateDebate, Side, SubmitAppeal, SubmitClaim, SubmitIntervention, SubmitResolution,
    SubmitRuling, WriteResult,
};

use super::arbitrate::{self, Question};
use super::resolve::{find_debate, load_debate};
use super::{argument_id, debate_path, new_debate_id};
use crate::args::{
    AppealArgs, ArbitratorFlag, CompletionArgs, CreateArgs, DebateFlag, DeleteArgs,
    InterventionArgs, KeyFlag, RulingArgs, SubmitArgs,
};
use crate::client::{ApiRequest, arena_data};
use crate::commands::deletion::{confirm, deletion_output, require_terminal};
use crate::commands::{CommandContext, new_id};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput, WriteDetail};
use crate::seats::SeatChoice;
use crate::service;
use crate::settings::Token;

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
        seats: None,
        holder: None,
        invite_only: None,
    };
    service::ensure(context).await?;
    let receipt = post(ApiRequest::post("/debates", &body)?, &key, context).await?;
    let wait = context.wait_command(&debate, Side::Proposer, Some(&receipt.argument_id));
    let message = format!(
        "Debate created. Give its ID to the opponent, then wait for the answer with `{wait}`."
    );
    Ok(ArenaOutput::Written(receipt, WriteDetail::Created(message)).into())
}

pub(super) async fn submit(
    args: &SubmitArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let key = idempotency_key(&args.key);
    let body = SubmitClaim {
        role: args.role,
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let seat = kept_token(&args.debate, args.role, seats, context);
    let request = ApiRequest::post(debate_path(&debate, "/arguments"), &body)?;
    let receipt = post(request.with_seat(seat), &key, context).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn appeal(
    args: &AppealArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let key = idempotency_key(&args.key);
    let body = SubmitAppeal {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let seat = kept_token(&args.debate, Side::Proposer, seats, context);
    let request = ApiRequest::post(debate_path(&debate, "/appeal"), &body)?;
    let receipt = post(request.with_seat(seat), &key, context).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn request_completion(
    args: &CompletionArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let key = idempotency_key(&args.key);
    let body = SubmitResolution {
        target_id: argument_id("--target-id", &args.target_id)?.to_string(),
        content: args.content.read()?,
        client_request_id: key.clone(),
    };
    let seat = kept_token(&args.debate, Side::Proposer, seats, context);
    let request = ApiRequest::post(debate_path(&debate, "/resolution"), &body)?;
    let receipt = post(request.with_seat(seat), &key, context).await?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

pub(super) async fn ruling(
    args: &RulingArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let ruling = RulingRequest {
        content: args.content.read()?,
        close: args.close,
        key: idempotency_key(&args.key),
    };
    ruling.send(&debate, &args.arbitrator, context).await
}

/// A ruling to send.
pub(super) struct RulingRequest {
    pub(super) content: String,
    pub(super) close: bool,
    pub(super) key: String,
}

impl RulingRequest {
    pub(super) async fn send(
        self,
        debate: &Reference<DebateId>,
        arbitrator: &ArbitratorFlag,
        context: &CommandContext<'_>,
    ) -> Result<CommandOutput, Failure> {
        let Self { content, close, key } = self;
        let client_request_id = Some(key.clone());
        let body = SubmitRuling { content, close: Some(close), client_request_id };
        let request = ApiRequest::post(debate_path(debate, "/ruling"), &body)?;
        let question: Question = |title| format!("Rule on “{title}”?");
        let sent = arbitrate::send(request, arena_data, debate, (question, arbitrator), context);
        let receipt = receipt(sent.await.outcome, &key)?;
        Ok(ArenaOutput::Written(receipt, WriteDetail::Ruling { closed: close }).into())
    }
}

pub(super) async fn intervention(
    args: &InterventionArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let key = idempotency_key(&args.key);
    let content = args.content.read_optional()?;
    let body = SubmitIntervention { content, client_request_id: Some(key.clone()) };
    let request = ApiRequest::post(debate_path(&debate, "/intervention"), &body)?;
    let question: Question = |title| format!("Pause “{title}” until you rule?");
    let asked = (question, &args.arbitrator);
    let sent = arbitrate::send(request, arena_data, &debate, asked, context).await;
    let receipt = receipt(sent.outcome, &key)?;
    Ok(ArenaOutput::Written(receipt, WriteDetail::Argument).into())
}

/// The idempotency key of the flag, or a new one.
pub(super) fn idempotency_key(flag: &KeyFlag) -> String {
    flag.client_request_id.clone().unwrap_or_else(new_id)
}

/// The kept token of a role in the debate that a flag names; none in a debate without seats.
fn kept_token<'s>(
    debate: &DebateFlag,
    role: Side,
    seats: &'s SeatChoice,
    context: &CommandContext<'_>,
) -> Option<&'s Token> {
    let seat = seats.find(&debate.debate_id, role, &context.settings.url)?;
    seat.token.as_ref()
}

async fn post(
    request: ApiRequest,
    key: &str,
    context: &CommandContext<'_>,
) -> Result<Receipt, Failure> {
    receipt(context.client.request(&request).await, key)
}

fn receipt(outcome: Result<WriteResult, Failure>, key: &str) -> Result<Receipt, Failure> {
    outcome.map(Receipt::from).map_err(|failure| failure.with_unknown_outcome(key))
}

pub(super) async fn delete(
    args: &DeleteArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = find_debate(&args.debate.debate_id, context).await?;
    let path = debate_path(&debate, "");
    if !args.yes && args.arbitrator.arbitrator_token_file.is_none() {
        require_terminal("the debate")?;
        let about = load_debate(&debate, context).await?;
        // In a debate with seats the question about arbitrator rights is enough.
        if !about.seats && !confirm(&about.title)? {
            return Ok(CommandOutput::deletion(false));
        }
    }
    let request = ApiRequest::delete(path);
    let question: Question = |title| format!("Delete “{title}” and everything in it?");
    let asked = (question, &args.arbitrator);
    deletion_output(arbitrate::send(request, arena_data, &debate, asked, context).await)
}
