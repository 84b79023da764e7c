//! Markdown output: transcripts, tables of lists, and fenced JSON for everything else.

use std::fmt::Write;

use debate_render::{code_span, visible};
use debate_wire::agent::{Item, Response};

use super::{CommandOutput, ConfigOutput, arena, config, forum, json, runner};
use crate::shell;

pub(super) fn markdown(output: &CommandOutput) -> String {
    match output {
        CommandOutput::Arena(output) => arena::markdown(output),
        CommandOutput::Runner(output) => runner::markdown(output),
        CommandOutput::Forum(output) => forum::markdown(output),
        CommandOutput::Config(ConfigOutput::Settings { settings, .. }) => {
            config::settings_table(settings).markdown()
        }
        CommandOutput::Config(_)
        | CommandOutput::Deleted(_)
        | CommandOutput::Services(..)
        | CommandOutput::Printed => fenced_json(&output.response()),
    }
}

pub(super) fn failure(response: &Response) -> String {
    let Some(problem) = &response.error else { return String::new() };
    let (code, message) = (visible::line(&problem.code), visible::block(&problem.message));
    let mut out = format!("## ❌ Error: {code}\n\n{message}\n");
    if let Some(suggestion) = &problem.suggestion {
        let _ = write!(out, "\n**Suggestion:** {}\n", visible::block(suggestion));
    }
    out
}

/// Each piece of data as a block of its own, and the rest of the envelope below.
pub(super) fn fenced_json(response: &Response) -> String {
    let mut out = String::new();
    for Item::Json(data) in &response.content {
        let _ = write!(out, "```json\n{}```\n", json::any_pretty(data));
    }
    for (name, value) in &response.metadata {
        let value = value.as_str().map_or_else(|| value.to_string(), visible::block);
        let _ = write!(out, "\n**{name}:** {value}\n");
    }
    out.push_str(&page_note(response));
    out
}

/// The position of a page in its list; empty if the response is not a page.
pub(super) fn page_note(response: &Response) -> String {
    let Some(page) = &response.page else { return String::new() };
    let next = page.next_offset.map(|offset| format!("; next page: `--offset {offset}`"));
    format!("\n**total_count:** {}{}\n", page.total_count, next.unwrap_or_default())
}

/// The cursor of the next page; empty on the last page.
pub(super) fn cursor_note(cursor: Option<&String>) -> String {
    let note = |cursor: &String| {
        format!("\nNext page: {}\n", code_span(&format!("--cursor {}", shell::quote(cursor))))
    };
    cursor.map(note).unwrap_or_default()
}
