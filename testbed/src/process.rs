//! A server process, from its start until it is stopped or its owner is gone.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::account;

/// A time limit that only a hang reaches; recovery after a crash takes a while too.
const START_MAX: Duration = Duration::from_mins(1);

/// The interval between two checks of a starting server.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The parent process of the server: it reads the name of the signal that ends the server. If its
/// input ends without one, its owner is gone, perhaps killed; then it stops the server with the
/// signal $2 and removes the folder $1. A parent-death signal would be simpler, but it is sent when
/// the thread that started the server ends, and a test is often just a thread.
const SUPERVISOR: &str = r#"
folder=$1
end=$2
shift 2
"$@" </dev/null >"$folder/log" 2>&1 &
echo $!
if read -r signal; then
    kill -s "$signal" $!
    wait $!
else
    kill -s "$end" $!
    # One that a test has stopped could not even end.
    kill -s CONT $!
    wait $!
    rm -rf -- "$folder"
fi
"#;

/// A running server and its supervisor.
pub(crate) struct Process {
    supervisor: Child,
    orders: Option<ChildStdin>,
    pid: u32,
}

impl Process {
    /// Starts `server` in `folder`, which also gets its log, and waits until `is_ready` returns
    /// true. The signal `end` stops it immediately.
    pub(crate) fn start(
        folder: &Path,
        server: &Command,
        end: &str,
        is_ready: impl Fn(u32) -> bool,
    ) -> anyhow::Result<Self> {
        let mut command = account::command("sh");
        command.args(["-c", SUPERVISOR, "keeper"]).arg(folder).arg(end);
        command.arg(server.get_program()).args(server.get_args());
        // In its own process group, so that a signal to the tests' group does not end the clean-up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut supervisor = command.spawn().context("cannot run sh")?;
        let orders = supervisor.stdin.take();
        let stdout = supervisor.stdout.take().context("it was piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let pid = line.trim().parse().context("the keeper did not start")?;
        let process = Self { supervisor, orders, pid };
        if let Err(err) = process.await_readiness(is_ready) {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            process.stop(end).ok();
            let program = server.get_program().display();
            return Err(err.context(format!("{program} did not start: {}", log.trim())));
        }
        Ok(process)
    }

    fn await_readiness(&self, is_ready: impl Fn(u32) -> bool) -> anyhow::Result<()> {
        let deadline = Instant::now() + START_MAX;
        while Instant::now() < deadline {
            if is_ready(self.pid) {
                return Ok(());
            }
            ensure!(is_alive(self.pid), "it ended");
            thread::sleep(POLL_INTERVAL);
        }
        bail!("it was not ready in time")
    }

    /// The server's process id, not the supervisor's.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends the server with a signal and waits for its end.
    pub(crate) fn stop(mut self, signal: &str) -> anyhow::Result<()> {
        let mut orders = self.orders.take().context("it has not been stopped yet")?;
        writeln!(orders, "{signal}").context("the server's keeper is gone")?;
        self.supervisor.wait()?;
        Ok(())
    }
}

/// Signals the server and every process that it started. The server comes first: after that it
/// cannot start further processes.
pub(crate) fn signal_all(server: u32, signal: &str) -> anyhow::Result<()> {
    send(signal, &[server])?;
    let started = processes().into_iter().filter(|process| process.parent == server);
    let started: Vec<u32> = started.map(|process| process.pid).collect();
    if started.is_empty() { Ok(()) } else { send(signal, &started) }
}

/// A process that has ended meanwhile is ignored.
fn send(signal: &str, processes: &[u32]) -> anyhow::Result<()> {
    let mut sh = account::command("sh");
    sh.args(["-c", r#"signal=$1; shift; for pid; do kill -s "$signal" "$pid"; done; true"#, "sh"]);
    account::run(sh.arg(signal).args(processes.iter().map(u32::to_string)))?;
    Ok(())
}

struct Running {
    pid: u32,
    parent: u32,
}

fn processes() -> Vec<Running> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let running = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The format is `4711 (postgres) S 4710 …`.
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        Some(Running { pid, parent })
    });
    running.collect()
}

/// Without a signal name the supervisor stops the server immediately and removes the folder.
impl Drop for Process {
    fn drop(&mut self) {
        drop(self.orders.take());
        self.supervisor.wait().ok();
    }
}

/// A zombie (ended, not yet waited for) counts as ended.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The format is `4711 (postgres) S 4710 …`.
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}
