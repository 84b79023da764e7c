//! The commands that a run's page offers, their results and their confirmations.

use debate_app::runner::RunnerError;
use debate_core::RunId;
use debate_core::runner::{
    Command, CommandRefusal, Run, RunState, Status, WorkerActivity, next_state,
};

use super::view::{RunRow, StatusBadge};
use crate::confirmation::{Confirmation, ItemStatus};
use crate::frame::{PageRequest, Section};
use crate::outcome::PageOutcome;

/// A button on the page of a run.
pub(crate) struct CommandButton {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    /// Whether the page suggests the command.
    pub(crate) is_strong: bool,
    /// Whether a confirmation follows.
    pub(crate) needs_confirmation: bool,
}

pub(super) fn buttons(state: RunState) -> Vec<CommandButton> {
    offered_commands(state).map(CommandButton::from).collect()
}

/// The allowed commands; of several commands with the same effect, the fitting one.
fn offered_commands(state: RunState) -> impl Iterator<Item = Command> {
    Command::ALL.into_iter().filter(move |&command| {
        let fits = match command {
            Command::Start => state == RunState::Created,
            Command::Resume => state == RunState::Stopped,
            Command::Retry | Command::Stop | Command::Cancel => true,
        };
        fits && next_state(state, WorkerActivity::Idle, command).is_ok()
    })
}

impl From<Command> for CommandButton {
    fn from(command: Command) -> Self {
        let (label, is_strong, needs_confirmation) = match command {
            Command::Start => ("Start", true, false),
            Command::Resume => ("Resume", true, false),
            Command::Retry => ("Retry", true, false),
            Command::Stop => ("Stop", false, false),
            Command::Cancel => ("Cancel run", false, true),
        };
        Self { name: command.name(), label, is_strong, needs_confirmation }
    }
}

/// The notice on a run's page when its status does not allow the command any more.
pub(super) fn refusal_notice(state: RunState, command: &str) -> Option<String> {
    let command = Command::ALL.into_iter().find(|known| known.name() == command)?;
    let CommandRefusal { command, .. } = next_state(state, WorkerActivity::Idle, command).err()?;
    let participle = match command {
        Command::Start => "started",
        Command::Resume => "resumed",
        Command::Retry => "retried",
        Command::Stop => "stopped",
        Command::Cancel => "cancelled",
    };
    let status = StatusBadge::from(state).label.to_lowercase();
    Some(format!("Not possible: a {status} run cannot be {participle}."))
}

/// Leads back to the run. A command whose effect is in force already succeeds, so that a second
/// click does no harm; another refusal becomes a notice on the page.
pub fn command_outcome(
    run: RunId,
    command: Command,
    result: Result<Run, RunnerError>,
) -> Result<PageOutcome, RunnerError> {
    let path = match result {
        Ok(_) => format!("/runs/{run}"),
        Err(RunnerError::Refused(refusal)) if is_in_force(refusal) => format!("/runs/{run}"),
        Err(RunnerError::Refused(_)) => format!("/runs/{run}?late={}", command.name()),
        Err(err) => return Err(err),
    };
    Ok(PageOutcome::MovedTo(path))
}

/// The confirmation before a run is cancelled.
#[must_use]
pub fn cancellation(request: &PageRequest, run: &Run) -> PageOutcome {
    let texts = (
        "Cancel this run?",
        "The run ends permanently and cannot be resumed. A model call in progress is aborted. \
         Saved turns are kept. This cannot be undone.",
        "Cancel run",
    );
    confirm(request, run, Command::Cancel.name(), texts)
}

/// The confirmation before a run is deleted.
#[must_use]
pub fn deletion(request: &PageRequest, run: &Run) -> PageOutcome {
    let texts = (
        "Delete this run?",
        "The run and all its turns are deleted permanently, even if it is still running. Calls \
         already made are still charged. This cannot be undone.",
        "Delete permanently",
    );
    confirm(request, run, DELETE, texts)
}

const DELETE: &str = "delete";

fn confirm(
    request: &PageRequest,
    run: &Run,
    action: &str,
    (heading, effect, button): (&'static str, &str, &'static str),
) -> PageOutcome {
    let RunRow { title, badge, .. } = RunRow::from(run);
    let path = format!("/runs/{}", run.id);
    let verb = if action == DELETE { "Delete" } else { "Cancel" };
    let page = Confirmation {
        frame: request.frame(Section::Runner, format!("{verb}: {title}")),
        noun: "run",
        heading: heading.to_owned(),
        status: Some(ItemStatus { title, class: badge.class, label: badge.label }),
        effect: effect.to_owned(),
        export: (action == DELETE).then(|| format!("{path}/export.md")),
        action: format!("{path}/{action}"),
        button,
        path,
    };
    PageOutcome::Shown(request.render(&page))
}

/// Whether the run is in the state that the command leads to.
const fn is_in_force(refusal: CommandRefusal) -> bool {
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
    fn status_offers_each_allowed_command_once() {
        let names = |state| offered_commands(state).map(Command::name).collect::<Vec<_>>();
        assert_eq!(names(RunState::Created), ["start", "cancel"]);
        assert_eq!(names(RunState::Running), ["stop", "cancel"]);
        assert_eq!(names(RunState::Stopping), ["cancel"]);
        assert_eq!(names(RunState::Stopped), ["resume", "cancel"]);
        assert_eq!(names(RunState::Failed), ["retry", "cancel"]);
        assert_eq!(names(RunState::Completed(RunLimit::Rounds)), [""; 0]);
        assert_eq!(names(RunState::Canceled), [""; 0]);
    }
}
