//! The commands of `aw run`.

mod follow;
mod manage;
mod missing_key;
mod read;
mod start;

use debate_core::RunId;
use debate_wire::runner::Story;

use super::CommandContext;
use super::new_id;
use crate::args::RunCommand;
use crate::client::{ApiRequest, parse_body};
use crate::failure::Failure;
use crate::output::CommandOutput;

pub(super) async fn dispatch(
    command: &RunCommand,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        RunCommand::Start(args) => start::start(args, context).await,
        RunCommand::List(args) => read::list(args, context).await,
        RunCommand::Show(args) => read::show(args, context).await,
        RunCommand::Follow(args) => {
            follow::follow(run_id(&args.run.id)?, args.deltas.deltas, context).await
        }
        RunCommand::Stop(args) => manage::stop(args, context).await,
        RunCommand::Resume(args) => manage::resume("resume", args, context).await,
        RunCommand::Retry(args) => manage::resume("retry", args, context).await,
        RunCommand::Cancel(args) => manage::cancel(args, context).await,
        RunCommand::Delete(args) => manage::delete(args, context).await,
        RunCommand::Export(args) => read::export(args, context).await,
        RunCommand::Attempts(args) => read::attempts(args, context).await,
    }
}

/// The run that an argument names.
fn run_id(text: &str) -> Result<RunId, Failure> {
    text.trim().parse().map_err(|err| {
        Failure::input(format!("ID {text:?} {err}"), "find the ID with `aw run list`")
    })
}

fn path(run: RunId, rest: &str) -> String {
    format!("/runner/debates/{run}{rest}")
}

/// A run with its turns.
async fn story(run: RunId, context: &CommandContext<'_>) -> Result<Story, Failure> {
    context.client.request_with(&ApiRequest::get(path(run, "")), parse_body).await.outcome
}
