//! Waits for a new argument with repeated long polls, also while the server restarts.

use std::time::Duration;

use debate_core::{ArgumentId, DebateId, Reference};
use debate_render::wire_name;
use debate_wire::agent::WaitEnd;
use debate_wire::arena::{
    Action, NewArgument, NewArguments, NoNewArguments, Side, State, Transcript, WaitAction,
    WaitQuery, WaitResult,
};
use tokio::time::Instant;

use super::resolve::find_debate;
use super::{argument_id, debate_path};
use crate::args::WaitArgs;
use crate::client::{ApiRequest, Attempted, DebateEvent};
use crate::commands::deletion::deleted_failure;
use crate::commands::{CommandContext, with_query};
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::SeatChoice;
use crate::settings::Token;

/// The maximum duration of one long poll.
const HOLD_MAX: Duration = Duration::from_secs(45);

/// The time that a server may need beyond the requested duration of a long poll.
const GRACE: Duration = Duration::from_secs(5);

/// The parameters of a wait.
pub(super) struct WaitRequest {
    pub(super) debate: Reference<DebateId>,
    pub(super) role: Side,
    pub(super) seen: Option<Reference<ArgumentId>>,
    /// The token of the waiting seat, by which the others see that it is present.
    pub(super) seat: Option<Token>,
}

/// The result of a wait.
pub(super) enum WaitOutcome {
    News(Box<News>),
    /// Nothing new before the deadline; the position of the last argument that the caller has seen.
    Timeout(u32),
}

/// The arguments after the position of a wait, also those that one response cannot contain.
pub(super) struct News {
    pub(super) action: WaitAction,
    pub(super) debate_state: State,
    pub(super) newest: NewArgument,
    /// The new arguments before the newest one, oldest first.
    pub(super) earlier: Vec<NewArgument>,
    pub(super) available_actions: Vec<Action>,
}

pub(super) async fn wait(
    args: &WaitArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let seen = args.argument_id.as_deref().filter(|text| !text.trim().is_empty());
    let name = &args.debate.debate_id;
    let seat = seats.find(name, args.role, &context.settings.url);
    let waiting = WaitRequest {
        debate: find_debate(name, context).await?,
        role: args.role,
        seen: seen.map(|text| argument_id("--argument-id", text)).transpose()?,
        seat: seat.and_then(|seat| seat.token.clone()),
    };
    let limit = context.settings.wait_deadline;
    match waiting.run(limit, context).await {
        Ok(WaitOutcome::News(news)) => Ok(news_output(*news)),
        Ok(WaitOutcome::Timeout(seq)) => Ok(waiting.timeout(seq, context).await),
        Err(failure) => Err(failure.then_run(waiting.command(context))),
    }
}

impl WaitRequest {
    /// Sends long polls back to back until there is a new argument or `limit` has passed.
    pub(super) async fn run(
        &self,
        limit: Duration,
        context: &CommandContext<'_>,
    ) -> Result<WaitOutcome, Failure> {
        let mut budget = context.client.retry_budget(limit);
        let mut last_seen_seq = None;
        loop {
            let hold = budget.remaining().min(HOLD_MAX);
            let asked = Instant::now();
            match context.client.attempt(&self.request(hold)?, hold + GRACE).await {
                Attempted::Success(WaitResult::NewArguments(news)) => {
                    return complete(self, *news, context).await;
                }
                Attempted::Success(WaitResult::Nothing(NoNewArguments {
                    last_seen_seq: seq,
                    ..
                })) => {
                    last_seen_seq = Some(seq);
                    budget.reset();
                    if budget.remaining().is_zero() {
                        return Ok(WaitOutcome::Timeout(seq));
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
                        (Err(_), Some(seq)) => return Ok(WaitOutcome::Timeout(seq)),
                        // Without any response the state of the debate is unknown.
                        (Err(failure), None) => return Err(failure),
                    }
                }
            }
        }
    }

    fn request(&self, hold: Duration) -> Result<ApiRequest, Failure> {
        let query = WaitQuery {
            role: Some(wire_name(&self.role)),
            argument_id: self.seen_id(),
            timeout_ms: Some(hold.as_millis().max(1).to_string()),
            missed: Some("earlier".to_owned()),
        };
        let request = ApiRequest::get(with_query(&debate_path(&self.debate, "/wait"), &query)?);
        Ok(request.with_seat(self.seat.as_ref()))
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
) -> Result<WaitOutcome, Failure> {
    let mut earlier = Vec::new();
    if news.arguments_omitted > 0 {
        let first = news.arguments.first().map_or(news.argument.seq, |first| first.seq);
        let seen = first.saturating_sub(news.arguments_omitted).saturating_sub(1);
        earlier = read_omitted(waiting, seen, first, context).await?;
    }
    // Servers before 0.2 repeat the newest argument here.
    earlier.extend(news.arguments.into_iter().filter(|each| each.id != news.argument.id));
    Ok(WaitOutcome::News(Box::new(News {
        action: news.action,
        debate_state: news.debate_state,
        newest: news.argument,
        earlier,
        available_actions: news.available_actions,
    })))
}

fn news_output(news: News) -> CommandOutput {
    ArenaOutput::WaitEnd(Box::new(WaitEnd::NewArgument {
        action: news.action,
        debate_state: news.debate_state,
        next_argument_id_to_wait: news.newest.id.clone(),
        argument: news.newest,
        available_actions: news.available_actions,
        arguments: news.earlier,
    }))
    .into()
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
