//! What each `aw run` command does, from its arguments to its result.

mod follow;
mod manage;
mod read;
mod start;

use debate_core::RunId;
use debate_wire::runner::Story;

use super::Desk;
use super::ids::new_id;
use crate::args::RunCommand;
use crate::client::{Request, bare};
use crate::fault::Fault;
use crate::output::Done;

pub(super) async fn dispatch(command: &RunCommand, desk: &Desk<'_>) -> Result<Done, Fault> {
    match command {
        RunCommand::Start(args) => start::start(args, desk).await,
        RunCommand::List(args) => read::list(args, desk).await,
        RunCommand::Show(args) => read::show(args, desk).await,
        RunCommand::Follow(args) => {
            follow::follow(run_id(&args.run.id)?, args.deltas.deltas, desk).await
        }
        RunCommand::Stop(args) => manage::stop(args, desk).await,
        RunCommand::Resume(args) => manage::go_on("resume", args, desk).await,
        RunCommand::Retry(args) => manage::go_on("retry", args, desk).await,
        RunCommand::Cancel(args) => manage::cancel(args, desk).await,
        RunCommand::Delete(args) => manage::delete(args, desk).await,
        RunCommand::Export(args) => read::export(args, desk).await,
        RunCommand::Attempts(args) => read::attempts(args, desk).await,
    }
}

/// The debate that was named, as the server spells it.
fn run_id(text: &str) -> Result<RunId, Fault> {
    text.trim()
        .parse()
        .map_err(|err| Fault::input(format!("ID {text:?} {err}"), "find the ID with `aw run list`"))
}

fn path(run: RunId, rest: &str) -> String {
    format!("/runner/debates/{run}{rest}")
}

/// A debate and all that was said in it.
async fn story(run: RunId, desk: &Desk<'_>) -> Result<Story, Fault> {
    desk.client.ask_for(&Request::get(path(run, "")), bare).await.outcome
}
