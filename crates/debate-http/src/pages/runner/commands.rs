//! The commands that a run's page offers, and their handlers.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::{Command, CommandRefusal, RunState, Status, WorkerActivity, next_state};

use super::view::StatusBadge;
use crate::extract::PathId;
use crate::pages::form::Form;
use crate::problem::Problem;

/// A button on the page of a run.
pub(crate) struct CommandButton {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    /// Whether it is what one would do next.
    pub(crate) is_strong: bool,
    /// Whether the server asks once more before it is done.
    pub(crate) asks: bool,
}

/// Every button that fits.
pub(super) fn buttons(standing: RunState) -> Vec<CommandButton> {
    offered_commands(standing).map(CommandButton::from).collect()
}

/// The allowed commands; of several commands with the same effect, the fitting one.
fn offered_commands(standing: RunState) -> impl Iterator<Item = Command> {
    Command::ALL.into_iter().filter(move |&command| {
        let fits = match command {
            Command::Start => standing == RunState::Created,
            Command::Resume => standing == RunState::Stopped,
            Command::Retry | Command::Stop | Command::Cancel => true,
        };
        fits && next_state(standing, WorkerActivity::Idle, command).is_ok()
    })
}

impl From<Command> for CommandButton {
    fn from(command: Command) -> Self {
        let (words, is_strong, asks) = match command {
            Command::Start => ("Start", true, false),
            Command::Resume => ("Resume", true, false),
            Command::Retry => ("Retry", true, false),
            Command::Stop => ("Stop", false, false),
            Command::Cancel => ("Cancel run", false, true),
        };
        Self { name: command.name(), words, is_strong, asks }
    }
}

/// The notice on a run's page when its status does not allow the command any more.
pub(super) fn refusal_notice(standing: RunState, command: &str) -> Option<String> {
    let command = Command::ALL.into_iter().find(|known| known.name() == command)?;
    let CommandRefusal { command, .. } =
        next_state(standing, WorkerActivity::Idle, command).err()?;
    let done = match command {
        Command::Start => "started",
        Command::Resume => "resumed",
        Command::Retry => "retried",
        Command::Stop => "stopped",
        Command::Cancel => "cancelled",
    };
    let status = StatusBadge::from(standing).words.to_lowercase();
    Some(format!("Not possible: a {status} run cannot be {done}."))
}

/// `POST /runs/{id}/start`
pub(crate) async fn start(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(run_command(&runner, run, Command::Start).await?)
}

/// `POST /runs/{id}/resume`
pub(crate) async fn resume(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(run_command(&runner, run, Command::Resume).await?)
}

/// `POST /runs/{id}/retry`
pub(crate) async fn retry(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(run_command(&runner, run, Command::Retry).await?)
}

/// `POST /runs/{id}/stop`
pub(crate) async fn stop(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(run_command(&runner, run, Command::Stop).await?)
}

/// Does it, and leads back to the debate. What is so already is as good as done: a second click is
/// no mistake.
pub(super) async fn run_command(
    runner: &Runner,
    run: RunId,
    command: Command,
) -> Result<Response, RunnerError> {
    let place = match runner.command(run, command).await {
        Ok(_) => format!("/runs/{run}"),
        Err(RunnerError::Refused(refusal)) if is_already_so(refusal) => format!("/runs/{run}"),
        Err(RunnerError::Refused(_)) => format!("/runs/{run}?late={}", command.name()),
        Err(err) => return Err(err),
    };
    Ok(Redirect::to(&place).into_response())
}

/// Whether the run is in the state that the command leads to.
const fn is_already_so(refusal: CommandRefusal) -> bool {
    match refusal.command {
        Command::Start | Command::Resume | Command::Retry => {
            matches!(refusal.status, Status::Running)
        }
        Command::Stop => matches!(refusal.status, Status::Stopping | Status::Stopped),
        Command::Cancel => matches!(refusal.status, Status::Canceled),
    }
}

#[cfg(test)]
mod tests {
    use debate_core::runner::{Command, RunLimit, RunState};

    use super::offered_commands;

    #[test]
    fn every_status_offers_what_the_rules_allow_under_one_name() {
        let names = |standing| offered_commands(standing).map(Command::name).collect::<Vec<_>>();
        assert_eq!(names(RunState::Created), ["start", "cancel"]);
        assert_eq!(names(RunState::Running), ["stop", "cancel"]);
        assert_eq!(names(RunState::Stopping), ["cancel"]);
        assert_eq!(names(RunState::Stopped), ["resume", "cancel"]);
        assert_eq!(names(RunState::Failed), ["retry", "cancel"]);
        assert_eq!(names(RunState::Completed(RunLimit::Rounds)), [""; 0]);
        assert_eq!(names(RunState::Canceled), [""; 0]);
    }
}
