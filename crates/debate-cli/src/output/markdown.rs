//! Markdown output: transcripts, and fenced JSON for everything else.

use std::fmt::Write;

use debate_render::visible;
use debate_wire::agent::{Item, Response};

use super::{CommandOutput, arena, forum, json, runner};

pub(super) fn markdown(output: &CommandOutput) -> String {
    match output {
        CommandOutput::Arena(output) => arena::markdown(output),
        CommandOutput::Runner(output) => runner::markdown(output),
        CommandOutput::Forum(output) => forum::markdown(output),
        CommandOutput::Deleted(_) | CommandOutput::Services(..) | CommandOutput::Printed => {
            fenced_json(&output.response())
        }
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
    if let Some(page) = &response.page {
        let next = page.next_offset.map(|offset| format!("; next page: `--offset {offset}`"));
        let _ =
            write!(out, "\n**total_count:** {}{}\n", page.total_count, next.unwrap_or_default());
    }
    out
}
