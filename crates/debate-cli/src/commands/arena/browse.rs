//! Opens a debate in the browser.

use std::process::{Command, Stdio};

use debate_wire::agent::Opened;

use super::ids::{debate_id, path_segment};
use crate::args::OpenArgs;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::service;
use crate::settings::ProcessEnvironment;

pub(super) async fn open(
    args: &OpenArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    open_page(args.debate_id.as_deref(), "/arena", context).await
}

/// Opens the page of a debate, or the page at `path` if no debate is named.
pub(in crate::commands) async fn open_page(
    debate: Option<&str>,
    path: &str,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let debate = debate.map(debate_id).transpose()?;
    service::ensure(context).await?;
    let url = match debate {
        Some(debate) => format!("{}/arena/{}", context.settings.url, path_segment(&debate)),
        None => format!("{}{path}", context.settings.url),
    };
    let opened = browser(context.environment)?.is_some_and(|browser| {
        let mut command = Command::new(browser);
        command.arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    });
    Ok(ArenaOutput::Opened(Opened { url, opened }).into())
}

/// The program that opens a URL; none without a display.
fn browser(environment: &ProcessEnvironment) -> Result<Option<String>, Failure> {
    if let Some(named) = environment.text("BROWSER")? {
        return Ok(named.split(':').find(|name| !name.is_empty()).map(str::to_owned));
    }
    if cfg!(target_os = "macos") {
        return Ok(Some("open".to_owned()));
    }
    let screen = environment.text("WAYLAND_DISPLAY")?.or(environment.text("DISPLAY")?);
    Ok(screen.map(|_| "xdg-open".to_owned()))
}
