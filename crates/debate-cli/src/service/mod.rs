//! The background server. It is started if no server responds, once for all concurrent commands,
//! and only a server that was started here is stopped.

mod address_record;
mod probe;
mod process;
mod restart;
mod run_dir;
mod running;
mod start_settings;

pub use address_record::AddressRecord;
pub(crate) use address_record::find_other;
pub(crate) use restart::restart;
pub use running::already_running;
pub(crate) use running::{RunningServer, running};
pub(crate) use start_settings::key_variable;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use debate_net::BaseUrl;
use debate_wire::agent::{ServerStatus, ServiceStatus, Services};
use tokio::time::{Instant, sleep};

use self::probe::{ProbeResult, probe};
use self::run_dir::{ProcessRecord, RunDir};
use self::start_settings::StartSettings;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::settings::ProcessEnvironment;

/// The time limit for a start.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for a stop. The server gives its clients 10 s.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// The pause between two checks of a server that starts or stops.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Whether `aw serve` on this machine can listen at this URL.
fn could_start_at(url: &BaseUrl) -> bool {
    url.is_loopback() && !url.tls && url.path.is_empty()
}

/// Starts a local server if none responds and the settings allow it.
pub(crate) async fn ensure(context: &CommandContext<'_>) -> Result<(), Failure> {
    if !context.settings.auto_start || !could_start_at(&context.settings.url) {
        return Ok(());
    }
    if matches!(probe(&context.client).await, ProbeResult::Healthy | ProbeResult::Unhealthy) {
        return Ok(());
    }
    start_if_absent(context).await.map(|_| ())
}

fn require_local(context: &CommandContext<'_>) -> Result<(), Failure> {
    let url = &context.settings.url;
    if could_start_at(url) {
        return Ok(());
    }
    let message = format!("cannot start a server at {url}: the URL is not a local http address");
    let suggestion =
        "use a URL such as http://127.0.0.1:3456, or start the server on its own machine";
    Err(Failure::input(message, suggestion))
}

pub(crate) async fn start(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    require_local(context)?;
    let status = start_if_absent(context).await?;
    report(context, status).await
}

pub(crate) async fn status(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    report(context, ServiceStatus::Running).await
}

/// The log of the background server. The file exists if `aw` has started a server on the port.
pub(crate) fn log_path(context: &CommandContext<'_>) -> Result<PathBuf, Failure> {
    Ok(RunDir::new(context)?.log_path())
}

pub(crate) async fn stop(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let folder = RunDir::new(context)?;
    let _lock = folder.lock().await?;
    let Some(record) = folder.running_process() else {
        folder.remove_record()?;
        return match probe(&context.client).await {
            ProbeResult::Healthy | ProbeResult::Unhealthy => {
                Err(Failure::not_background(&context.settings.url))
            }
            ProbeResult::NotListening
            | ProbeResult::OtherProgram(_)
            | ProbeResult::Unresponsive(_) => report(context, ServiceStatus::NotRunning).await,
        };
    };
    stop_process(&folder, record.pid).await?;
    let server = ServerStatus { pid: None, port: context.settings.url.port, healthy: false };
    Ok(CommandOutput::Services(Services { status: ServiceStatus::Stopped, server }, None))
}

/// Stops the recorded process and removes its record.
async fn stop_process(folder: &RunDir, pid: u32) -> Result<(), Failure> {
    process::terminate(pid).map_err(|err| Failure::ServerNotStopped(err.to_string()))?;
    let deadline = Instant::now() + STOP_TIMEOUT;
    while folder.running_process().is_some() {
        if Instant::now() >= deadline {
            let message = format!("process {pid} did not stop within {STOP_TIMEOUT:?}");
            return Err(Failure::ServerNotStopped(message));
        }
        sleep(CHECK_INTERVAL).await;
    }
    folder.remove_record()
}

/// The status by a probe, with the process id of a server that `aw` started.
async fn report(
    context: &CommandContext<'_>,
    if_up: ServiceStatus,
) -> Result<CommandOutput, Failure> {
    let port = context.settings.url.port;
    let living = RunDir::new(context)?.running_process().map(|record| record.pid);
    let (up, healthy, message) = match probe(&context.client).await {
        ProbeResult::Healthy => (true, true, None),
        ProbeResult::Unhealthy => {
            (true, false, Some("the server reports that it is unhealthy".to_owned()))
        }
        ProbeResult::Unresponsive(why) if living.is_some() => {
            (true, false, Some(format!("the server does not respond: {why}")))
        }
        ProbeResult::NotListening => (living.is_some(), false, None),
        ProbeResult::OtherProgram(what) | ProbeResult::Unresponsive(what) => {
            (false, false, Some(port_conflict_message(port, &what)))
        }
    };
    let status = if up { if_up } else { ServiceStatus::NotRunning };
    let pid = living.filter(|_| up);
    let server = ServerStatus { pid, port, healthy };
    Ok(CommandOutput::Services(Services { status, server }, message))
}

fn port_conflict_message(port: u16, what: &str) -> String {
    format!("port {port} is in use by {}: {what}", port_owner(port))
}

/// Starts a server unless one is running. Concurrent commands wait at the lock and then
/// find the running server.
async fn start_if_absent(context: &CommandContext<'_>) -> Result<ServiceStatus, Failure> {
    let folder = RunDir::new(context)?;
    let _lock = folder.lock().await?;
    start_unless_running(context, &folder).await
}

