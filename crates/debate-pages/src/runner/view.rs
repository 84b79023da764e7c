//! Runs and turns as lists and pages show them.

use debate_core::runner::{
    Actor, Judgement, Outcome, Run, RunLimit, RunSettings, RunState, Turn, Winner,
};
use debate_core::{RunId, Seq};
use debate_render::runner::{actor_with_side, status_class, status_label, title};
use debate_render::{Html, render_markdown, visible};
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

/// The bytes of a turn that a page renders. An export contains all of them.
const SHOWN_BYTES_MAX: usize = 64 * 1024;

/// One turn of a run.
pub(crate) struct TurnEntry {
    pub(crate) seq: Seq,
    /// The CSS class of the role.
    pub(crate) role: &'static str,
    pub(crate) letter: &'static str,
    /// The name of the role in event streams.
    pub(crate) actor: &'static str,
    pub(crate) title: String,
    pub(crate) round: u32,
    pub(crate) opens_round: bool,
    pub(crate) time: Time,
    pub(crate) model: String,
    pub(crate) is_demo: bool,
    /// The notice on a refused or truncated turn.
    pub(crate) caveat: Option<&'static str>,
    pub(crate) verdict: Option<VerdictCard>,
    pub(crate) content: Option<Html>,
    /// The size of the turn in bytes, if the page shows only the beginning.
    pub(crate) bytes: Option<usize>,
}

/// The figures of a verdict.
pub(crate) struct VerdictCard {
    pub(crate) winner: &'static str,
    pub(crate) score_a: u8,
    pub(crate) score_b: u8,
    pub(crate) has_nothing_new: bool,
    pub(crate) is_valid: bool,
}

impl From<&Judgement> for VerdictCard {
    fn from(judgement: &Judgement) -> Self {
        let verdict = judgement.verdict();
        Self {
            winner: winner_label(verdict.winner),
            score_a: verdict.score_a.points(),
            score_b: verdict.score_b.points(),
            has_nothing_new: verdict.no_new_substantive_arguments,
            is_valid: judgement.is_valid(),
        }
    }
}

pub(super) fn winner_label(winner: Winner) -> &'static str {
    debate_render::runner::winner_label(winner.into())
}

const fn class_and_letter(actor: Actor) -> (&'static str, &'static str) {
    match actor {
        Actor::DebaterA => ("proposer", "A"),
        Actor::DebaterB => ("opponent", "B"),
        Actor::Judge => ("arbitrator", "J"),
    }
}

const fn caveat(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Ok => None,
        Outcome::Refused => Some("The model declined to answer. This turn has no argument."),
        Outcome::Truncated => Some("The answer was cut off before it was complete."),
    }
}

impl TurnEntry {
    pub(super) fn new(turn: &Turn, settings: &RunSettings) -> Self {
        let actor = turn.cursor.actor;
        let (role, letter) = class_and_letter(actor);
        let judgement = turn.metadata.judgement.as_ref();
        // The page shows the figures of a verdict as a card, and its summary as the text.
        let whole =
            judgement.map_or_else(|| turn.content.clone(), |judgement| judgement.verdict().summary);
        let shown = whole.get(..whole.floor_char_boundary(SHOWN_BYTES_MAX)).unwrap_or(&whole);
        let model = settings.model_for(actor);
        Self {
            seq: turn.seq,
            role,
            letter,
            actor: actor.name(),
            title: label_with_side(settings, actor),
            round: turn.cursor.round.number(),
            opens_round: actor == Actor::DebaterA || turn.seq == Seq::FIRST,
            time: Time(turn.created_at),
            model: visible::line(turn.model.as_deref().unwrap_or(&model.to_string())),
            is_demo: model.is_demo(),
            caveat: caveat(turn.metadata.outcome),
            verdict: judgement.map(VerdictCard::from),
            content: (!shown.trim().is_empty()).then(|| render_markdown(shown, 3)),
            bytes: (shown.len() < whole.len()).then_some(whole.len()),
        }
    }
}
