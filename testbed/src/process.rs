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
/// its owner has gone, perhaps killed: then it stops the server and removes the folder, $1, which
/// nobody else is there to do. A signal for our own death would be simpler, but it comes with the
/// death of the thread that started the server, and a test is often just a thread.
const KEEPER: &str = r#"
folder=$1
shift
"$@" </dev/null >"$folder/log" 2>&1 &
echo $!
if read -r signal; then
    kill -s "$signal" $!
    wait $!
else
    kill -s QUIT $!
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
    /// Starts `server` in `folder`, where its log goes and its `data` is; waits until it serves.
    pub(crate) fn start(folder: &Path, server: &Command) -> anyhow::Result<Self> {
        let mut command = account::command("sh");
        command.args(["-c", KEEPER, "keeper"]).arg(folder);
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
        if let Err(err) = process.await_readiness(folder) {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            process.stop("QUIT").ok();
            return Err(err.context(format!("PostgreSQL did not start: {}", log.trim())));
        }
        Ok(process)
    }

    /// The server says so in its own file, of which one from an earlier life may still be there.
    fn await_readiness(&self, folder: &Path) -> anyhow::Result<()> {
        let deadline = Instant::now() + START_MAX;
        let pid = self.pid.to_string();
        while Instant::now() < deadline {
            let file = std::fs::read_to_string(folder.join("data/postmaster.pid"));
            let file = file.unwrap_or_default();
            let is_its_own = file.lines().next().is_some_and(|line| line.trim() == pid);
            if is_its_own && file.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
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
