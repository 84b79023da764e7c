//! Runs as lists and pages show them.

use debate_core::RunId;
use debate_core::runner::{Actor, DebaterSide, Run, RunLimit, RunSettings, RunState as Status};
use debate_render::visible;

use crate::pages::error_page::sentence as sentence_of;
use crate::pages::when::When;

/// The maximum length of a title.
const TITLE_MAX: usize = 160;

/// The badge of a status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatusBadge {
    /// The CSS class.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    pub(crate) is_over: bool,
}

impl From<Status> for StatusBadge {
    fn from(standing: Status) -> Self {
        let (class, words) = match standing {
            Status::Created => ("idle", "Created"),
            Status::Running => ("running", "Running"),
            Status::Stopping => ("running", "Stopping"),
            Status::Stopped => ("idle", "Stopped"),
            Status::Failed => ("failed", "Failed"),
            Status::Completed(_) => ("closed", "Completed"),
            Status::Canceled => ("closed", "Cancelled"),
        };
        Self { class, words, is_over: standing.is_final() }
    }
}

/// A debate in a list, and at the head of its page.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: RunId,
    pub(crate) title: String,
    pub(crate) standing: StatusBadge,
    pub(crate) rounds: u32,
    pub(crate) rounds_max: u32,
    pub(crate) is_demo: bool,
    /// The last error.
    pub(crate) error: Option<String>,
    pub(crate) made: When,
    pub(crate) changed: When,
}

impl From<&Run> for Row {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            title: title(run.topic.as_str()),
            standing: run.state.into(),
            rounds: run.completed_rounds,
            rounds_max: run.settings.max_rounds.number(),
            is_demo: is_demo(&run.settings),
            error: run.last_error.as_deref().map(|error| sentence_of(&visible::line(error))),
            made: When(run.created_at),
            changed: When(run.updated_at),
        }
    }
}

/// A topic on one line, as much of it as a title has.
pub(super) fn title(topic: &str) -> String {
    visible::excerpt(topic, TITLE_MAX)
}

/// Whether the run calls no model.
pub(super) fn is_demo(settings: &RunSettings) -> bool {
    Actor::ALL.into_iter().all(|actor| settings.model_for(actor).is_demo())
}

/// The label of a role.
pub(super) const fn name(actor: Actor) -> &'static str {
    match actor {
        Actor::DebaterA => "Debater A",
        Actor::DebaterB => "Debater B",
        Actor::Judge => "Judge",
    }
}

/// The side of a role; a judge has none.
pub(super) const fn side(settings: &RunSettings, actor: Actor) -> Option<&'static str> {
    match (actor, settings.debater_a_side) {
        (Actor::DebaterA, DebaterSide::Pro) | (Actor::DebaterB, DebaterSide::Con) => Some("for"),
        (Actor::DebaterA, DebaterSide::Con) | (Actor::DebaterB, DebaterSide::Pro) => {
            Some("against")
        }
        (Actor::Judge, DebaterSide::Pro | DebaterSide::Con) => None,
    }
}

/// The label of a role with its side.
pub(super) fn who(settings: &RunSettings, actor: Actor) -> String {
    match side(settings, actor) {
        Some(side) => format!("{}, {side}", name(actor)),
        None => name(actor).to_owned(),
    }
}

/// The run's status, as a sentence.
pub(super) fn sentence(run: &Run) -> String {
    let turn = format!("round {}, {}", run.cursor.round, name(run.cursor.actor));
    match run.state {
        Status::Created => "Not started yet.".to_owned(),
        Status::Running => format!("Current turn: {turn}."),
        Status::Stopping => format!("The run stops after the current turn: {turn}."),
        Status::Stopped => format!("You can resume the run. Next turn: {turn}."),
        Status::Failed => {
            format!("This turn failed: {turn}. Fix the problem below, then retry the run.")
        }
        Status::Completed(RunLimit::Rounds) => match run.settings.max_rounds.number() {
            1 => "Finished: the only round was played.".to_owned(),
            rounds => format!("Finished: all {rounds} rounds played."),
        },
        Status::Completed(RunLimit::Runtime) => "Finished: time limit reached.".to_owned(),
        Status::Completed(RunLimit::OutputTokens) => "Finished: token limit reached.".to_owned(),
        Status::Completed(RunLimit::JudgeEarlyStop) => {
            "Finished: the judge found no new arguments in two rounds in a row.".to_owned()
        }
        Status::Canceled => "The run cannot be resumed.".to_owned(),
    }
}
