//! Follows a debate until it is closed, and reconnects after lost connections.

use std::pin::pin;
use std::time::Duration;

use debate_wire::arena::{Reason, State};
use tokio::time::Instant;

use super::debate_path;
use super::resolve::find_debate;
use crate::args::WatchArgs;
use crate::client::{Attempted, DebateEvent, EventStream, StreamEnd};
use crate::commands::CommandContext;
use crate::commands::deletion::deleted_failure;
use crate::failure::Failure;
use crate::output::{CommandOutput, is_closed_pipe};

/// A stream of this duration resets the retry deadline.
const ESTABLISHED: Duration = Duration::from_secs(10);

/// The silence after which the last argument of a stream counts as the newest one.
const REPLAY_PAUSE: Duration = Duration::from_millis(300);

pub(super) async fn watch(
    args: &WatchArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let path = debate_path(&find_debate(&args.debate.debate_id, context).await?, "/events");
    let mut seen: Option<String> = None;
    let mut budget = context.client.retry_budget(context.settings.wait_deadline);
    loop {
        let opened = Instant::now();
        let before = seen.clone();
        let (failure, after) = match context.client.follow(&path, seen.as_deref()).await {
            Attempted::Success(stream) => match show(stream, &mut seen, context).await? {
                StreamEnd::Finished => return Ok(CommandOutput::Printed),
                StreamEnd::Disconnected(why) => (context.client.unreachable(why), None),
            },
            Attempted::Rejected(failure) => return Err(failure),
            Attempted::Retryable(failure, after) => (failure, after),
        };
        if seen != before || opened.elapsed() > ESTABLISHED {
            budget = context.client.retry_budget(context.settings.wait_deadline);
        }
        budget.pause(failure, after, context.client.notes).await?;
    }
}

async fn show(
    mut stream: EventStream<DebateEvent>,
    seen: &mut Option<String>,
    context: &CommandContext<'_>,
) -> Result<StreamEnd, Failure> {
    let mut pending_ruling = None;
    loop {
        match next_event(&mut stream, pending_ruling.take(), context).await {
            DebateEvent::Argument(written) => match context.printer.argument(&written) {
                Ok(()) => {
                    let debate = written.debate;
                    let name = if debate.slug.is_empty() { debate.id } else { debate.slug };
                    pending_ruling = needs_ruling(debate.state).then_some(name);
                    *seen = Some(written.argument.id);
                }
                Err(err) if is_closed_pipe(&err) => return Ok(StreamEnd::Finished),
                Err(err) => return Err(Failure::Local(err.to_string())),
            },
            DebateEvent::Reset => {
                context.client.notes.print(format_args!(
                    "the stream restarted; printing the debate from its start"
                ));
            }
            DebateEvent::End(Reason::DebateDeleted) => return Err(deleted_failure("debate")),
            DebateEvent::End(Reason::DebateClosed | Reason::UnknownPosition) => {
                context.client.notes.print(format_args!("the debate is closed"));
                return Ok(StreamEnd::Finished);
            }
            DebateEvent::Lost(why) => return Ok(StreamEnd::Disconnected(why)),
        }
    }
}

/// The next event. If the debate `pending` needs a ruling and no event follows at once, the command
/// for it is printed first: earlier appeals of a debate are followed by their rulings.
async fn next_event(
    stream: &mut EventStream<DebateEvent>,
    pending: Option<String>,
    context: &CommandContext<'_>,
) -> DebateEvent {
    let Some(debate) = pending else { return stream.next().await };
    let mut next = pin!(stream.next());
    tokio::select! {
        event = &mut next => return event,
        () = tokio::time::sleep(REPLAY_PAUSE) => {}
    }
    let words = ["rule", &debate, "YOUR RULING"];
    let command = context.command(&words);
    context.client.notes.print(format_args!("the debate needs a ruling; rule with: {command}"));
    next.await
}

/// Whether the arbitrator acts next.
const fn needs_ruling(state: State) -> bool {
    match state {
        State::AwaitingArbitrator | State::InterventionPending => true,
        State::AwaitingOpponent | State::AwaitingProposer | State::Closed => false,
    }
}
