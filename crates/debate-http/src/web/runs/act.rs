//! What may be done to a debate: what the rules allow where it stands, under the name that fits.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::{Command, Flight, Refusal, Standing, Status, next};

use super::view::Standing as Badge;
use crate::parsed::InPath;
use crate::problem::Problem;
use crate::web::form::Form;

/// A button.
pub(crate) struct Act {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    /// Whether it is what one would do next.
    pub(crate) is_strong: bool,
    /// Whether the server asks once more before it is done.
    pub(crate) asks: bool,
}

/// Every button that fits.
pub(super) fn acts(standing: Standing) -> Vec<Act> {
    offered(standing).map(Act::from).collect()
}

/// What the rules allow; of several commands that let it run, the one that says it best.
fn offered(standing: Standing) -> impl Iterator<Item = Command> {
    Command::ALL.into_iter().filter(move |&command| {
        let fits = match command {
            Command::Start => standing == Standing::Created,
            Command::Resume => standing == Standing::Stopped,
            Command::Retry | Command::Stop | Command::Cancel => true,
        };
        fits && next(standing, Flight::Idle, command).is_ok()
    })
}

impl From<Command> for Act {
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
pub(super) fn too_late(standing: Standing, command: &str) -> Option<String> {
    let command = Command::ALL.into_iter().find(|known| known.name() == command)?;
    let Refusal { command, .. } = next(standing, Flight::Idle, command).err()?;
    let done = match command {
        Command::Start => "started",
        Command::Resume => "resumed",
        Command::Retry => "retried",
        Command::Stop => "stopped",
        Command::Cancel => "cancelled",
    };
    let status = Badge::from(standing).words.to_lowercase();
    Some(format!("Not possible: a {status} run cannot be {done}."))
}

/// `POST /runs/{id}/start`
pub(crate) async fn start(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(done(&runner, run, Command::Start).await?)
}

/// `POST /runs/{id}/resume`
pub(crate) async fn resume(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(done(&runner, run, Command::Resume).await?)
}

/// `POST /runs/{id}/retry`
pub(crate) async fn retry(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(done(&runner, run, Command::Retry).await?)
}

/// `POST /runs/{id}/stop`
pub(crate) async fn stop(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(done(&runner, run, Command::Stop).await?)
}

/// Does it, and leads back to the debate. What is so already is as good as done: a second click is
/// no mistake.
pub(super) async fn done(
    runner: &Runner,
    run: RunId,
    command: Command,
) -> Result<Response, RunnerError> {
    let place = match runner.command(run, command).await {
        Ok(_) => format!("/runs/{run}"),
        Err(RunnerError::Refused(refusal)) if is_so(refusal) => format!("/runs/{run}"),
        Err(RunnerError::Refused(_)) => format!("/runs/{run}?late={}", command.name()),
        Err(err) => return Err(err),
    };
    Ok(Redirect::to(&place).into_response())
}

/// Whether the debate stands where the command would have led.
const fn is_so(refusal: Refusal) -> bool {
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
    use debate_core::runner::{Command, Limit, Standing};

    use super::offered;

    #[test]
    fn every_status_offers_what_the_rules_allow_under_one_name() {
        let names = |standing| offered(standing).map(Command::name).collect::<Vec<_>>();
        assert_eq!(names(Standing::Created), ["start", "cancel"]);
        assert_eq!(names(Standing::Running), ["stop", "cancel"]);
        assert_eq!(names(Standing::Stopping), ["cancel"]);
        assert_eq!(names(Standing::Stopped), ["resume", "cancel"]);
        assert_eq!(names(Standing::Failed), ["retry", "cancel"]);
        assert_eq!(names(Standing::Completed(Limit::Rounds)), [""; 0]);
        assert_eq!(names(Standing::Canceled), [""; 0]);
    }
}
