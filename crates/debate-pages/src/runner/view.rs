//! Runs as lists and pages show them.

use debate_core::RunId;
use debate_core::runner::{Actor, Run, RunLimit, RunSettings, RunState};
use debate_render::runner::{actor_with_side, status_class, status_label, title};
use debate_render::visible;
use debate_wire::runner as wire;

use crate::outcome::sentence;
use crate::time::Time;

/// The badge of a status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatusBadge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
    pub(crate) is_final: bool,
}

impl From<RunState> for StatusBadge {
    fn from(state: RunState) -> Self {
        let name = wire::Status::from(state.status());
        let is_final = state.is_final();
        Self { class: status_class(name), label: status_label(name), is_final }
    }
}

/// A run in a list, and at the top of its page.
#[derive(Debug)]
pub(crate) struct RunRow {
    pub(crate) id: RunId,
    pub(crate) title: String,
    pub(crate) badge: StatusBadge,
    pub(crate) rounds: u32,
    pub(crate) rounds_max: u32,
    pub(crate) is_demo: bool,
    /// The last error, as a sentence.
    pub(crate) error: Option<String>,
    pub(crate) created: Time,
    pub(crate) changed: Time,
}

impl From<&Run> for RunRow {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            title: title(run.topic.as_str()),
            badge: run.state.into(),
            rounds: run.completed_rounds,
            rounds_max: run.settings.max_rounds.number(),
            is_demo: is_demo(&run.settings),
            error: run.last_error.as_deref().map(|error| sentence(&visible::line(error))),
            created: Time(run.created_at),
            changed: Time(run.updated_at),
        }
    }
}

/// Whether the run has no model other than the demo.
pub(super) fn is_demo(settings: &RunSettings) -> bool {
    Actor::ALL.into_iter().all(|actor| settings.model_for(actor).is_demo())
}

pub(super) fn actor_label(actor: Actor) -> &'static str {
    debate_render::runner::actor_label(actor.into())
}

/// The label of a role with its side.
pub(super) fn label_with_side(settings: &RunSettings, actor: Actor) -> String {
    actor_with_side(settings.debater_a_side.into(), actor.into())
}

pub(super) fn status_sentence(run: &Run) -> String {
    let turn = format!("round {}, {}", run.cursor.round, actor_label(run.cursor.actor));
    match run.state {
        RunState::Created => "Not started yet.".to_owned(),
        RunState::Running => format!("Current turn: {turn}."),
        RunState::Stopping => format!("The run stops after the current turn: {turn}."),
        RunState::Stopped => format!("You can resume the run. Next turn: {turn}."),
        RunState::Failed => {
            format!("This turn failed: {turn}. Fix the problem below, then retry the run.")
        }
        RunState::Completed(RunLimit::Rounds) => match run.settings.max_rounds.number() {
            1 => "Finished: the only round was played.".to_owned(),
            rounds => format!("Finished: all {rounds} rounds played."),
        },
        RunState::Completed(RunLimit::Runtime) => "Finished: time limit reached.".to_owned(),
        RunState::Completed(RunLimit::OutputTokens) => "Finished: token limit reached.".to_owned(),
        RunState::Completed(RunLimit::JudgeEarlyStop) => {
            "Finished: the judge found no new arguments in two rounds in a row.".to_owned()
        }
        RunState::Canceled => "The run cannot be resumed.".to_owned(),
    }
}
