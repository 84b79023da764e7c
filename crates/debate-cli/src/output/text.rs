//! Text output: aligned, and coloured on a terminal.

use std::fmt::Write;

use debate_wire::agent::{
    Context, Debates, Page, Receipt, Response, ServiceStatus, Services, WaitEnd,
};
use debate_wire::arena::{Action, Argument, Debate, Newer, Role, State, WaitAction};

use super::done::{About, Done};
use super::{forum, labels, runs, safe};
use crate::args::name;

/// Colour, where it is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    pub(super) on: bool,
}

impl Paint {
    pub(super) fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn role(self, role: Role) -> String {
        let code = match role {
            Role::Proposer => "36",
            Role::Opponent => "33",
            Role::Arbitrator => "35",
        };
        self.with(code, &name(&role))
    }

    fn state(self, state: State) -> String {
        let code = match state {
            State::AwaitingOpponent => "33",
            State::AwaitingProposer => "36",
            State::AwaitingArbitrator | State::InterventionPending => "35",
            State::Closed => "2",
        };
        self.with(code, labels::state(state))
    }
}

pub(super) fn result(done: &Done, paint: Paint) -> String {
    match done {
        Done::Id(generated) => format!("{}\n", generated.id),
        Done::Written(receipt, about) => written(receipt, about, paint),
        Done::Context(context) => context_of(context, paint),
        Done::List(debates, page) => list(debates, *page, paint),
        Done::Waited(end) => wait_end(end, paint),
        Done::Deleted(deleted) if deleted.deleted => "Deleted.\n".to_owned(),
        Done::Deleted(_) => "Not deleted.\n".to_owned(),
        Done::Opened(opened) if opened.opened => format!("Opened {}\n", opened.url),
        Done::Opened(opened) => format!("{}\n", opened.url),
        Done::Exported(exported) => {
            let s = if exported.arguments == 1 { "" } else { "s" };
            let path = safe::line(&exported.path);
            format!("{path}: {} argument{s}, {} bytes\n", exported.arguments, exported.bytes)
        }
        Done::Services(services, message) => services_of(services, message.as_deref(), paint),
        Done::Run(done) => runs::text_result(done, paint),
        Done::Forum(done) => forum::text_result(done, paint),
        Done::Shown => String::new(),
    }
}

pub(super) fn failure(response: &Response, paint: Paint) -> String {
    let Some(problem) = &response.error else { return String::new() };
    let code = paint.with("1;31", &safe::line(&problem.code));
    let mut out = format!("{code}  {}\n", safe::block(&problem.message));
    if let Some(suggestion) = &problem.suggestion {
        let _ = writeln!(out, "{}  {}", paint.dim("hint:"), safe::block(suggestion));
    }
    out
}

/// Labels and values, the values one below the other.
pub(super) fn rows(rows: &[(&str, String)], paint: Paint) -> String {
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let row = |(label, value): &(&str, String)| {
        format!("  {}  {value}\n", paint.dim(&format!("{label:width$}")))
    };
    rows.iter().map(row).collect()
}

fn written(receipt: &Receipt, about: &About, paint: Paint) -> String {
    let kind = name(&receipt.argument_type);
    let key = safe::line(receipt.client_request_id.as_deref().unwrap_or("none"));
    let mut out = format!("{} saved as argument {}\n", paint.bold(&kind), receipt.argument_seq);
    out.push_str(&rows(
        &[
            ("argument", receipt.argument_id.clone()),
            ("debate", receipt.debate_id.clone()),
            ("state", paint.state(receipt.debate_state)),
            ("idempotency key", key),
        ],
        paint,
    ));
    if let About::Opening(message) = about {
        let _ = write!(out, "\n{message}\n");
    }
    out
}

