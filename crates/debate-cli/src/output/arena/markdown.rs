//! Markdown output of `aw debate`: transcripts, and fenced JSON for everything else.

use std::fmt::Write;

use debate_render::arena::{markdown_argument, markdown_transcript, state_label};
use debate_render::{code_span, escape_line, visible, wire_name};
use debate_wire::agent::{Context, WaitEnd};
use debate_wire::arena::Action;

use super::ArenaOutput;
use super::text::{debate_table, participant};
use super::turn;
use crate::output::markdown::{fenced_json, page_note};
use crate::output::text::TextStyle;

pub(in crate::output) fn markdown(output: &ArenaOutput) -> String {
    match output {
        ArenaOutput::Context(context) => self::context(context),
        ArenaOutput::WaitEnd(end) => wait_end(end),
        ArenaOutput::List(debates, _) => {
            let table = debate_table(&debates.debates, TextStyle::PLAIN).markdown();
            format!("{table}{}", page_note(&output.response()))
        }
        ArenaOutput::Created(created) => turn::created_markdown(created),
        ArenaOutput::Turn(report) => turn::turn_markdown(report),
        ArenaOutput::Prompt(prompt) => visible::block(&prompt.prompt),
        ArenaOutput::Id(_)
        | ArenaOutput::Written(..)
        | ArenaOutput::Opened(_)
        | ArenaOutput::Exported(_) => fenced_json(&output.response()),
    }
}

fn context(context: &Context) -> String {
    let mut out = markdown_transcript(&context.transcript);
    if let Some(seats) = &context.seats {
        out.push_str("## Participants\n\n");
        for seat in seats {
            let _ =
                writeln!(out, "- {}: {}", wire_name(&seat.role), escape_line(&participant(seat)));
        }
        out.push('\n');
    }
    out.push_str("## Available actions\n\n");
    let by_role = &context.available_actions;
    let roles = [
        ("proposer", &by_role.proposer),
        ("opponent", &by_role.opponent),
        ("arbitrator", &by_role.arbitrator),
    ];
    for (role, actions) in roles {
        let _ = writeln!(out, "- {role}: {}", action_list(actions));
    }
    out
}

fn action_list(actions: &[Action]) -> String {
    if actions.is_empty() {
        return "none".to_owned();
    }
    let actions: Vec<_> = actions.iter().map(|action| code_span(&wire_name(action))).collect();
    actions.join(", ")
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
            out.extend(arguments.iter().chain([argument]).map(markdown_argument));
            let _ = write!(
                out,
                "## Next action: {}\n\n- state: {} ({})\n- allowed actions: {}\n\
                 - continue to wait with: `--argument-id {next_argument_id_to_wait}`\n",
                code_span(&wire_name(action)),
                state_label(*debate_state),
                code_span(&wire_name(debate_state)),
                action_list(available_actions),
            );
            out
        }
        WaitEnd::Timeout { message, retry_command, .. } => {
            let command = visible::block(retry_command);
            format!("{message} To wait again, run:\n\n```sh\n{command}\n```\n")
        }
    }
}
