//! Text output: aligned, and coloured on a terminal.

use std::fmt::Write;

use debate_render::{visible, wire_name};
use debate_wire::agent::{Response, ServiceStatus, Services};

use super::{CommandOutput, arena, forum, runner};

/// The form of text output: coloured or not, and fitted to a terminal or not.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    pub(super) colour: bool,
    /// The columns of the terminal; none where the output is not a terminal. Only a terminal gets
    /// wrapped text, short ids and relative times.
    pub(super) width: Option<usize>,
}

impl TextStyle {
    /// Without colours, not on a terminal.
    pub(super) const PLAIN: Self = Self { colour: false, width: None };

    /// Text in the colour with this ANSI code.
    pub(super) fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

pub(super) fn text(output: &CommandOutput, style: TextStyle) -> String {
    match output {
        CommandOutput::Arena(output) => arena::text(output, style),
        CommandOutput::Runner(output) => runner::text(output, style),
        CommandOutput::Forum(output) => forum::text(output, style),
        CommandOutput::Config(output) => output.text(style),
        CommandOutput::Deleted(deleted) if deleted.deleted => "Deleted.\n".to_owned(),
        CommandOutput::Deleted(_) => "Not deleted.\n".to_owned(),
        CommandOutput::Services(services, message) => {
            services_text(services, message.as_deref(), style)
        }
        CommandOutput::Printed => String::new(),
    }
}

pub(super) fn failure(response: &Response, style: TextStyle) -> String {
    let Some(problem) = &response.error else { return String::new() };
    let code = style.paint("1;31", &visible::line(&problem.code));
    let mut out = format!("{code}  {}\n", visible::block(&problem.message));
    if let Some(suggestion) = &problem.suggestion {
        let _ = writeln!(out, "{}  {}", style.dim("hint:"), visible::block(suggestion));
    }
    out
}

/// Labels and values in two aligned columns.
pub(super) fn rows(rows: &[(&str, String)], style: TextStyle) -> String {
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let row = |(label, value): &(&str, String)| {
        format!("  {}  {value}\n", style.dim(&format!("{label:width$}")))
    };
    rows.iter().map(row).collect()
}

fn services_text(services: &Services, message: Option<&str>, style: TextStyle) -> String {
    let server = services.server;
    let status = wire_name(&services.status).replace('_', " ");
    let mut lines = vec![("server", style.bold(&status)), ("port", server.port.to_string())];
    if !matches!(services.status, ServiceStatus::Stopped | ServiceStatus::NotRunning) {
        let elsewhere = || "not started in the background by `aw`".to_owned();
        let healthy =
            if server.healthy { style.paint("32", "yes") } else { style.paint("31", "no") };
        lines.push(("process", server.pid.map_or_else(elsewhere, |pid| pid.to_string())));
        lines.push(("healthy", healthy));
    }
    let mut out = rows(&lines, style);
    if let Some(message) = message {
        let _ = writeln!(out, "{}", visible::line(message));
    }
    out
}
