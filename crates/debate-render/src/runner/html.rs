//! Runs as HTML.

use askama::Template;
use debate_wire::runner::{Actor, Settings, Story, Turn};

use super::{
    DEMO_NOTICE, actor_with_side, facts, is_demo, is_demo_model, model_name, status_class,
    status_label, status_sentence, title, turn_notice, turn_text, valid_verdict, verdict_tally,
    winner_label,
};
use crate::page::{self, DocumentHead};
use crate::{Html, time_tag, visible, wire_name};

/// A run with all its turns, as one file.
#[must_use]
pub fn html_transcript(story: &Story) -> String {
    let run = &story.debate;
    let badge = (status_class(run.status), status_label(run.status));
    let title = title(&run.topic);
    let mut head = DocumentHead::new("Run", &title, badge);
    head.status.push(status_sentence(run));
    head.status.extend(verdict_tally(&story.turns));
    head.status.extend(is_demo(&run.settings).then(|| DEMO_NOTICE.to_owned()));
    head.status
        .extend(run.last_error.as_deref().map(|error| format!("Error: {}", visible::line(error))));
    head.facts = facts(run, &story.cost);
    head.text = (title != run.topic).then(|| visible::block(&run.topic));
    let mut out = page::render(&head);
    for turn in &story.turns {
        out.push_str(&page::render(&TurnItem::new(turn, &run.settings)));
    }
    out.push_str(page::FOOT);
    out
}

/// One turn as an item of an ordered list.
#[derive(Debug, Template)]
#[template(path = "turn.html")]
struct TurnItem {
    seq: u32,
    role: &'static str,
    letter: &'static str,
    actor: String,
    title: String,
    round: u32,
    /// Whether the turn is the first of its round.
    opens_round: bool,
    time: Html,
    model: String,
    is_demo: bool,
    notice: Option<&'static str>,
    verdict: Option<Scores>,
    content: Option<Html>,
}

#[derive(Debug)]
struct Scores {
    winner: &'static str,
    score_a: u8,
    score_b: u8,
    has_nothing_new: bool,
}

impl TurnItem {
    fn new(turn: &Turn, settings: &Settings) -> Self {
        let (role, letter) = match turn.actor {
            Actor::DebaterA => ("proposer", "A"),
            Actor::DebaterB => ("opponent", "B"),
            Actor::Judge => ("arbitrator", "J"),
        };
        let requested = model_name(settings, turn.actor);
        let (content, _) = page::content(turn_text(turn), usize::MAX);
        Self {
            seq: turn.seq,
            role,
            letter,
            actor: wire_name(&turn.actor),
            title: actor_with_side(settings.debater_a_side, turn.actor),
            round: turn.round,
            opens_round: turn.actor == Actor::DebaterA || turn.seq == 1,
            time: time_tag(&turn.created_at),
            model: visible::line(turn.model.as_deref().unwrap_or(requested)),
            is_demo: is_demo_model(requested),
            notice: turn_notice(turn),
            verdict: valid_verdict(turn).map(|verdict| Scores {
                winner: winner_label(verdict.winner),
                score_a: verdict.score_a,
                score_b: verdict.score_b,
                has_nothing_new: verdict.no_new_substantive_arguments,
            }),
            content,
        }
    }
}
