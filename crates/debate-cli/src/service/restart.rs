//! Restarts the background server, unless that would change its settings unnoticed.

use super::probe::{ProbeResult, probe};
use super::run_dir::RunDir;
use super::start_settings::StartSettings;
use super::{report, require_local, start_unless_running, stop_process};
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::prompt::{self, DefaultAnswer};

/// Stops the background server and starts it with the environment of this command. Starts a
/// server if none is running.
pub(crate) async fn restart(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    require_local(context)?;
    let folder = RunDir::new(context)?;
    let _lock = folder.lock().await?;
    match folder.running_process() {
        Some(record) => {
            let changes = StartSettings::load(context)?.changes(record.settings.as_ref());
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            if !changes.is_empty() {
                confirm(&changes, record.pid, context)?;
            }
            stop_process(&folder, record.pid).await?;
        }
        None => match probe(&context.client).await {
            ProbeResult::Healthy | ProbeResult::Unhealthy => {
                return Err(Failure::not_background(&context.settings.url));
            }
            ProbeResult::NotListening
            | ProbeResult::OtherProgram(_)
            | ProbeResult::Unresponsive(_) => {}
        },
    }
    let status = start_unless_running(context, &folder).await?;
    report(context, status).await
}

/// Asks a person whether to restart with changed settings. Refuses without a terminal.
fn confirm(changes: &[String], pid: u32, context: &CommandContext<'_>) -> Result<(), Failure> {
    let refusal = || Failure::SettingsDiffer {
        pid,
        changes: changes.join("; "),
        suggestion: format!(
            "set these variables as they were when the server was started, or run `{}` and then \
             `{}`",
            context.command(&["stop"]),
            context.command(&["debate", "services", "start"]),
        ),
    };
    if !prompt::can_ask() {
        return Err(refusal());
    }
    for change in changes {
        context.client.notes.print(format_args!("{change}"));
    }
    let question = format!("Restart the server (process {pid}) with these settings?");
    if prompt::ask(&question, DefaultAnswer::No)? { Ok(()) } else { Err(refusal()) }
}
