//! Runs as Markdown.

use std::fmt::Write;

use debate_wire::runner::{Cost, Debate, Settings, Story, Turn};

use super::{
    DEMO_NOTICE, actor_with_side, facts, is_demo, model_name, status_sentence, title, turn_notice,
    turn_text, verdict_line, verdict_tally,
};
use crate::facts::utc;
use crate::{code_span, quote};

/// The topic and the facts of a run.
#[must_use]
pub fn markdown_heading(run: &Debate, cost: &Cost) -> String {
    let title = title(&run.topic);
    let mut out = crate::facts::markdown_heading(&title, &facts(run, cost));
    if title != run.topic {
        let _ = writeln!(out, "{}", quote(&run.topic));
    }
    if is_demo(&run.settings) {
        let _ = write!(out, "**{DEMO_NOTICE}**\n\n");
    }
    out
}

/// One turn. Its text is a block quote, so that it cannot imitate another turn.
#[must_use]
pub fn markdown_turn(settings: &Settings, turn: &Turn) -> String {
    let mut out = format!(
        "## {}. Round {}, {}\n\n{}, {}, {}\n\n",
        turn.seq,
        turn.round,
        actor_with_side(settings.debater_a_side, turn.actor),
        utc(&turn.created_at),
        code_span(model_name(settings, turn.actor)),
        code_span(&turn.id),
    );
    if let Some(notice) = turn_notice(turn) {
        let _ = write!(out, "*{notice}*\n\n");
    }
    if let Some(verdict) = verdict_line(turn) {
        let _ = write!(out, "**{verdict}**\n\n");
    }
    let _ = writeln!(out, "{}", quote(turn_text(turn)));
    out
}

/// The status, the verdicts and the error of a run.
#[must_use]
pub fn markdown_ending(story: &Story) -> String {
    let mut out = format!("## Status\n\n{}\n", status_sentence(&story.debate));
    if let Some(tally) = verdict_tally(&story.turns) {
        let _ = write!(out, "\n{tally}\n");
    }
    if let Some(error) = &story.debate.last_error {
        let _ = write!(out, "\n{}", quote(error));
    }
    out
}

/// A run with all its turns.
#[must_use]
pub fn markdown_transcript(story: &Story) -> String {
    let run = &story.debate;
    let mut out = markdown_heading(run, &story.cost);
    out.extend(story.turns.iter().map(|turn| markdown_turn(&run.settings, turn)));
    out.push_str(&markdown_ending(story));
    out
}
