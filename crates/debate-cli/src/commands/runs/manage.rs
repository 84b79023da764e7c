//! Commands on an existing run.

use debate_core::RunId;
use debate_wire::runner::{Debate, Enqueued, Status};
use debate_wire::{ErrorBody, ErrorCode};

use super::{follow, path, run_id, story};
use crate::args::{ResumeArgs, RunArg, RunDeleteArgs, name};
use crate::client::{Request, bare, deletion, nothing};
use crate::commands::Desk;
use crate::commands::write::{confirmed, deleted, someone_to_ask};
use crate::fault::Fault;
use crate::output::{Done, RunDone, resting};

pub(super) async fn stop(args: &RunArg, desk: &Desk<'_>) -> Result<Done, Fault> {
    ask("/stop", run_id(&args.id)?, desk).await
}

pub(super) async fn cancel(args: &RunArg, desk: &Desk<'_>) -> Result<Done, Fault> {
    ask("/cancel", run_id(&args.id)?, desk).await
}

/// What the server takes without an answer: how the debate stands then is the answer.
async fn ask(what: &str, run: RunId, desk: &Desk<'_>) -> Result<Done, Fault> {
    desk.client.ask_for(&Request::command(path(run, what)), nothing).await.outcome?;
    Ok(moved(story(run, desk).await?.debate))
}

fn moved(debate: Debate) -> Done {
    let message = resting(&debate);
    Done::Run(RunDone::Moved(debate.into(), message))
}

/// `resume` and `retry`.
pub(super) async fn go_on(what: &str, args: &ResumeArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let run = run_id(&args.run.id)?;
    let request = Request::command(path(run, &format!("/{what}")));
    let asked = desk.client.ask_for::<Enqueued>(&request, bare).await;
    let answer = asked.outcome?;
    if !answer.enqueued {
        let debate = story(run, desk).await?.debate;
        // The first try did it; only its answer never came.
        let done_before = asked.repeated && debate.status == Status::Running;
        if !done_before {
            return Err(refused(what, &debate, answer.reason, desk));
        }
    }
    if args.follow.follow {
        return follow::follow(run, args.follow.deltas.deltas, desk).await;
    }
    Ok(moved(story(run, desk).await?.debate))
}

fn refused(what: &str, debate: &Debate, reason: Option<String>, desk: &Desk<'_>) -> Fault {
    let command = |words: &[&str]| desk.command(words);
    let id = debate.id.as_str();
    let suggestion = match debate.status {
        Status::Running | Status::Stopping => {
            format!("follow the run with `{}`", command(&["run", "follow", id]))
        }
        Status::Created | Status::Stopped | Status::Failed => {
            format!("run `{}`", command(&["run", "resume", id]))
        }
        Status::Completed | Status::Canceled => {
            let show = command(&["run", "show", id]);
            format!("the run has ended; show it with `{show}`, or start another run")
        }
    };
    let usual = || format!("cannot {what} the run; its status is {}", name(&debate.status));
    let mut error = ErrorBody::new(ErrorCode::ActionNotAllowed, reason.unwrap_or_else(usual));
    error.suggestion = Some(suggestion);
    error.debate_id = Some(debate.id.clone());
    Fault::Refused(serde_json::to_value(error).unwrap_or_default())
}

pub(super) async fn delete(args: &RunDeleteArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let run = run_id(&args.run.id)?;
    if !args.yes {
        someone_to_ask("the run")?;
        let debate = story(run, desk).await?.debate;
        if !confirmed(&debate.topic)? {
            return Ok(Done::Deleted(debate_wire::arena::Deleted { deleted: false }));
        }
    }
    deleted(desk.client.ask_for(&Request::delete(path(run, "")), deletion).await)
}
