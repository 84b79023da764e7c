//! Following a solution live, over every cut, until its reader leaves.

use std::collections::VecDeque;
use std::time::Duration;

use debate_core::SolutionId;
use debate_wire::forum::{Debate, ErrorCode, GuardrailStatus};
use serde_json::json;
use tokio::time::Instant;

use super::{Seat, id, path};
use crate::args::ThreadArgs;
use crate::client::{Follower, ForumEvent, Tried};
use crate::fault::{Fault, Halt};
use crate::output::{Done, has_left};

/// A stream that has lived this long was a stream, not an attempt.
const LIVED: Duration = Duration::from_secs(10);

/// How many of those that were shown are remembered.
const RECENT_MAX: usize = 1000;

/// How far a feed was followed, and what was shown of it last.
#[derive(Default)]
struct Seen {
    place: Option<String>,
    recent: VecDeque<(String, GuardrailStatus)>,
}

impl Seen {
    /// Whether it was not shown as it is. To its author a feed tells of a debate as it stands each
    /// time that it changed, and once more when everyone sees it.
    fn is_new(&mut self, debate: &Debate) -> bool {
        let now = (debate.id.clone(), debate.guardrail_status);
        if self.recent.contains(&now) {
            return false;
        }
        self.recent.push_back(now);
        if self.recent.len() > RECENT_MAX {
            self.recent.pop_front();
        }
        true
    }
}

/// How a stream ended.
enum Ended {
    /// Nobody looks any more.
    Over,
    /// The connection is gone.
    Cut(String),
}

/// Shows what there is and what comes. Ctrl-C leaves it.
pub(super) async fn follow(args: &ThreadArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let solution = id::<SolutionId>("SOLUTION", &args.solution, "aw forum solution list")?;
    tokio::select! {
        followed = watch(solution, args, seat) => followed,
        Ok(()) = tokio::signal::ctrl_c() => Err(Fault::Halted {
            how: Halt::Left,
            message: "stopped following".to_owned(),
            again: format!("follow the thread again with `{}`", again(solution, seat)),
        }),
    }
}

fn again(solution: SolutionId, seat: &Seat<'_>) -> String {
    seat.command(&["thread", &solution.to_string(), "--follow"])
}

async fn watch(solution: SolutionId, args: &ThreadArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let client = seat.client();
    let deadline = seat.desk.settings.wait_deadline;
    let mut seen = Seen::default();
    let mut patience = client.patience(deadline);
    loop {
        let opened = Instant::now();
        let before = seen.place.clone();
        let at = path(&format!("/solutions/{solution}/debates/events"));
        let (fault, after) = match client.stream(at, before.as_deref()).await {
            Tried::Done(mut stream) => match show(&mut stream, &mut seen, args, seat).await? {
                Ended::Over => return Ok(Done::Shown),
                Ended::Cut(why) => (client.unreachable(why), stream.pause()),
            },
            Tried::Refused(fault) => return Err(fault),
            Tried::Again(fault, after) => (fault, after),
        };
        if seen.place != before || opened.elapsed() > LIVED {
            patience = client.patience(deadline);
        }
        let paused = patience.pause(fault, after, client.notes).await;
        paused.map_err(|fault| fault.then_run(again(solution, seat)))?;
    }
}

async fn show(
    stream: &mut Follower<ForumEvent>,
    seen: &mut Seen,
    args: &ThreadArgs,
    seat: &Seat<'_>,
) -> Result<Ended, Fault> {
    loop {
        match stream.next().await {
            ForumEvent::Debate(debate, place) => {
                let is_wanted = args.stance.is_none_or(|stance| stance == debate.stance);
                if is_wanted && seen.is_new(&debate) {
                    match seat.desk.printer.stance(&debate) {
                        Ok(()) => {}
                        Err(err) if has_left(&err) => return Ok(Ended::Over),
                        Err(err) => return Err(Fault::Local(err.to_string())),
                    }
                }
                seen.place = place.or_else(|| seen.place.take());
            }
            ForumEvent::Reset => {
                seen.recent.clear();
                let notes = seat.client().notes;
                notes.say(format_args!("the stream restarted; printing all posts again"));
            }
            ForumEvent::Gone => return Err(gone()),
            ForumEvent::Lost(why) => return Ok(Ended::Cut(why)),
        }
    }
}

/// What the forum would say of a solution that is gone.
fn gone() -> Fault {
    let error = json!({ "code": ErrorCode::NotFound, "message": "the solution was deleted" });
    Fault::declined(error)
        .when(ErrorCode::NotFound, "list the other solutions with `aw forum solution list`")
}
