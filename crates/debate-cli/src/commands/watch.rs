//! Following a debate live, over every cut, until it is closed.

use std::time::Duration;

use debate_wire::arena::Reason;
use tokio::time::Instant;

use super::Desk;
use super::ids::{debate_id, debate_path};
use super::write::gone;
use crate::args::WatchArgs;
use crate::client::{Event, Follower, Tried};
use crate::fault::Fault;
use crate::output::{Done, has_left};

/// A stream that has lived this long was a stream, not an attempt.
const LIVED: Duration = Duration::from_secs(10);

/// How a stream ended.
enum Ended {
    /// All was shown, or nobody looks any more.
    Over,
    /// The connection is gone.
    Cut(String),
}

pub(super) async fn watch(args: &WatchArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let path = debate_path(&debate_id(&args.debate.debate_id)?, "/events");
    let mut seen: Option<String> = None;
    let mut patience = desk.client.patience(desk.settings.wait_deadline);
    loop {
        let opened = Instant::now();
        let before = seen.clone();
        let (fault, after) = match desk.client.follow(&path, seen.as_deref()).await {
            Tried::Done(stream) => match show(stream, &mut seen, desk).await? {
                Ended::Over => return Ok(Done::Shown),
                Ended::Cut(why) => (desk.client.unreachable(why), None),
            },
            Tried::Refused(fault) => return Err(fault),
            Tried::Again(fault, after) => (fault, after),
        };
        if seen != before || opened.elapsed() > LIVED {
            patience = desk.client.patience(desk.settings.wait_deadline);
        }
        patience.pause(fault, after, desk.client.notes).await?;
    }
}

async fn show(
    mut stream: Follower<Event>,
    seen: &mut Option<String>,
    desk: &Desk<'_>,
) -> Result<Ended, Fault> {
    loop {
        match stream.next().await {
            Event::Argument(written) => match desk.printer.argument(&written) {
                Ok(()) => *seen = Some(written.argument.id),
                Err(err) if has_left(&err) => return Ok(Ended::Over),
                Err(err) => return Err(Fault::Local(err.to_string())),
            },
            Event::Reset => {
                desk.client
                    .notes
                    .say(format_args!("the stream restarted; printing the debate from its start"));
            }
            Event::End(Reason::DebateDeleted) => return Err(gone("debate")),
            Event::End(Reason::DebateClosed | Reason::UnknownPosition) => {
                desk.client.notes.say(format_args!("the debate is closed"));
                return Ok(Ended::Over);
            }
            Event::Lost(why) => return Ok(Ended::Cut(why)),
        }
    }
}
