//! Waiting: long polls back to back, through restarts of the server, until something is newer.

use std::time::Duration;

use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::agent::WaitEnd;
use debate_wire::arena::{Newer, News, NoNews, Side, State, Transcript, WaitQuery, Waited};
use tokio::time::Instant;

use super::Desk;
use super::ids::{argument_id, debate_id, debate_path};
use super::read::with_query;
use super::write::gone;
use crate::args::{WaitArgs, name};
use crate::client::{Event, Request, Tried};
use crate::fault::Fault;
use crate::output::Done;

/// The longest that one request is held.
const HOLD_MAX: Duration = Duration::from_secs(45);

/// How much longer than it was asked to hold a request a server may take to answer it.
const GRACE: Duration = Duration::from_secs(5);

/// Who waits for what.
struct Waiting {
    debate: Reference<DebateId>,
    role: Side,
    seen: Option<Reference<ArgumentId>>,
}

pub(super) async fn wait(args: &WaitArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let seen = args.argument_id.as_deref().filter(|text| !text.trim().is_empty());
    let waiting = Waiting {
        debate: debate_id(&args.debate.debate_id)?,
        role: args.role,
        seen: seen.map(|text| argument_id("--argument-id", text)).transpose()?,
    };
    let mut patience = desk.client.patience(desk.settings.wait_deadline);
    let mut last_seen_seq = None;
    loop {
        let hold = patience.left().min(HOLD_MAX);
        let asked = Instant::now();
        match desk.client.try_once(&waiting.request(hold)?, hold + GRACE).await {
            Tried::Done(Waited::News(news)) => return complete(&waiting, *news, desk).await,
            Tried::Done(Waited::Nothing(NoNews { last_seen_seq: seq, .. })) => {
                last_seen_seq = Some(seq);
                patience.calm();
                if patience.left().is_zero() {
                    return Ok(waiting.ran_out(seq, desk).await);
                }
                // A server that stops answers early; it is not asked again without a pause.
                let early = hold.saturating_sub(asked.elapsed());
                tokio::time::sleep(early.min(desk.settings.pause_floor)).await;
            }
            Tried::Refused(fault) => return Err(fault),
            Tried::Again(fault, after) => {
                let paused = patience.pause(fault, after, desk.client.notes).await;
                match (paused, last_seen_seq) {
                    (Ok(()), _) => {}
                    (Err(_), Some(seq)) => return Ok(waiting.ran_out(seq, desk).await),
                    // Nobody ever answered: that is no quiet debate.
                    (Err(fault), None) => return Err(fault.then_run(waiting.command(desk))),
                }
            }
        }
    }
}

impl Waiting {
    fn request(&self, hold: Duration) -> Result<Request, Fault> {
        let query = WaitQuery {
            role: Some(name(&self.role)),
            argument_id: self.seen_id(),
            timeout_ms: Some(hold.as_millis().max(1).to_string()),
            missed: Some("earlier".to_owned()),
        };
        Ok(Request::get(with_query(&debate_path(&self.debate, "/wait"), &query)?))
    }

    async fn ran_out(&self, last_seen_seq: u32, desk: &Desk<'_>) -> Done {
        let deadline = desk.settings.wait_deadline;
        let message = if self.is_over(desk).await {
            "The debate is closed; there will be no more arguments.".to_owned()
        } else {
            format!("No new argument within {deadline:?}.")
        };
        Done::Waited(Box::new(WaitEnd::Timeout {
            message,
            debate_id: self.debate.to_string(),
            last_argument_id: self.seen_id(),
            last_seen_seq,
            retry_command: self.command(desk),
        }))
    }

    /// Whether it is known that nothing will ever come: who has seen the last argument would wait
    /// for ever.
    async fn is_over(&self, desk: &Desk<'_>) -> bool {
        let question = Request::get(debate_path(&self.debate, "?limit=0"));
        match desk.client.try_once::<Transcript>(&question, GRACE).await {
            Tried::Done(transcript) => transcript.debate.state == State::Closed,
            Tried::Refused(_) | Tried::Again(..) => false,
        }
    }

    fn command(&self, desk: &Desk<'_>) -> String {
        desk.wait_command(&self.debate.to_string(), self.role, self.seen_id().as_deref())
    }

    fn seen_id(&self) -> Option<String> {
        self.seen.as_ref().map(ToString::to_string)
    }
}

impl Desk<'_> {
    /// The command that waits in a debate.
    pub(super) fn wait_command(&self, debate: &str, role: Side, seen: Option<&str>) -> String {
        let role = name(&role);
        let mut words = vec!["debate", "wait", "--debate-id", debate, "--role", &role];
        words.extend(seen.iter().flat_map(|seen| ["--argument-id", *seen]));
        self.command(&words)
    }
}

async fn complete(waiting: &Waiting, news: News, desk: &Desk<'_>) -> Result<Done, Fault> {
    let mut arguments = Vec::new();
    if news.arguments_omitted > 0 {
        let first = news.arguments.first().map_or(news.argument.seq, |first| first.seq);
        let seen = first.saturating_sub(news.arguments_omitted).saturating_sub(1);
        arguments = missed(waiting, seen, first, desk).await?;
    }
    // Servers before 0.2 repeat the newest argument here.
    arguments.extend(news.arguments.into_iter().filter(|each| each.id != news.argument.id));
    Ok(Done::Waited(Box::new(WaitEnd::NewArgument {
        action: news.action,
        debate_state: news.debate_state,
        next_argument_id_to_wait: news.argument.id.clone(),
        argument: news.argument,
        available_actions: news.available_actions,
        arguments,
    })))
}

/// What came after the place `seen` and before `first`: more than fits into one answer, so it is
/// read off the debate's stream. The place is given by its number: an original id can be a number
/// too.
async fn missed(
    waiting: &Waiting,
    seen: u32,
    first: u32,
    desk: &Desk<'_>,
) -> Result<Vec<Newer>, Fault> {
    let path = debate_path(&waiting.debate, "/events");
    let mut found: Vec<Newer> = Vec::new();
    let mut patience = desk.client.patience(desk.settings.wait_deadline.max(GRACE));
    loop {
        let after = found.last().map_or(seen, |argument| argument.seq).to_string();
        let mut stream = match desk.client.follow(&path, Some(&after)).await {
            Tried::Done(stream) => stream,
            Tried::Refused(fault) => return Err(fault),
            Tried::Again(fault, after) => {
                patience.pause(fault, after, desk.client.notes).await?;
                continue;
            }
        };
        let lost = loop {
            match stream.next().await {
                Event::Argument(written) if written.argument.seq < first => {
                    found.push(written.argument.into());
                }
                Event::Argument(_) => return Ok(found),
                Event::Reset | Event::End(_) => return Err(gone("debate")),
                Event::Lost(why) => break why,
            }
            if found.last().is_some_and(|argument| argument.seq + 1 == first) {
                return Ok(found);
            }
        };
        patience.pause(desk.client.unreachable(lost), None, desk.client.notes).await?;
    }
}