fn context_of(context: &Context, paint: Paint) -> String {
    let transcript = &context.transcript;
    let debate = &transcript.debate;
    let mut out = format!("{}\n", paint.bold(&safe::line(&debate.title)));
    out.push_str(&rows(
        &[
            ("debate", debate.id.clone()),
            ("type", name(&debate.debate_type)),
            ("state", paint.state(debate.state)),
            ("created", format!("{} UTC", debate.created_at)),
            ("last changed", format!("{} UTC", debate.updated_at)),
        ],
        paint,
    ));
    out.push('\n');
    out.push_str(&argument(&transcript.motion, paint));
    let shown = transcript.arguments.first().map_or(1, |first| first.seq);
    if shown > 2 {
        let gap = format!("… arguments 2 to {} not shown …", shown - 1);
        let _ = writeln!(out, "{}\n", paint.dim(&gap));
    }
    out.extend(transcript.arguments.iter().map(|each| argument(each, paint)));
    let by_role = &context.available_actions;
    let may = [
        (Role::Proposer, &by_role.proposer),
        (Role::Opponent, &by_role.opponent),
        (Role::Arbitrator, &by_role.arbitrator),
    ];
    for (role, actions) in may.into_iter().filter(|(_, actions)| !actions.is_empty()) {
        let _ = writeln!(out, "The {} may: {}", paint.role(role), listed(actions));
    }
    if debate.state == State::Closed {
        out.push_str("The debate is closed.\n");
    }
    out
}

fn listed(actions: &[Action]) -> String {
    actions.iter().map(name).collect::<Vec<_>>().join(", ")
}

pub(super) fn argument(argument: &Argument, paint: Paint) -> String {
    newer(&Newer::from(argument.clone()), paint)
}

fn newer(argument: &Newer, paint: Paint) -> String {
    let kind = paint.bold(&name(&argument.r#type));
    let when = paint.dim(&format!("{} UTC  {}", argument.created_at, argument.id));
    let author = labels::author(argument, |role| paint.role(role));
    let mut out = format!("{:>3}  {kind} {author}\n", argument.seq);
    let _ = writeln!(out, "     {when}");
    for line in safe::block(&argument.content).lines() {
        let line = format!("     {line}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    out
}

fn list(debates: &Debates, page: Page, paint: Paint) -> String {
    let mut out = String::new();
    for debate in &debates.debates {
        out.push_str(&entry(debate, paint));
    }
    match (debates.debates.len(), page.next_offset) {
        (0, _) => {
            let _ = writeln!(out, "No debates found; {} in total.", page.total_count);
        }
        (count, Some(next)) => {
            let _ = writeln!(out, "{count} of {}. Next page: --offset {next}", page.total_count);
        }
        (count, None) => {
            let _ = writeln!(out, "{count} of {}", page.total_count);
        }
    }
    out
}

fn entry(debate: &Debate, paint: Paint) -> String {
    const LONGEST: usize = "Waiting for the opponent".len();
    // Padded by the visible width: colours take no columns.
    let pad = " ".repeat(LONGEST.saturating_sub(labels::state(debate.state).len()));
    format!(
        "{}  {}{pad}  {}  {}\n",
        debate.id,
        paint.state(debate.state),
        paint.dim(&debate.updated_at),
        safe::line(&debate.title),
    )
}

fn wait_end(end: &WaitEnd, paint: Paint) -> String {
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
            out.extend(arguments.iter().chain([argument]).map(|each| newer(each, paint)));
            let mut lines = vec![
                ("next action", paint.bold(&name(action))),
                ("state", paint.state(*debate_state)),
            ];
            if !available_actions.is_empty() {
                lines.push(("allowed actions", listed(available_actions)));
            }
            if *action != WaitAction::DebateClosed {
                let next = format!("--argument-id {next_argument_id_to_wait}");
                lines.push(("continue with", next));
            }
            out.push_str(&rows(&lines, paint));
            out
        }
        WaitEnd::Timeout { message, retry_command, .. } => {
            format!("{message} To wait again, run:\n  {}\n", safe::block(retry_command))
        }
    }
}

fn services_of(services: &Services, message: Option<&str>, paint: Paint) -> String {
    let server = services.server;
    let status = name(&services.status).replace('_', " ");
    let mut lines = vec![("server", paint.bold(&status)), ("port", server.port.to_string())];
    if !matches!(services.status, ServiceStatus::Stopped | ServiceStatus::NotRunning) {
        let elsewhere = || "not started in the background by `aw`".to_owned();
        let healthy = if server.healthy { paint.with("32", "yes") } else { paint.with("31", "no") };
        lines.push(("process", server.pid.map_or_else(elsewhere, |pid| pid.to_string())));
        lines.push(("healthy", healthy));
    }
    let mut out = rows(&lines, paint);
    if let Some(message) = message {
        let _ = writeln!(out, "{}", safe::line(message));
    }
    out
}
