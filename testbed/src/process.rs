//! One life of a server: from its start until it is stopped or its owner is gone.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::account;

/// Long enough that only a hang reaches it; the recovery after a crash takes a while too.
const START_MAX: Duration = Duration::from_mins(1);

/// How often a starting server is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Stands above the server and reads which signal is to end it. When its input ends without one,
/// its owner has gone, perhaps killed: then it stops the server by the signal $2 and removes the
/// folder, $1, which nobody else is there to do. A signal for our own death would be simpler,
/// but it comes with the
/// death of the thread that started the server, and a test is often just a thread.
const KEEPER: &str = r#"
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

/// A running server and the keeper above it.
pub(crate) struct Process {
    keeper: Child,
    orders: Option<ChildStdin>,
    pid: u32,
}

impl Process {
    /// Starts `server` in `folder`, where its log goes; waits until `is_ready` says that it serves.
    /// The signal `end` stops it at once.
    pub(crate) fn start(
        folder: &Path,
        server: &Command,
        end: &str,
        is_ready: impl Fn(u32) -> bool,
    ) -> anyhow::Result<Self> {
        let mut command = account::command("sh");
        command.args(["-c", KEEPER, "keeper"]).arg(folder).arg(end);
        command.arg(server.get_program()).args(server.get_args());
        // In a group of its own: what ends the tests' group must leave someone to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = command.spawn().context("cannot run sh")?;
        let orders = keeper.stdin.take();
        let stdout = keeper.stdout.take().context("it was piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let pid = line.trim().parse().context("the keeper did not start")?;
        let process = Self { keeper, orders, pid };
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
            thread::sleep(LOOK_EVERY);
        }
        bail!("it was not ready in time")
    }

    /// The server's own id, not the keeper's.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends the server by a signal, and waits for its end.
    pub(crate) fn stop(mut self, signal: &str) -> anyhow::Result<()> {
        let mut orders = self.orders.take().context("it has not been stopped yet")?;
        writeln!(orders, "{signal}").context("the server's keeper is gone")?;
        self.keeper.wait()?;
        Ok(())
    }
}

/// Signals the server and every process it has started. The server first: it can't start further
/// ones then.
pub(crate) fn signal_all(server: u32, signal: &str) -> anyhow::Result<()> {
    send(signal, &[server])?;
    let started = processes().into_iter().filter(|process| process.parent == server);
    let started: Vec<u32> = started.map(|process| process.pid).collect();
    if started.is_empty() { Ok(()) } else { send(signal, &started) }
}

/// One that has ended meanwhile needs no signal any more.
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
        // "4711 (postgres) S 4710 …"
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        Some(Running { pid, parent })
    });
    running.collect()
}

/// Without an order: the keeper stops the server at once and takes the folder away.
impl Drop for Process {
    fn drop(&mut self) {
        drop(self.orders.take());
        self.keeper.wait().ok();
    }
}

/// A process that has ended but was not waited for yet is a zombie, and as good as dead.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // "4711 (postgres) S 4710 …"
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}
