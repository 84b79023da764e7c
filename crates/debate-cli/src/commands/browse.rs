//! A debate in the browser.

use std::process::{Command, Stdio};

use debate_wire::agent::Opened;

use super::Desk;
use super::ids::{debate_id, path_segment};
use crate::args::OpenArgs;
use crate::fault::Fault;
use crate::output::Done;
use crate::service;
use crate::settings::Surroundings;

pub(super) async fn open(args: &OpenArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let debate = args.debate_id.as_deref().map(debate_id).transpose()?;
    service::ensure(desk).await?;
    let url = match debate {
        Some(debate) => format!("{}/arena/{}", desk.settings.url, path_segment(&debate)),
        None => format!("{}/arena", desk.settings.url),
    };
    let opened = browser(desk.around)?.is_some_and(|browser| {
        let mut command = Command::new(browser);
        command.arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    });
    Ok(Done::Opened(Opened { url, opened }))
}

/// The program that shows a page, where there is a screen to show it on.
fn browser(around: &Surroundings) -> Result<Option<String>, Fault> {
    if let Some(named) = around.text("BROWSER")? {
        return Ok(named.split(':').find(|name| !name.is_empty()).map(str::to_owned));
    }
    if cfg!(target_os = "macos") {
        return Ok(Some("open".to_owned()));
    }
    let screen = around.text("WAYLAND_DISPLAY")?.or(around.text("DISPLAY")?);
    Ok(screen.map(|_| "xdg-open".to_owned()))
}
