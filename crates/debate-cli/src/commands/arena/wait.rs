//! Waits for a new argument with repeated long polls, also while the server restarts.

use std::time::Duration;

use debate_core::{ArgumentId, DebateId, Reference};
use debate_render::wire_name;
use debate_wire::agent::WaitEnd;
use debate_wire::arena::{
    NewArgument, NewArguments, NoNewArguments, Side, State, Transcript, WaitQuery, WaitResult,
};
use tokio::time::Instant;

use super::{argument_id, debate_id, debate_path};
use crate::args::WaitArgs;
use crate::client::{ApiRequest, Attempted, DebateEvent};
use crate::commands::deletion::deleted_failure;
use crate::commands::{CommandContext, with_query};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};

/// The maximum duration of one long poll.
const HOLD_MAX: Duration = Duration::from_secs(45);

/// The time that a server may need beyond the requested duration of a long poll.
const GRACE: Duration = Duration::from_secs(5);

/// The parameters of a wait.
struct WaitRequest {
    debate: Reference<DebateId>,
    role: Side,
    seen: Option<Reference<ArgumentId>>,
}

pub(super) async fn wait(
    args: &WaitArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let seen = args.argument_id.as_deref().filter(|text| !text.trim().is_empty());
    let waiting = WaitRequest {
        debate: debate_id(&args.debate.debate_id)?,
        role: args.role,
        seen: seen.map(|text| argument_id("--argument-id", text)).transpose()?,
    };
    let mut budget = context.client.retry_budget(context.settings.wait_deadline);
    let mut last_seen_seq = None;
    loop {
        let hold = budget.remaining().min(HOLD_MAX);
        let asked = Instant::now();
        match context.client.attempt(&waiting.request(hold)?, hold + GRACE).await {
            Attempted::Success(WaitResult::NewArguments(news)) => {
                return complete(&waiting, *news, context).await;
            }
            Attempted::Success(WaitResult::Nothing(NoNewArguments {
                last_seen_seq: seq, ..
            })) => {
                last_seen_seq = Some(seq);
                budget.reset();
                if budget.remaining().is_zero() {
                    return Ok(waiting.timeout(seq, context).await);
                }
                // A server that shuts down responds early; the next request needs a pause.
                let early = hold.saturating_sub(asked.elapsed());
                tokio::time::sleep(early.min(context.settings.pause_min)).await;
            }
            Attempted::Rejected(failure) => return Err(failure),
            Attempted::Retryable(failure, after) => {
                let paused = budget.pause(failure, after, context.client.notes).await;
                match (paused, last_seen_seq) {
                    (Ok(()), _) => {}
                    (Err(_), Some(seq)) => return Ok(waiting.timeout(seq, context).await),
                    // Without any response the state of the debate is unknown.
                    (Err(failure), None) => return Err(failure.then_run(waiting.command(context))),
                }
            }
        }
    }
}

impl WaitRequest {
    fn request(&self, hold: Duration) -> Result<ApiRequest, Failure> {
        let query = WaitQuery {
            role: Some(wire_name(&self.role)),
            argument_id: self.seen_id(),
            timeout_ms: Some(hold.as_millis().max(1).to_string()),
            missed: Some("earlier".to_owned()),
        };
        Ok(ApiRequest::get(with_query(&debate_path(&self.debate, "/wait"), &query)?))
    }

    async fn timeout(&self, last_seen_seq: u32, context: &CommandContext<'_>) -> CommandOutput {
        let deadline = context.settings.wait_deadline;
        let message = if self.is_closed(context).await {
            "The debate is closed; there will be no more arguments.".to_owned()
        } else {
            format!("No new argument within {deadline:?}.")
        };
        ArenaOutput::WaitEnd(Box::new(WaitEnd::Timeout {
            message,
            debate_id: self.debate.to_string(),
            last_argument_id: self.seen_id(),
            last_seen_seq,
            retry_command: self.command(context),
        }))
        .into()
    }

    /// Whether the debate is closed, so that no argument will follow.
    async fn is_closed(&self, context: &CommandContext<'_>) -> bool {
        let question = ApiRequest::get(debate_path(&self.debate, "?limit=0"));
        match context.client.attempt::<Transcript>(&question, GRACE).await {
            Attempted::Success(transcript) => transcript.debate.state == State::Closed,
            Attempted::Rejected(_) | Attempted::Retryable(..) => false,
        }
    }

    fn command(&self, context: &CommandContext<'_>) -> String {
        context.wait_command(&self.debate.to_string(), self.role, self.seen_id().as_deref())
    }

    fn seen_id(&self) -> Option<String> {
        self.seen.as_ref().map(ToString::to_string)
    }
}

impl CommandContext<'_> {
    /// The command that waits in a debate.
    pub(super) fn wait_command(&self, debate: &str, role: Side, seen: Option<&str>) -> String {
        let role = wire_name(&role);
        let mut words = vec!["debate", "wait", "--debate-id", debate, "--role", &role];
        words.extend(seen.iter().flat_map(|seen| ["--argument-id", *seen]));
        self.command(&words)
    }
}

async fn complete(
    waiting: &WaitRequest,
    news: NewArguments,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let mut arguments = Vec::new();
    if news.arguments_omitted > 0 {
        let first = news.arguments.first().map_or(news.argument.seq, |first| first.seq);
        let seen = first.saturating_sub(news.arguments_omitted).saturating_sub(1);
        arguments = read_omitted(waiting, seen, first, context).await?;
    }
    // Servers before 0.2 repeat the newest argument here.
    arguments.extend(news.arguments.into_iter().filter(|each| each.id != news.argument.id));
    Ok(ArenaOutput::WaitEnd(Box::new(WaitEnd::NewArgument {
        action: news.action,
        debate_state: news.debate_state,
        next_argument_id_to_wait: news.argument.id.clone(),
        argument: news.argument,
        available_actions: news.available_actions,
        arguments,
    }))
    .into())
}

/// The arguments after position `seen` and before `first`, which one response cannot contain. They
/// are read from the debate's event stream. The position is a number, because an original ID can
/// also be a number.
async fn read_omitted(
    waiting: &WaitRequest,
    seen: u32,
    first: u32,
    context: &CommandContext<'_>,
) -> Result<Vec<NewArgument>, Failure> {
    let path = debate_path(&waiting.debate, "/events");
    let mut found: Vec<NewArgument> = Vec::new();
    let mut budget = context.client.retry_budget(context.settings.wait_deadline.max(GRACE));
    loop {
        let after = found.last().map_or(seen, |argument| argument.seq).to_string();
        let mut stream = match context.client.follow(&path, Some(&after)).await {
            Attempted::Success(stream) => stream,
            Attempted::Rejected(failure) => return Err(failure),
            Attempted::Retryable(failure, after) => {
                budget.pause(failure, after, context.client.notes).await?;
                continue;
            }
        };
        let lost = loop {
            match stream.next().await {
                DebateEvent::Argument(written) if written.argument.seq < first => {
                    found.push(written.argument.into());
                }
                DebateEvent::Argument(_) => return Ok(found),
                DebateEvent::Reset | DebateEvent::End(_) => return Err(deleted_failure("debate")),
                DebateEvent::Lost(why) => break why,
            }
            if found.last().is_some_and(|argument| argument.seq + 1 == first) {
                return Ok(found);
            }
        };
        budget.pause(context.client.unreachable(lost), None, context.client.notes).await?;
    }
}
