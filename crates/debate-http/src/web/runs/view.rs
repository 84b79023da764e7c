//! Where a debate stands, in words.

use debate_core::RunId;
use debate_core::runner::{Actor, Limit, Run, Settings, Stance, Standing as Status};

use crate::web::signs;
use crate::web::when::When;

/// How much of a topic is a title.
const TITLE_MAX: usize = 160;

/// The badge of a status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// How the style knows it.
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
    pub(crate) is_over: bool,
}

impl From<Status> for Standing {
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
    pub(crate) standing: Standing,
    pub(crate) rounds: u32,
    pub(crate) rounds_max: u32,
    pub(crate) is_demo: bool,
    /// What went wrong last.
    pub(crate) error: Option<String>,
    pub(crate) made: When,
    pub(crate) changed: When,
}

impl From<&Run> for Row {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            title: title(run.topic.as_str()),
            standing: run.standing.into(),
            rounds: run.completed_rounds,
            rounds_max: run.settings.max_rounds.number(),
            is_demo: is_demo(&run.settings),
            error: run.last_error.as_deref().map(signs::line),
            made: When(run.created_at),
            changed: When(run.updated_at),
        }
    }
}

/// A topic on one line, as much of it as a title has.
pub(super) fn title(topic: &str) -> String {
    signs::excerpt(topic, TITLE_MAX)
}

/// Whether nobody is asked in the whole debate.
pub(super) fn is_demo(settings: &Settings) -> bool {
    Actor::ALL.into_iter().all(|actor| settings.model_of(actor).is_demo())
}

/// Who someone is.
pub(super) const fn name(actor: Actor) -> &'static str {
    match actor {
        Actor::DebaterA => "Debater A",
        Actor::DebaterB => "Debater B",
        Actor::Judge => "Judge",
    }
}

/// What someone argues; a judge argues nothing.
pub(super) const fn side(settings: &Settings, actor: Actor) -> Option<&'static str> {
    match (actor, settings.debater_a_side) {
        (Actor::DebaterA, Stance::Pro) | (Actor::DebaterB, Stance::Con) => Some("for"),
        (Actor::DebaterA, Stance::Con) | (Actor::DebaterB, Stance::Pro) => Some("against"),
        (Actor::Judge, Stance::Pro | Stance::Con) => None,
    }
}

/// Who someone is, and what they argue.
pub(super) fn who(settings: &Settings, actor: Actor) -> String {
    match side(settings, actor) {
        Some(side) => format!("{}, {side}", name(actor)),
        None => name(actor).to_owned(),
    }
}

/// The run's status, as a sentence.
pub(super) fn sentence(run: &Run) -> String {
    let turn = format!("round {}, {}", run.cursor.round, name(run.cursor.actor));
    match run.standing {
        Status::Created => "Not started yet.".to_owned(),
        Status::Running => format!("Current turn: {turn}."),
        Status::Stopping => format!("The run stops after the current turn: {turn}."),
        Status::Stopped => format!("You can resume the run. Next turn: {turn}."),
        Status::Failed => {
            format!("This turn failed: {turn}. Fix the problem below, then retry the run.")
        }
        Status::Completed(Limit::Rounds) => match run.settings.max_rounds.number() {
            1 => "Finished: the only round was played.".to_owned(),
            rounds => format!("Finished: all {rounds} rounds played."),
        },
        Status::Completed(Limit::Runtime) => "Finished: time limit reached.".to_owned(),
        Status::Completed(Limit::OutputTokens) => "Finished: token limit reached.".to_owned(),
        Status::Completed(Limit::JudgeEarlyStop) => {
            "Finished: the judge found no new arguments in two rounds in a row.".to_owned()
        }
        Status::Canceled => "The run cannot be resumed.".to_owned(),
    }
}
