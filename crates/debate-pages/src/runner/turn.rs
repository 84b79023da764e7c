//! A turn as a page shows it.

use debate_core::Seq;
use debate_core::runner::{Actor, Judgement, Outcome, RunSettings, Turn, Winner};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use super::view::label_with_side;
use crate::time::Time;

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
