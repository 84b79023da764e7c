//! The background server. It is started if no server responds, once for all concurrent commands,
//! and only a server that was started here is stopped.

mod folder;
mod probe;
mod process;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use debate_wire::agent::{ServerStatus, ServiceStatus, Services};
use tokio::time::{Instant, sleep};

use self::folder::{Folder, Record};
use self::probe::Found;
use crate::commands::Desk;
use crate::fault::Fault;
use crate::output::Done;
use crate::settings::Surroundings;

/// How long a server has to come up.
const START_TIME: Duration = Duration::from_secs(10);

/// How long a server has to stop; it gives its own clients 10 s.
const STOP_TIME: Duration = Duration::from_secs(15);

/// How often it is looked at meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Makes sure that a server answers, where one may be started.
pub(crate) async fn ensure(desk: &Desk<'_>) -> Result<(), Fault> {
    if !desk.settings.auto_start || !desk.settings.url.could_be_started() {
        return Ok(());
    }
    if matches!(probe::look(&desk.client).await, Found::Well | Found::Unwell) {
        return Ok(());
    }
    bring_up(desk).await.map(|_| ())
}

pub(crate) async fn start(desk: &Desk<'_>) -> Result<Done, Fault> {
    let url = &desk.settings.url;
    if !url.could_be_started() {
        let message =
            format!("cannot start a server at {url}: the URL is not a local http address");
        let suggestion =
            "use a URL such as http://127.0.0.1:3456, or start the server on its own machine";
        return Err(Fault::input(message, suggestion));
    }
    let status = bring_up(desk).await?;
    report(desk, status).await
}

pub(crate) async fn status(desk: &Desk<'_>) -> Result<Done, Fault> {
    report(desk, ServiceStatus::Running).await
}

pub(crate) async fn stop(desk: &Desk<'_>) -> Result<Done, Fault> {
    let folder = Folder::of(desk)?;
    let _lock = folder.lock().await?;
    let Some(record) = folder.living() else {
        folder.forget()?;
        return match probe::look(&desk.client).await {
            Found::Well | Found::Unwell => Err(Fault::NoStop(format!(
                "the server at {} was not started in the background by `aw`",
                desk.settings.url
            ))),
            Found::Nobody | Found::Stranger(_) | Found::Silent(_) => {
                report(desk, ServiceStatus::NotRunning).await
            }
        };
    };
    process::terminate(record.pid).map_err(|err| Fault::NoStop(err.to_string()))?;
    let deadline = Instant::now() + STOP_TIME;
    while folder.living().is_some() {
        if Instant::now() >= deadline {
            let message = format!("process {} did not stop within {STOP_TIME:?}", record.pid);
            return Err(Fault::NoStop(message));
        }
        sleep(LOOK_AGAIN).await;
    }
    folder.forget()?;
    let server = ServerStatus { pid: None, port: desk.settings.url.port, healthy: false };
    Ok(Done::Services(Services { status: ServiceStatus::Stopped, server }, None))
}

/// The truth as it can be seen: who answers, and whether it is the process that was started here.
async fn report(desk: &Desk<'_>, if_up: ServiceStatus) -> Result<Done, Fault> {
    let port = desk.settings.url.port;
    let living = Folder::of(desk)?.living().map(|record| record.pid);
    let (up, healthy, message) = match probe::look(&desk.client).await {
        Found::Well => (true, true, None),
        Found::Unwell => (true, false, Some("the server reports that it is unhealthy".to_owned())),
        Found::Silent(why) if living.is_some() => {
            (true, false, Some(format!("the server does not respond: {why}")))
        }
        Found::Nobody => (living.is_some(), false, None),
        Found::Stranger(what) | Found::Silent(what) => (false, false, Some(occupied(port, &what))),
    };
    let status = if up { if_up } else { ServiceStatus::NotRunning };
    let pid = living.filter(|_| up);
    let server = ServerStatus { pid, port, healthy };
    Ok(Done::Services(Services { status, server }, message))
}

fn occupied(port: u16, what: &str) -> String {
    format!("port {port} is in use by {}: {what}", who_listens(port))
}

