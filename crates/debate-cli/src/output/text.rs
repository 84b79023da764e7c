//! Text output: aligned, and coloured on a terminal.

use std::fmt::Write;

use debate_render::{visible, wire_name};
use debate_wire::agent::{Response, ServiceStatus, Services};

use super::{CommandOutput, arena, forum, runner};

/// Colours of the output, on or off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub(super) on: bool,
}

impl Palette {
    /// Text in the colour with this ANSI code.
    pub(super) fn paint(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

pub(super) fn text(output: &CommandOutput, palette: Palette) -> String {
    match output {
        CommandOutput::Arena(output) => arena::text(output, palette),
        CommandOutput::Runner(output) => runner::text(output, palette),
        CommandOutput::Forum(output) => forum::text(output, palette),
        CommandOutput::Deleted(deleted) if deleted.deleted => "Deleted.\n".to_owned(),
        CommandOutput::Deleted(_) => "Not deleted.\n".to_owned(),
        CommandOutput::Services(services, message) => {
            services_text(services, message.as_deref(), palette)
        }
        CommandOutput::Printed => String::new(),
    }
}

pub(super) fn failure(response: &Response, palette: Palette) -> String {
    let Some(problem) = &response.error else { return String::new() };
    let code = palette.paint("1;31", &visible::line(&problem.code));
    let mut out = format!("{code}  {}\n", visible::block(&problem.message));
    if let Some(suggestion) = &problem.suggestion {
        let _ = writeln!(out, "{}  {}", palette.dim("hint:"), visible::block(suggestion));
    }
    out
}

/// Labels and values in two aligned columns.
pub(super) fn rows(rows: &[(&str, String)], palette: Palette) -> String {
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let row = |(label, value): &(&str, String)| {
        format!("  {}  {value}\n", palette.dim(&format!("{label:width$}")))
    };
    rows.iter().map(row).collect()
}

/// The spaces that follow a text in a column of `width`. The text has no colours,
/// which take no columns.
pub(super) fn pad(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.len()))
}

fn services_text(services: &Services, message: Option<&str>, palette: Palette) -> String {
    let server = services.server;
    let status = wire_name(&services.status).replace('_', " ");
    let mut lines = vec![("server", palette.bold(&status)), ("port", server.port.to_string())];
    if !matches!(services.status, ServiceStatus::Stopped | ServiceStatus::NotRunning) {
        let elsewhere = || "not started in the background by `aw`".to_owned();
        let healthy =
            if server.healthy { palette.paint("32", "yes") } else { palette.paint("31", "no") };
        lines.push(("process", server.pid.map_or_else(elsewhere, |pid| pid.to_string())));
        lines.push(("healthy", healthy));
    }
    let mut out = rows(&lines, palette);
    if let Some(message) = message {
        let _ = writeln!(out, "{}", visible::line(message));
    }
    out
}
