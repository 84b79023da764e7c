//! Text output of `aw debate`.

use std::fmt::Write;

use debate_render::arena::{Entry, role_label, state_label, type_label};
use debate_render::{count, visible, wire_name};
use debate_wire::agent::{Context, Debates, Pagination, Receipt, WaitEnd};
use debate_wire::arena::{Action, Debate, Role, Seat, Side, State, WaitAction};

use super::{ArenaOutput, WriteDetail, turn};
use crate::output::table::{Cell, Table};
use crate::output::text::{TextStyle, rows};
use crate::output::{styled_markdown, time};

pub(in crate::output) fn text(output: &ArenaOutput, style: TextStyle) -> String {
    match output {
        ArenaOutput::Id(generated) => format!("{}\n", generated.id),
        ArenaOutput::Written(receipt, detail) => self::receipt(receipt, detail, style),
        ArenaOutput::Context(context) => self::context(context, style),
        ArenaOutput::List(debates, page) => list(debates, *page, style),
        ArenaOutput::WaitEnd(end) => wait_end(end, style),
        ArenaOutput::Created(created) => turn::created_text(created, style),
        ArenaOutput::Turn(report) => turn::turn_text(report, style),
        ArenaOutput::Prompt(prompt) => visible::block(&prompt.prompt),
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

const fn state_colour(state: State) -> &'static str {
    match state {
        State::AwaitingOpponent => role_colour(Role::Opponent),
        State::AwaitingProposer => role_colour(Role::Proposer),
        State::AwaitingArbitrator | State::InterventionPending => role_colour(Role::Arbitrator),
        State::Closed => "2",
    }
}

pub(super) fn painted_state(state: State, style: TextStyle) -> String {
    style.paint(state_colour(state), state_label(state))
}

fn receipt(receipt: &Receipt, detail: &WriteDetail, style: TextStyle) -> String {
    let kind = wire_name(&receipt.argument_type);
    let key = visible::line(receipt.client_request_id.as_deref().unwrap_or("none"));
    let mut out = format!("{} saved as argument {}\n", style.bold(&kind), receipt.argument_seq);
    out.push_str(&rows(
        &[
            ("argument", receipt.argument_id.clone()),
            ("debate", receipt.debate_id.clone()),
            ("state", painted_state(receipt.debate_state, style)),
            ("idempotency key", key),
        ],
        style,
    ));
    if let WriteDetail::Created(message) = detail {
        let _ = write!(out, "\n{message}\n");
    }
    out
}

fn context(context: &Context, style: TextStyle) -> String {
    let transcript = &context.transcript;
    let debate = &transcript.debate;
    let mut out = format!("{}\n", style.bold(&visible::line(&debate.title)));
    let mut facts = vec![
        ("debate", debate.id.clone()),
        ("type", type_label(debate.debate_type).to_owned()),
        ("state", painted_state(debate.state, style)),
        ("created", time::show(&debate.created_at, style)),
        ("last changed", time::show(&debate.updated_at, style)),
    ];
    if !debate.slug.is_empty() {
        facts.insert(0, ("slug", debate.slug.clone()));
    }
    for seat in context.seats.iter().flatten() {
        let label = match seat.role {
            Side::Proposer => "proposer",
            Side::Opponent => "opponent",
        };
        facts.push((label, participant(seat)));
    }
    out.push_str(&rows(&facts, style));
    out.push('\n');
    out.push_str(&argument(&transcript.motion, style));
    let first_shown = transcript.arguments.first().map_or(1, |first| first.seq);
    if first_shown > 2 {
        let gap = format!("… arguments 2 to {} not shown …", first_shown - 1);
        let _ = writeln!(out, "{}\n", style.dim(&gap));
    }
    out.extend(transcript.arguments.iter().map(|each| argument(each, style)));
    let by_role = &context.available_actions;
    let roles = [
        (Role::Proposer, &by_role.proposer),
        (Role::Opponent, &by_role.opponent),
        (Role::Arbitrator, &by_role.arbitrator),
    ];
    for (role, actions) in roles.into_iter().filter(|(_, actions)| !actions.is_empty()) {
        let role = style.paint(role_colour(role), role_label(role));
        let _ = writeln!(out, "The {role} may: {}", action_list(actions));
    }
    if debate.state == State::Closed {
        out.push_str("The debate is closed.\n");
    }
    out
}

/// The holder of a seat, for one line.
pub(super) fn participant(seat: &Seat) -> String {
    let Some(holder) = &seat.holder else { return "no participant yet".to_owned() };
    let seen = seat.last_seen.as_ref().map(|at| format!(", last seen {at} UTC"));
    format!("{}{}", visible::line(holder), seen.unwrap_or_default())
}

fn action_list(actions: &[Action]) -> String {
    actions.iter().map(wire_name).collect::<Vec<_>>().join(", ")
}

/// One argument, its content indented.
pub(in crate::output) fn argument<'a>(argument: impl Into<Entry<'a>>, style: TextStyle) -> String {
    let entry = argument.into();
    let mut title = style.paint(&format!("1;{}", role_colour(entry.role)), entry.title());
    // The token's author is called like its role.
    if let Some(author) = entry.author().filter(|author| *author != role_label(entry.role)) {
        let _ = write!(title, " ({})", visible::line(author));
    }
    let about = style.dim(&format!("{}  {}", time::show(entry.created_at, style), entry.id));
    let mut out = format!("{:>3}  {title}\n     {about}\n", entry.seq);
    out.push_str(&styled_markdown::render(entry.content, "     ", style));
    out.push('\n');
    out
}

fn list(debates: &Debates, page: Pagination, style: TextStyle) -> String {
    let mut out = debate_table(&debates.debates, style).text(style);
    let total = page.total_count;
    let _ = match (debates.debates.len(), page.next_offset) {
        (0, _) => writeln!(out, "No debates found; {total} in total."),
        (count, Some(next)) => writeln!(out, "{count} of {total}. Next page: --offset {next}"),
        (count, None) => writeln!(out, "{count} of {total}"),
    };
    out
}

/// The list of debates, for text and for Markdown.
pub(super) fn debate_table(debates: &[Debate], style: TextStyle) -> Table {
    let mut table = Table::new(&["Title", "State", "Changed"]).with_last("Debate");
    for debate in debates {
        let state = Cell::painted(state_label(debate.state), state_colour(debate.state));
        let changed = Cell::painted(&time::show(&debate.updated_at, style), "2");
        table.add(vec![Cell::new(&debate.title), state, changed], debate_name(debate));
    }
    table
}

/// The name of a debate for commands. Servers before 0.7 send no slug.
pub(in crate::output) fn debate_name(debate: &Debate) -> &str {
    if debate.slug.is_empty() { &debate.id } else { &debate.slug }
}

fn wait_end(end: &WaitEnd, style: TextStyle) -> String {
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
            out.extend(arguments.iter().chain([argument]).map(|each| self::argument(each, style)));
            let mut lines = vec![
                ("next action", style.bold(&wire_name(action))),
                ("state", painted_state(*debate_state, style)),
            ];
            if !available_actions.is_empty() {
                lines.push(("allowed actions", action_list(available_actions)));
            }
            if *action != WaitAction::DebateClosed {
                let next = format!("--argument-id {next_argument_id_to_wait}");
                lines.push(("continue with", next));
            }
            out.push_str(&rows(&lines, style));
            out
        }
        WaitEnd::Timeout { message, retry_command, .. } => {
            format!("{message} To wait again, run:\n  {}\n", visible::block(retry_command))
        }
    }
}
