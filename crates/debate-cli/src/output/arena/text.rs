//! Text output of `aw debate`.

use std::fmt::Write;

use debate_render::arena::{Entry, role_label, state_label, type_label};
use debate_render::{count, visible, wire_name};
use debate_wire::agent::{Context, Debates, Pagination, Receipt, WaitEnd};
use debate_wire::arena::{Action, Debate, Role, State, WaitAction};

use super::{ArenaOutput, WriteDetail};
use crate::output::text::{Palette, pad, rows};

pub(in crate::output) fn text(output: &ArenaOutput, palette: Palette) -> String {
    match output {
        ArenaOutput::Id(generated) => format!("{}\n", generated.id),
        ArenaOutput::Written(receipt, detail) => self::receipt(receipt, detail, palette),
        ArenaOutput::Context(context) => self::context(context, palette),
        ArenaOutput::List(debates, page) => list(debates, *page, palette),
        ArenaOutput::WaitEnd(end) => wait_end(end, palette),
        ArenaOutput::Opened(opened) if opened.opened => format!("Opened {}\n", opened.url),
        ArenaOutput::Opened(opened) => format!("{}\n", opened.url),
        ArenaOutput::Exported(exported) => {
            let path = visible::line(&exported.path);
            let arguments = count(exported.arguments, "argument");
            format!("{path}: {arguments}, {} bytes\n", exported.bytes)
        }
    }
}

const fn role_colour(role: Role) -> &'static str {
    match role {
        Role::Proposer => "36",
        Role::Opponent => "33",
        Role::Arbitrator => "35",
    }
}

fn painted_state(state: State, palette: Palette) -> String {
    let colour = match state {
        State::AwaitingOpponent => role_colour(Role::Opponent),
        State::AwaitingProposer => role_colour(Role::Proposer),
        State::AwaitingArbitrator | State::InterventionPending => role_colour(Role::Arbitrator),
        State::Closed => "2",
    };
    palette.paint(colour, state_label(state))
}

fn receipt(receipt: &Receipt, detail: &WriteDetail, palette: Palette) -> String {
    let kind = wire_name(&receipt.argument_type);
    let key = visible::line(receipt.client_request_id.as_deref().unwrap_or("none"));
    let mut out = format!("{} saved as argument {}\n", palette.bold(&kind), receipt.argument_seq);
    out.push_str(&rows(
        &[
            ("argument", receipt.argument_id.clone()),
            ("debate", receipt.debate_id.clone()),
            ("state", painted_state(receipt.debate_state, palette)),
            ("idempotency key", key),
        ],
        palette,
    ));
    if let WriteDetail::Created(message) = detail {
        let _ = write!(out, "\n{message}\n");
    }
    out
}

fn context(context: &Context, palette: Palette) -> String {
    let transcript = &context.transcript;
    let debate = &transcript.debate;
    let mut out = format!("{}\n", palette.bold(&visible::line(&debate.title)));
    out.push_str(&rows(
        &[
            ("debate", debate.id.clone()),
            ("type", type_label(debate.debate_type).to_owned()),
            ("state", painted_state(debate.state, palette)),
            ("created", format!("{} UTC", debate.created_at)),
            ("last changed", format!("{} UTC", debate.updated_at)),
        ],
        palette,
    ));
    out.push('\n');
    out.push_str(&argument(&transcript.motion, palette));
    let first_shown = transcript.arguments.first().map_or(1, |first| first.seq);
    if first_shown > 2 {
        let gap = format!("… arguments 2 to {} not shown …", first_shown - 1);
        let _ = writeln!(out, "{}\n", palette.dim(&gap));
    }
    out.extend(transcript.arguments.iter().map(|each| argument(each, palette)));
    let by_role = &context.available_actions;
    let roles = [
        (Role::Proposer, &by_role.proposer),
        (Role::Opponent, &by_role.opponent),
        (Role::Arbitrator, &by_role.arbitrator),
    ];
    for (role, actions) in roles.into_iter().filter(|(_, actions)| !actions.is_empty()) {
        let role = palette.paint(role_colour(role), role_label(role));
        let _ = writeln!(out, "The {role} may: {}", action_list(actions));
    }
    if debate.state == State::Closed {
        out.push_str("The debate is closed.\n");
    }
    out
}

fn action_list(actions: &[Action]) -> String {
    actions.iter().map(wire_name).collect::<Vec<_>>().join(", ")
}

/// One argument, its content indented.
pub(in crate::output) fn argument<'a>(argument: impl Into<Entry<'a>>, palette: Palette) -> String {
    let entry = argument.into();
    let title = palette.paint(&format!("1;{}", role_colour(entry.role)), entry.title());
    let about = palette.dim(&format!("{} UTC  {}", entry.created_at, entry.id));
    let mut out = format!("{:>3}  {title}\n     {about}\n", entry.seq);
    for line in visible::block(entry.content).lines() {
        let _ = writeln!(out, "{}", format!("     {line}").trim_end());
    }
    out.push('\n');
    out
}

fn list(debates: &Debates, page: Pagination, palette: Palette) -> String {
    let mut out: String = debates.debates.iter().map(|debate| list_row(debate, palette)).collect();
    let total = page.total_count;
    let _ = match (debates.debates.len(), page.next_offset) {
        (0, _) => writeln!(out, "No debates found; {total} in total."),
        (count, Some(next)) => writeln!(out, "{count} of {total}. Next page: --offset {next}"),
        (count, None) => writeln!(out, "{count} of {total}"),
    };
    out
}

fn list_row(debate: &Debate, palette: Palette) -> String {
    let (label, longest) = (state_label(debate.state), state_label(State::AwaitingOpponent));
    format!(
        "{}  {}{}  {}  {}\n",
        debate.id,
        painted_state(debate.state, palette),
        pad(label, longest.len()),
        palette.dim(&debate.updated_at),
        visible::line(&debate.title),
    )
}

fn wait_end(end: &WaitEnd, palette: Palette) -> String {
    match end {
        WaitEnd::NewArgument {
            action,
            debate_state,
            next_argument_id_to_wait,
            available_actions,
            arguments,
            argument,
        } => {
            let mut out = String::new();
            out.extend(
                arguments.iter().chain([argument]).map(|each| self::argument(each, palette)),
            );
            let mut lines = vec![
                ("next action", palette.bold(&wire_name(action))),
                ("state", painted_state(*debate_state, palette)),
            ];
            if !available_actions.is_empty() {
                lines.push(("allowed actions", action_list(available_actions)));
            }
            if *action != WaitAction::DebateClosed {
                let next = format!("--argument-id {next_argument_id_to_wait}");
                lines.push(("continue with", next));
            }
            out.push_str(&rows(&lines, palette));
            out
        }
        WaitEnd::Timeout { message, retry_command, .. } => {
            format!("{message} To wait again, run:\n  {}\n", visible::block(retry_command))
        }
    }
}