/// Starts a server unless one is running. The caller holds the lock of the folder.
async fn start_unless_running(
    context: &CommandContext<'_>,
    folder: &RunDir,
) -> Result<ServiceStatus, Failure> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        match probe(&context.client).await {
            ProbeResult::Healthy | ProbeResult::Unhealthy => {
                return Ok(ServiceStatus::AlreadyRunning);
            }
            ProbeResult::NotListening if folder.running_process().is_none() => break,
            ProbeResult::OtherProgram(what) => return Err(port_in_use_failure(context, &what)),
            // The process is starting or stopping, or another program uses the port.
            ProbeResult::NotListening => {}
            ProbeResult::Unresponsive(why) if Instant::now() >= deadline => {
                return Err(port_in_use_failure(context, &why));
            }
            ProbeResult::Unresponsive(_) => {}
        }
        if Instant::now() >= deadline {
            return Err(Failure::ServerNotStarted(
                "the running process does not respond".to_owned(),
            ));
        }
        sleep(CHECK_INTERVAL).await;
    }
    context.client.notes.print(format_args!("starting a server at {}", context.settings.url));
    let log_offset = folder.log_length();
    let settings = StartSettings::load(context)?.environment;
    let mut child = spawn(context, folder)?;
    folder.write_record(&ProcessRecord::new(child.id(), settings))?;
    wait_until_ready(context, folder, &mut child, log_offset).await
}

fn port_in_use_failure(context: &CommandContext<'_>, what: &str) -> Failure {
    let port = context.settings.url.port;
    Failure::PortTaken { port, who: format!("{} ({what})", port_owner(port)) }
}

fn port_owner(port: u16) -> String {
    process::listener(port).map_or_else(|| "another program".to_owned(), |who| who.to_string())
}

/// Runs this program as a server, detached from the terminal, with its output in the log.
fn spawn(context: &CommandContext<'_>, folder: &RunDir) -> Result<Child, Failure> {
    let no_start = |err: std::io::Error| Failure::ServerNotStarted(err.to_string());
    let url = &context.settings.url;
    let mut command = Command::new(program(context.environment)?);
    command
        .args(["serve", "--host", &url.host, "--port", &url.port.to_string()])
        .env("AW_LOG_FILE", folder.log_path())
        // The agent's key is for requests and must not stay in a long-lived process.
        .env_remove("AW_AGENT_KEY")
        // Signals of this terminal must not reach the server.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(folder.open_log()?);
    // The server must require the token that this client sends, also if it came from a file.
    if let Some(token) = &context.settings.token {
        command.env("DEBATE_AUTH_TOKEN", token.secret());
    }
    command.spawn().map_err(no_start)
}

/// Waits until the server responds or has ended.
async fn wait_until_ready(
    context: &CommandContext<'_>,
    folder: &RunDir,
    child: &mut Child,
    log_offset: u64,
) -> Result<ServiceStatus, Failure> {
    let log = folder.log_path();
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        // Checked before the probe: a response after the end comes from another server.
        let has_ended = matches!(child.try_wait(), Ok(Some(_)));
        if has_ended {
            folder.remove_record()?;
        }
        match probe(&context.client).await {
            // Another server was started at the same time and got the port.
            ProbeResult::Healthy | ProbeResult::Unhealthy if has_ended => {
                return Ok(ServiceStatus::AlreadyRunning);
            }
            // Another server has the port; the child is about to fail.
            ProbeResult::Healthy | ProbeResult::Unhealthy
                if has_other_owner(context, child.id()) => {}
            ProbeResult::Healthy | ProbeResult::Unhealthy => return Ok(ServiceStatus::Started),
            // Another server has the port and is still starting.
            ProbeResult::Unresponsive(_) if has_ended && has_other_owner(context, child.id()) => {}
            ProbeResult::NotListening | ProbeResult::Unresponsive(_) if has_ended => {
                let reason = folder
                    .last_log_line(log_offset)
                    .unwrap_or_else(|| "the process exited at once".to_owned());
                return Err(Failure::ServerNotStarted(reason));
            }
            ProbeResult::OtherProgram(what) => return Err(port_in_use_failure(context, &what)),
            ProbeResult::NotListening | ProbeResult::Unresponsive(_) => {}
        }
        if Instant::now() >= deadline {
            let message =
                format!("no response within {START_TIMEOUT:?}; see the log {}", log.display());
            return Err(Failure::ServerNotStarted(message));
        }
        sleep(CHECK_INTERVAL).await;
    }
}

/// Whether another process than `pid` is known to listen on the port.
fn has_other_owner(context: &CommandContext<'_>, pid: u32) -> bool {
    process::listener(context.settings.url.port).is_some_and(|who| who.pid != pid)
}

fn program(environment: &ProcessEnvironment) -> Result<PathBuf, Failure> {
    let program = environment.program.as_ref();
    let program = program
        .map_err(|err| Failure::ServerNotStarted(format!("cannot find the aw program: {err}")))?;
    // After a rebuild the system reports the path of the deleted file.
    fs::metadata(program)
        .map_err(|err| Failure::ServerNotStarted(format!("{}: {err}", program.display())))?;
    Ok(program.clone())
}
