//! Markdown: a transcript to read, and fenced JSON for everything else.
//!
//! What was said stands in block quotes, so that no argument can pass for another, or for us.

use std::fmt::Write;

use debate_wire::agent::{Context, Item, Response, WaitEnd};
use debate_wire::arena::{Argument, Newer};

use super::done::Done;
use super::{forum, json, labels, runs, safe};
use crate::args::name;

pub(super) fn result(done: &Done) -> String {
    match done {
        Done::Context(context) => context_of(context),
        Done::Waited(end) => wait_end(end),
        Done::Id(_)
        | Done::Written(..)
        | Done::List(..)
        | Done::Deleted(_)
        | Done::Opened(_)
        | Done::Exported(_)
        | Done::Services(..)
        | Done::Shown => fenced(&done.response()),
        Done::Run(done) => runs::markdown_result(done),
        Done::Forum(done) => forum::markdown_result(done),
    }
}

pub(super) fn failure(response: &Response) -> String {
    let Some(problem) = &response.error else { return String::new() };
    let (code, message) = (safe::line(&problem.code), safe::block(&problem.message));
    let mut out = format!("## ❌ Error: {code}\n\n{message}\n");
    if let Some(suggestion) = &problem.suggestion {
        let _ = write!(out, "\n**Suggestion:** {}\n", safe::block(suggestion));
    }
    out
}

/// Each piece of data as a block of its own, and the rest of the envelope beneath.
pub(super) fn fenced(response: &Response) -> String {
    let mut out = String::new();
    for Item::Json(data) in &response.content {
        let _ = write!(out, "```json\n{}```\n", json::any_pretty(data));
    }
    for (name, value) in &response.metadata {
        let value = value.as_str().map_or_else(|| value.to_string(), safe::block);
        let _ = write!(out, "\n**{name}:** {value}\n");
    }
    if let Some(page) = &response.page {
        let next = page.next_offset.map(|offset| format!("; next page: `--offset {offset}`"));
        let _ =
            write!(out, "\n**total_count:** {}{}\n", page.total_count, next.unwrap_or_default());
    }
    out
}

fn context_of(context: &Context) -> String {
    let transcript = &context.transcript;
    let mut out = heading(transcript);
    out.push_str(&argument(&transcript.motion));
    out.extend(transcript.arguments.iter().map(argument));
    out.push_str("## Available actions\n\n");
    let by_role = &context.available_actions;
    let roles = [
        ("proposer", &by_role.proposer),
        ("opponent", &by_role.opponent),
        ("arbitrator", &by_role.arbitrator),
    ];
    for (role, actions) in roles {
        let actions: Vec<_> = actions.iter().map(|action| format!("`{}`", name(action))).collect();
        let actions = if actions.is_empty() { "none".to_owned() } else { actions.join(", ") };
        let _ = writeln!(out, "- {role}: {actions}");
    }
    out
}

/// A debate's title and what is known about it.
pub(super) fn heading(transcript: &debate_wire::arena::Transcript) -> String {
    let debate = &transcript.debate;
    format!(
        "# {}\n\n- debate: `{}`\n- type: `{}`\n- state: {} (`{}`)\n- created: {} UTC\n\
         - last changed: {} UTC\n\n",
        safe::line(&debate.title),
        debate.id,
        name(&debate.debate_type),
        labels::state(debate.state),
        name(&debate.state),
        debate.created_at,
        debate.updated_at,
    )
}

pub(super) fn argument(argument: &Argument) -> String {
    newer(&Newer::from(argument.clone()))
}

fn newer(argument: &Newer) -> String {
    let answers = argument.parent_id.as_ref().map(|id| format!(", answers `{id}`"));
    let author = labels::author(argument, |role| name(&role));
    format!(
        "## {}. {} {author}\n\n{} UTC, `{}`{}\n\n{}\n",
        argument.seq,
        name(&argument.r#type),
        argument.created_at,
        argument.id,
        answers.unwrap_or_default(),
        quoted(&argument.content),
    )
}

/// Every line behind a `>`: what is inside can't end the quote.
pub(super) fn quoted(content: &str) -> String {
    let mut out = String::with_capacity(content.len() + 16);
    for line in safe::block(content).split('\n') {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn wait_end(end: &WaitEnd) -> String {
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
            out.extend(arguments.iter().chain([argument]).map(newer));
            let actions: Vec<_> =
                available_actions.iter().map(|action| format!("`{}`", name(action))).collect();
            let actions = if actions.is_empty() { "none".to_owned() } else { actions.join(", ") };
            let _ = write!(
                out,
                "## Next action: `{}`\n\n- state: {} (`{}`)\n- allowed actions: {actions}\n\
                 - continue to wait with: `--argument-id {next_argument_id_to_wait}`\n",
                name(action),
                labels::state(*debate_state),
                name(debate_state),
            );
            out
        }
        WaitEnd::Timeout { message, retry_command, .. } => {
            format!("{message} To wait again, run:\n\n```sh\n{}\n```\n", safe::block(retry_command))
        }
    }
}