/// Starts a server unless one comes up by itself. One at a time: whoever else is here waits, and
/// then finds it running.
async fn bring_up(desk: &Desk<'_>) -> Result<ServiceStatus, Fault> {
    let folder = Folder::of(desk)?;
    let _lock = folder.lock().await?;
    let deadline = Instant::now() + START_TIME;
    loop {
        match probe::look(&desk.client).await {
            Found::Well | Found::Unwell => return Ok(ServiceStatus::AlreadyRunning),
            Found::Nobody if folder.living().is_none() => break,
            Found::Stranger(what) => return Err(taken(desk, &what)),
            // On its way up, on its way down, or something else altogether: time tells.
            Found::Nobody => {}
            Found::Silent(why) if Instant::now() >= deadline => return Err(taken(desk, &why)),
            Found::Silent(_) => {}
        }
        if Instant::now() >= deadline {
            return Err(Fault::NoStart("the running process does not respond".to_owned()));
        }
        sleep(LOOK_AGAIN).await;
    }
    desk.client.notes.say(format_args!("starting a server at {}", desk.settings.url));
    let from = folder.log_length();
    let mut child = spawn(desk, &folder)?;
    folder.remember(&Record::of(child.id()))?;
    come_up(desk, &folder, &mut child, from).await
}

fn taken(desk: &Desk<'_>, what: &str) -> Fault {
    let port = desk.settings.url.port;
    Fault::PortTaken { port, who: format!("{} ({what})", who_listens(port)) }
}

fn who_listens(port: u16) -> String {
    process::listener(port).map_or_else(|| "another program".to_owned(), |who| who.to_string())
}

/// Runs this program again, as the server: apart from this terminal, with its words in the log.
fn spawn(desk: &Desk<'_>, folder: &Folder) -> Result<Child, Fault> {
    let no_start = |err: std::io::Error| Fault::NoStart(err.to_string());
    let url = &desk.settings.url;
    let mut command = Command::new(program(desk.around)?);
    command
        .args(["serve", "--host", &url.host, "--port", &url.port.to_string()])
        .env("AW_LOG_FILE", folder.log_path())
        // An agent's key is for requests, and not for a process that lives on.
        .env_remove("AW_AGENT_KEY")
        // What is typed at this terminal, or happens to it, is not meant for the server.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(folder.open_log()?);
    // The server must ask for what this client sends, wherever that came from.
    if let Some(token) = &desk.settings.token {
        command.env("DEBATE_AUTH_TOKEN", token.secret());
    }
    command.spawn().map_err(no_start)
}

/// Waits until it answers, or is known not to.
async fn come_up(
    desk: &Desk<'_>,
    folder: &Folder,
    child: &mut Child,
    from: u64,
) -> Result<ServiceStatus, Fault> {
    let log = folder.log_path();
    let deadline = Instant::now() + START_TIME;
    loop {
        // Looked at before the probe: what answers after an end was another's all along.
        let has_ended = matches!(child.try_wait(), Ok(Some(_)));
        if has_ended {
            folder.forget()?;
        }
        match probe::look(&desk.client).await {
            // Started by another user, or by hand, in the same moment; the port went to theirs.
            Found::Well | Found::Unwell if has_ended => return Ok(ServiceStatus::AlreadyRunning),
            // Then ours is about to find the port taken, and to end.
            Found::Well | Found::Unwell if is_anothers(desk, child.id()) => {}
            Found::Well | Found::Unwell => return Ok(ServiceStatus::Started),
            // Another's, that is still coming up.
            Found::Silent(_) if has_ended && is_anothers(desk, child.id()) => {}
            Found::Nobody | Found::Silent(_) if has_ended => {
                let said =
                    folder.log_end(from).unwrap_or_else(|| "the process exited at once".to_owned());
                return Err(Fault::NoStart(said));
            }
            Found::Stranger(what) => return Err(taken(desk, &what)),
            Found::Nobody | Found::Silent(_) => {}
        }
        if Instant::now() >= deadline {
            let message =
                format!("no response within {START_TIME:?}; see the log {}", log.display());
            return Err(Fault::NoStart(message));
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// Whether it is known that another process than `pid` has the port.
fn is_anothers(desk: &Desk<'_>, pid: u32) -> bool {
    process::listener(desk.settings.url.port).is_some_and(|who| who.pid != pid)
}

fn program(around: &Surroundings) -> Result<std::path::PathBuf, Fault> {
    let program = around.program.as_ref();
    let program =
        program.map_err(|err| Fault::NoStart(format!("cannot find the aw program: {err}")))?;
    // A build that replaced the file leaves its old name with a remark behind.
    fs::metadata(program).map_err(|err| Fault::NoStart(format!("{}: {err}", program.display())))?;
    Ok(program.clone())
}
