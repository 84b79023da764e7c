//! Follows the posts on a solution, and reconnects after lost connections.

use std::collections::VecDeque;
use std::time::Duration;

use debate_core::SolutionId;
use debate_wire::forum::{Debate, ErrorCode, GuardrailStatus};
use serde_json::json;
use tokio::time::Instant;

use super::{ForumContext, id, path};
use crate::args::ThreadArgs;
use crate::client::{Attempted, EventStream, ForumEvent, StreamEnd};
use crate::failure::{Failure, FollowEnd};
use crate::output::{CommandOutput, is_closed_pipe};

/// A stream of this duration resets the retry deadline.
const ESTABLISHED: Duration = Duration::from_secs(10);

/// The number of printed posts that are remembered.
const RECENT_MAX: usize = 1000;

/// The position in the stream and the latest printed posts.
#[derive(Default)]
struct PrintedPosts {
    place: Option<String>,
    recent: VecDeque<(String, GuardrailStatus)>,
}

impl PrintedPosts {
    /// Whether the post was not printed with this status. The author's stream repeats a post after
    /// each change of its status, and once more when it becomes public.
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

/// Prints the existing posts and each new one until Ctrl-C.
pub(super) async fn follow(
    args: &ThreadArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let solution = id::<SolutionId>("SOLUTION", &args.solution, "aw forum solution list")?;
    tokio::select! {
        followed = watch(solution, args, context) => followed,
        Ok(()) = tokio::signal::ctrl_c() => Err(Failure::FollowEnded {
            how: FollowEnd::Interrupted,
            message: "stopped following".to_owned(),
            again: format!("follow the thread again with `{}`", follow_command(solution, context)),
        }),
    }
}

fn follow_command(solution: SolutionId, context: &ForumContext<'_>) -> String {
    context.command(&["thread", &solution.to_string(), "--follow"])
}

async fn watch(
    solution: SolutionId,
    args: &ThreadArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let client = context.client();
    let deadline = context.context.settings.wait_deadline;
    let mut seen = PrintedPosts::default();
    let mut budget = client.retry_budget(deadline);
    loop {
        let opened = Instant::now();
        let before = seen.place.clone();
        let at = path(&format!("/solutions/{solution}/debates/events"));
        let (failure, after) = match client.stream(at, before.as_deref()).await {
            Attempted::Success(mut stream) => {
                match show(&mut stream, &mut seen, args, context).await? {
                    StreamEnd::Finished => return Ok(CommandOutput::Printed),
                    StreamEnd::Disconnected(why) => (client.unreachable(why), stream.pause()),
                }
            }
            Attempted::Rejected(failure) => return Err(failure),
            Attempted::Retryable(failure, after) => (failure, after),
        };
        if seen.place != before || opened.elapsed() > ESTABLISHED {
            budget = client.retry_budget(deadline);
        }
        let paused = budget.pause(failure, after, client.notes).await;
        paused.map_err(|failure| failure.then_run(follow_command(solution, context)))?;
    }
}

async fn show(
    stream: &mut EventStream<ForumEvent>,
    seen: &mut PrintedPosts,
    args: &ThreadArgs,
    context: &ForumContext<'_>,
) -> Result<StreamEnd, Failure> {
    loop {
        match stream.next().await {
            ForumEvent::Debate(debate, place) => {
                let is_wanted = args.stance.is_none_or(|stance| stance == debate.stance);
                if is_wanted && seen.is_new(&debate) {
                    match context.context.printer.post(&debate) {
                        Ok(()) => {}
                        Err(err) if is_closed_pipe(&err) => return Ok(StreamEnd::Finished),
                        Err(err) => return Err(Failure::Local(err.to_string())),
                    }
                }
                seen.place = place.or_else(|| seen.place.take());
            }
            ForumEvent::Reset => {
                seen.recent.clear();
                let notes = context.client().notes;
                notes.print(format_args!("the stream restarted; printing all posts again"));
            }
            ForumEvent::Gone => return Err(deleted_failure()),
            ForumEvent::Lost(why) => return Ok(StreamEnd::Disconnected(why)),
        }
    }
}

/// The failure of a solution that is deleted while it is followed.
fn deleted_failure() -> Failure {
    let error = json!({ "code": ErrorCode::NotFound, "message": "the solution was deleted" });
    Failure::from_forum(error).with_advice_for(
        ErrorCode::NotFound,
        "list the other solutions with `aw forum solution list`",
    )
}
