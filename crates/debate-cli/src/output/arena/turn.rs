//! Output of `aw debate new`, `join`, `say` and `next`: what happened, the new arguments, and the
//! commands that follow.

use std::fmt::Write;

use debate_render::arena::{markdown_argument, state_label};
use debate_render::{code_span, escape_line, visible, wire_name};
use debate_wire::agent::{CreatedDebate, NextMove, TurnReport};

use super::text::{argument, painted_state};
use crate::output::text::{TextStyle, rows};

pub(super) fn created_text(created: &CreatedDebate, style: TextStyle) -> String {
    let mut out = format!("{}\n", style.bold(&visible::line(&created.title)));
    let mut facts = vec![
        ("debate", created.slug.clone()),
        ("page", created.url.clone()),
        ("you are", format!("{} ({})", wire_name(&created.role), visible::line(&created.holder))),
        ("state", painted_state(created.debate_state, style)),
    ];
    if let Some(file) = &created.invite_file {
        facts.push(("invite", visible::line(file)));
    }
    out.push_str(&rows(&facts, style));
    let _ = write!(out, "\n{}\n\n", style.bold("Give this to the opponent:"));
    // Without indentation, so that it can be copied.
    out.push_str(&visible::block(&created.opponent_prompt));
    out.push_str(&moves_text(&created.moves, style));
    out
}

pub(super) fn created_markdown(created: &CreatedDebate) -> String {
    let mut out = format!("# {}\n\n", escape_line(&created.title));
    let _ = writeln!(out, "- debate: {}", code_span(&created.slug));
    let _ = writeln!(out, "- page: {}", created.url);
    let _ =
        writeln!(out, "- you are: {} ({})", wire_name(&created.role), escape_line(&created.holder));
    let _ = writeln!(out, "- state: {}", state_label(created.debate_state));
    if let Some(file) = &created.invite_file {
        let _ = writeln!(out, "- invite: {}", code_span(file));
    }
    let _ = write!(out, "\n## Text for the opponent\n\n{}\n", created.opponent_prompt);
    out.push_str(&moves_markdown(&created.moves));
    out
}

pub(super) fn turn_text(report: &TurnReport, style: TextStyle) -> String {
    let mut out: String = report.arguments.iter().map(|each| argument(each, style)).collect();
    let _ = writeln!(out, "{}", style.bold(&visible::line(&report.message)));
    out.push_str(&rows(
        &[
            ("debate", report.slug.clone()),
            ("you are", format!("{} ({})", wire_name(&report.role), visible::line(&report.holder))),
            ("state", painted_state(report.debate_state, style)),
        ],
        style,
    ));
    out.push_str(&moves_text(&report.moves, style));
    out
}

pub(super) fn turn_markdown(report: &TurnReport) -> String {
    let mut out: String = report.arguments.iter().map(markdown_argument).collect();
    let _ = write!(out, "## {}\n\n", escape_line(&report.message));
    let _ = writeln!(out, "- debate: {}", code_span(&report.slug));
    let holder = escape_line(&report.holder);
    let _ = writeln!(out, "- you are: {} ({holder})", wire_name(&report.role));
    let _ = writeln!(out, "- state: {}", state_label(report.debate_state));
    out.push_str(&moves_markdown(&report.moves));
    out
}

fn moves_text(moves: &[NextMove], style: TextStyle) -> String {
    let width = moves.iter().map(|each| each.command.len()).max().unwrap_or_default();
    let mut out = format!("\n{}\n", style.bold("Next commands"));
    for NextMove { purpose, command } in moves {
        let command = visible::line(command);
        let _ = writeln!(out, "  {command:width$}  {}", style.dim(purpose));
    }
    out
}

fn moves_markdown(moves: &[NextMove]) -> String {
    let mut out = "\n## Next commands\n\n".to_owned();
    for NextMove { purpose, command } in moves {
        let _ = writeln!(out, "- {}: {purpose}", code_span(command));
    }
    out
}
