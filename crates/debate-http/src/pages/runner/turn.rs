//! A turn as a page shows it.

use debate_core::Seq;
use debate_core::runner::{Actor, Judgement, Outcome, RunSettings, Turn, Winner};
use debate_render::visible;
use debate_render::{Html, render_markdown};

use super::view::who;
use crate::pages::when::When;

/// The number of bytes of a turn that are rendered; an export has all of them.
const SHOWN_BYTES_MAX: usize = 64 * 1024;

/// One turn of a debate's conversation.
pub(crate) struct Entry {
    pub(crate) seq: Seq,
    /// The CSS class of the role.
    pub(crate) role: &'static str,
    /// The letter on the badge.
    pub(crate) letter: &'static str,
    /// The name of the role in event streams.
    pub(crate) actor: &'static str,
    pub(crate) title: String,
    pub(crate) round: u32,
    /// Whether its round begins with it.
    pub(crate) opens: bool,
    pub(crate) when: When,
    pub(crate) model: String,
    pub(crate) is_demo: bool,
    /// Why it is not what was asked for.
    pub(crate) caveat: Option<&'static str>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) content: Option<Html>,
    /// The number of bytes, if not all of them are shown.
    pub(crate) bytes: Option<usize>,
}

/// The verdict of a judge.
pub(crate) struct Verdict {
    pub(crate) winner: &'static str,
    pub(crate) score_a: u8,
    pub(crate) score_b: u8,
    pub(crate) nothing_new: bool,
    pub(crate) is_valid: bool,
}

impl From<&Judgement> for Verdict {
    fn from(judgement: &Judgement) -> Self {
        let verdict = judgement.verdict();
        Self {
            winner: winner(verdict.winner),
            score_a: verdict.score_a.points(),
            score_b: verdict.score_b.points(),
            nothing_new: verdict.no_new_substantive_arguments,
            is_valid: judgement.is_valid(),
        }
    }
}

/// The label of the winner.
pub(super) const fn winner(winner: Winner) -> &'static str {
    match winner {
        Winner::A => "Debater A",
        Winner::B => "Debater B",
        Winner::Tie => "Tie",
    }
}

/// The CSS class and the letter of a role.
pub(super) const fn marks(actor: Actor) -> (&'static str, &'static str) {
    match actor {
        Actor::DebaterA => ("proposer", "A"),
        Actor::DebaterB => ("opponent", "B"),
        Actor::Judge => ("arbitrator", "J"),
    }
}

/// The notice on a refused or truncated turn.
pub(super) const fn caveat(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Ok => None,
        Outcome::Refused => Some("The model declined to answer. This turn has no argument."),
        Outcome::Truncated => Some("The answer was cut off before it was complete."),
    }
}

impl Entry {
    pub(super) fn new(turn: &Turn, settings: &RunSettings) -> Self {
        let actor = turn.cursor.actor;
        let (role, letter) = marks(actor);
        let judgement = turn.metadata.judgement.as_ref();
        // A verdict's figures have a card; its reasons are the words.
        let whole = judgement.map_or_else(|| turn.content.clone(), |one| one.verdict().summary);
        let shown = whole.get(..whole.floor_char_boundary(SHOWN_BYTES_MAX)).unwrap_or(&whole);
        let model = settings.model_for(actor);
        Self {
            seq: turn.seq,
            role,
            letter,
            actor: actor.name(),
            title: who(settings, actor),
            round: turn.cursor.round.number(),
            opens: actor == Actor::DebaterA || turn.seq == Seq::FIRST,
            when: When(turn.created_at),
            model: visible::line(turn.model.as_deref().unwrap_or(&model.to_string())),
            is_demo: model.is_demo(),
            caveat: caveat(turn.metadata.outcome),
            verdict: judgement.map(Verdict::from),
            content: (!shown.trim().is_empty()).then(|| render_markdown(shown, 3)),
            bytes: (shown.len() < whole.len()).then_some(whole.len()),
        }
    }
}
