//! Commands on an existing run.

use debate_core::RunId;
use debate_render::wire_name;
use debate_wire::runner::{Debate, Enqueued, Status};
use debate_wire::{ErrorBody, ErrorCode};

use super::{follow, path, run_id, story};
use crate::args::{ResumeArgs, RunArg, RunDeleteArgs};
use crate::client::{ApiRequest, parse_body, parse_empty_body};
use crate::commands::CommandContext;
use crate::commands::deletion::{confirm, deletion_output, parse_deletion, require_terminal};
use crate::failure::Failure;
use crate::output::{CommandOutput, RunnerOutput, status_message};

pub(super) async fn stop(
    args: &RunArg,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    send_command("/stop", run_id(&args.id)?, context).await
}

pub(super) async fn cancel(
    args: &RunArg,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    send_command("/cancel", run_id(&args.id)?, context).await
}

/// Sends a command without a response body and returns the run afterwards.
async fn send_command(
    what: &str,
    run: RunId,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    context
        .client
        .request_with(&ApiRequest::command(path(run, what)), parse_empty_body)
        .await
        .outcome?;
    Ok(status_output(story(run, context).await?.debate))
}

fn status_output(debate: Debate) -> CommandOutput {
    let message = status_message(&debate);
    RunnerOutput::StatusChange(debate.into(), message).into()
}

/// The commands `resume` and `retry`.
pub(super) async fn resume(
    what: &str,
    args: &ResumeArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let run = run_id(&args.run.id)?;
    let request = ApiRequest::command(path(run, &format!("/{what}")));
    let asked = context.client.request_with::<Enqueued>(&request, parse_body).await;
    let answer = asked.outcome?;
    if !answer.enqueued {
        let debate = story(run, context).await?.debate;
        // An earlier attempt succeeded and its response was lost.
        let has_succeeded = asked.repeated && debate.status == Status::Running;
        if !has_succeeded {
            return Err(explain_refusal(what, &debate, answer.reason, context));
        }
    }
    if args.follow.follow {
        return follow::follow(run, args.follow.deltas.deltas, context).await;
    }
    Ok(status_output(story(run, context).await?.debate))
}

fn explain_refusal(
    what: &str,
    debate: &Debate,
    reason: Option<String>,
    context: &CommandContext<'_>,
) -> Failure {
    let command = |words: &[&str]| context.command(words);
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
    let default = || format!("cannot {what} the run; its status is {}", wire_name(&debate.status));
    let mut error = ErrorBody::new(ErrorCode::ActionNotAllowed, reason.unwrap_or_else(default));
    error.suggestion = Some(suggestion);
    error.debate_id = Some(debate.id.clone());
    Failure::Rejected(serde_json::to_value(error).unwrap_or_default())
}

pub(super) async fn delete(
    args: &RunDeleteArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let run = run_id(&args.run.id)?;
    if !args.yes {
        require_terminal("the run")?;
        let debate = story(run, context).await?.debate;
        if !confirm(&debate.topic)? {
            return Ok(CommandOutput::deletion(false));
        }
    }
    deletion_output(
        context.client.request_with(&ApiRequest::delete(path(run, "")), parse_deletion).await,
    )
}
