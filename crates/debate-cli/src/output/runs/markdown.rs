//! Markdown output of `aw run`: transcripts, and fenced JSON for everything else.
//!
//! The content of turns is in block quotes, so that a turn cannot imitate another one or this
//! program.

use std::fmt::Write;

use debate_wire::runner::{Actor, Debate, Settings, Story, Turn};

use super::RunDone;
use super::words;
use crate::args::name;
use crate::output::markdown::{fenced, quoted};
use crate::output::safe;

pub(crate) fn result(done: &RunDone) -> String {
    match done {
        RunDone::Story(story) => self::story(story),
        RunDone::Started(..)
        | RunDone::Moved(..)
        | RunDone::List(_)
        | RunDone::Attempts(_)
        | RunDone::Exported(_) => fenced(&done.response()),
    }
}

/// A run from its topic to its result.
pub(super) fn story(story: &Story) -> String {
    let debate = &story.debate;
    let mut out = heading(debate);
    out.extend(story.turns.iter().map(|each| turn(&debate.settings, each)));
    out.push_str(&ending(story));
    out
}

/// The status and the verdicts of a run.
pub(crate) fn ending(story: &Story) -> String {
    let mut out = format!("## Result\n\n{}\n", words::resting(&story.debate));
    if let Some(tally) = words::tally(&story.turns) {
        let _ = write!(out, "\n{tally}.\n");
    }
    out
}

/// The topic, the settings and the status of a run.
pub(crate) fn heading(debate: &Debate) -> String {
    let settings = &debate.settings;
    let mut out = format!("# {}\n\n- run: `{}`\n", safe::line(&debate.topic), debate.id);
    let _ = writeln!(out, "- status: `{}`", name(&debate.status));
    for actor in [Actor::DebaterA, Actor::DebaterB, Actor::Judge] {
        let model = words::model(settings, actor);
        let _ = writeln!(out, "- {}: `{model}`", words::who(settings, actor));
    }
    let _ = write!(
        out,
        "- rounds: {} of {}\n- tokens: {} of {}\n- created: {}\n- last changed: {}\n\n",
        debate.completed_rounds,
        settings.max_rounds,
        debate.spent_tokens,
        settings.max_total_output_tokens,
        debate.created_at,
        debate.updated_at,
    );
    if words::is_demo(settings) {
        let _ = write!(out, "**{}**\n\n", words::DEMO);
    }
    out
}

/// One turn.
pub(crate) fn turn(settings: &Settings, turn: &Turn) -> String {
    let mut out = format!(
        "## {}. Round {}, {}\n\n{}, `{}`, `{}`\n\n",
        turn.seq,
        turn.round,
        words::who(settings, turn.actor),
        turn.created_at,
        words::model(settings, turn.actor),
        turn.id,
    );
    if let Some(caveat) = words::caveat(turn) {
        let _ = write!(out, "*{caveat}*\n\n");
    }
    if let Some(verdict) = &turn.metadata.verdict {
        let _ = write!(out, "**{}**\n\n", words::ruling(verdict));
    }
    let _ = writeln!(out, "{}", quoted(words::content(turn)));
    out
}
