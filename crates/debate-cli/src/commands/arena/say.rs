//! `aw debate say` and `aw debate next`: an argument of a kept seat, and the wait for the answer.

use debate_wire::ErrorCode;
use debate_wire::agent::Receipt;
use debate_wire::arena::{
    NewArgument, Side, State, SubmitAppeal, SubmitClaim, SubmitResolution, Transcript, WriteResult,
};

use super::turn::ActiveSeat;
use super::write::idempotency_key;
use super::{debate_path, parse_reference};
use crate::args::SayArgs;
use crate::client::ApiRequest;
use crate::commands::CommandContext;
use crate::content::read_text_or_file;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::seats::{KeptSeat, SeatChoice, SeatQuery, SeenArgument};

pub(super) async fn say(
    args: &SayArgs,
    query: SeatQuery,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let content = read_text_or_file(args.text.as_deref(), args.file.as_deref())?;
    let seat = seats.pick(&query)?.clone();
    let key = idempotency_key(&args.key);
    let target = match &seat.seen {
        Some(seen) => seen.id.clone(),
        None => newest_id(&seat, context).await?,
    };
    let request = request(args, &seat, target, content, &key)?;
    let written = match context.client.request::<WriteResult>(&request).await {
        Ok(written) => written,
        Err(failure) => {
            return Err(explain(failure, &seat, seats, context).with_unknown_outcome(&key));
        }
    };
    let before = seat.seen.as_ref().map_or(written.argument.seq, |seen| seen.seq);
    let own = SeenArgument { id: written.argument.id.clone(), seq: written.argument.seq };
    let mut active = ActiveSeat { seat, debate: written.debate.clone(), seats };
    let mut arguments = read_between(&active, before, own.seq, context).await?;
    active.advance(own, written.debate.state)?;
    let receipt = Receipt::from(written);
    let waits = !args.no_wait && active.debate.state != State::Closed;
    if waits {
        arguments.extend(active.wait_for_turn(context).await?);
    }
    let has_answer = active.has_turn() || active.debate.state == State::Closed;
    let turn = active.turn_message(waits && !has_answer, context);
    let message = format!("Saved as argument {}. {turn}", receipt.argument_seq);
    Ok(active.report(Some(receipt), arguments, message, context))
}

pub(super) async fn next(
    query: SeatQuery,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let seat = seats.pick(&query)?.clone();
    let (mut active, newest) = ActiveSeat::load(seat, seats, context).await?;
    let is_current = active.seat.seen == newest;
    let may_act = active.has_turn() || active.debate.state == State::Closed;
    // With the turn and nothing new to read there is nothing to wait for.
    let arguments = if is_current && may_act {
        active.save()?;
        Vec::new()
    } else {
        active.wait_for_turn(context).await?
    };
    let has_answer = active.has_turn() || active.debate.state == State::Closed;
    let message = active.turn_message(!has_answer, context);
    Ok(active.report(None, arguments, message, context))
}

/// The request of the argument, with the token of the seat.
fn request(
    args: &SayArgs,
    seat: &KeptSeat,
    target_id: String,
    content: String,
    key: &str,
) -> Result<ApiRequest, Failure> {
    let debate = parse_reference("debate", &seat.debate)?;
    let client_request_id = key.to_owned();
    let request = match (args.appeal, args.resolve) {
        (false, false) => {
            let role = seat.role;
            let body = SubmitClaim { role, target_id, content, client_request_id };
            ApiRequest::post(debate_path(&debate, "/arguments"), &body)?
        }
        (true, _) => {
            only_proposer(seat, "--appeal")?;
            let body = SubmitAppeal { target_id, content, client_request_id };
            ApiRequest::post(debate_path(&debate, "/appeal"), &body)?
        }
        (false, true) => {
            only_proposer(seat, "--resolve")?;
            let body = SubmitResolution { target_id, content, client_request_id };
            ApiRequest::post(debate_path(&debate, "/resolution"), &body)?
        }
    };
    Ok(request.with_seat(seat.token.as_ref()))
}

/// Refuses a move that the server knows only as the proposer's.
fn only_proposer(seat: &KeptSeat, flag: &str) -> Result<(), Failure> {
    match seat.role {
        Side::Proposer => Ok(()),
        Side::Opponent => Err(Failure::input(
            format!("{flag} is a move of the proposer; you are the opponent"),
            "answer with `aw debate say -f FILE`, and say in it what you concede",
        )),
    }
}

/// The newest argument of a debate of which none was printed.
async fn newest_id(seat: &KeptSeat, context: &CommandContext<'_>) -> Result<String, Failure> {
    let debate = parse_reference("debate", &seat.debate)?;
    let request = ApiRequest::get(debate_path(&debate, "?limit=1"));
    let transcript: Transcript = context.client.request(&request).await?;
    Ok(transcript.arguments.last().unwrap_or(&transcript.motion).id.clone())
}

/// The arguments after position `seen` and before the own one at `own`, which were written in the
/// meantime.
async fn read_between(
    active: &ActiveSeat<'_>,
    seen: u32,
    own: u32,
    context: &CommandContext<'_>,
) -> Result<Vec<NewArgument>, Failure> {
    if seen.saturating_add(1) >= own {
        return Ok(Vec::new());
    }
    let path = debate_path(&active.reference()?, "");
    let transcript: Transcript = context.client.request(&ApiRequest::get(path)).await?;
    let is_between = |argument: &NewArgument| (seen + 1..own).contains(&argument.seq);
    Ok(transcript.arguments.into_iter().map(NewArgument::from).filter(is_between).collect())
}

/// Adds the command that continues to a refusal.
fn explain(
    failure: Failure,
    seat: &KeptSeat,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Failure {
    let next = if seats.is_default(seat) {
        context.short_command(&["debate", "next"])
    } else {
        let role = debate_render::wire_name(&seat.role);
        context.short_command(&["debate", "next", seat.debate_name(), "--as", &role])
    };
    let advice = format!("wait for your turn with `{next}`, which prints the moves you may make");
    failure.with_advice(ErrorCode::ActionNotAllowed, &advice)
}
