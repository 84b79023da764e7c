//! The server under test: the release binary as a child process with its own files.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The time limit of an orderly stop before the process is killed.
const STOP_MAX: Duration = Duration::from_secs(20);

/// The kernel counts CPU time in hundredths of a second on every Linux system.
const TICK: Duration = Duration::from_millis(10);

/// Waiters and idle connections must outlast the run, so that none leaves in the middle of it.
const TIMEOUT_FLAGS: [&str; 4] = ["--poll-timeout-ms", "900000", "--http-timeout-ms", "960000"];

/// The server's default limit of WebSocket clients is lower than the limit of other waiters. Set in
/// the environment, since an earlier server without WebSocket would refuse the flag.
const SOCKETS_MAX: &str = "20000";

/// The binary and the folder for its files.
#[derive(Debug, Clone)]
pub(crate) struct Binary {
    pub(crate) path: PathBuf,
    pub(crate) scratch: PathBuf,
}

/// The location of a server's database.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DatabaseLocation<'a> {
    /// A new file in a new folder.
    New,
    /// A file that exists already.
    File(&'a Path),
    /// A database on PostgreSQL, by its URL.
    Url(&'a str),
}

/// A running server; dropping it ends the process.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    /// Held open: without a reader the server's greeting would fail with a broken pipe.
    _stdout: BufReader<ChildStdout>,
    _home: TempDir,
}

impl Binary {
    /// An empty folder on the disk that is measured.
    pub(crate) fn create_dir(&self) -> anyhow::Result<TempDir> {
        tempfile::tempdir_in(&self.scratch).context("cannot make a folder for the databases")
    }

    pub(crate) fn start(
        &self,
        location: DatabaseLocation<'_>,
        flags: &[&str],
    ) -> anyhow::Result<Server> {
        self.start_in(location, flags, &[])
    }

    /// Like `start`, with these environment variables in addition.
    pub(crate) fn start_in(
        &self,
        location: DatabaseLocation<'_>,
        flags: &[&str],
        environment: &[(&str, &str)],
    ) -> anyhow::Result<Server> {
        let home = self.create_dir()?;
        let mut command = Command::new(&self.path);
        // The caller's settings must not influence a measurement.
        command.env_clear().args(["serve", "--port", "0"]);
        match location {
            DatabaseLocation::New => command.arg("--db-path").arg(home.path().join("bench.db")),
            DatabaseLocation::File(path) => command.arg("--db-path").arg(path),
            DatabaseLocation::Url(url) => command.env("DEBATE_DATABASE_URL", url),
        };
        let mut child = command
            .args(TIMEOUT_FLAGS)
            .args(flags)
            .env("HOME", home.path())
            .env("AW_LOG", "warn")
            .env("DEBATE_MAX_SOCKETS", SOCKETS_MAX)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.path.display()))?;
        let stdout = child.stdout.take().context("the server's output was asked for")?;
        let mut stdout = BufReader::new(stdout);
        let mut first = String::new();
        stdout.read_line(&mut first)?;
        let address = address_in(&first)
            .with_context(|| format!("the server's first line has no address: {first:?}"))?;
        Ok(Server { child, address, _stdout: stdout, _home: home })
    }
}

/// The address in `… is listening on http://127.0.0.1:41234`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, after) = line.split_once("http://")?;
    after.trim().parse().ok()
}

impl Server {
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The CPU time used so far, of all threads.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        cpu_in(&stat).context("/proc/PID/stat is not as documented")
    }

    /// The resident memory in bytes, without the kernel's socket buffers.
    pub(crate) fn resident(&self) -> anyhow::Result<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        resident_in(&status).context("/proc/PID/status is not as documented")
    }

    /// Sends SIGTERM and waits until the process has ended.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let exchange_with = Instant::now();
        while exchange_with.elapsed() < STOP_MAX {
            if let Some(status) = self.child.try_wait()? {
                if status.success() {
                    return Ok(());
                }
                bail!("the server stopped with {status}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("the server did not stop within {STOP_MAX:?}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The 14th and 15th fields, counted after the process name, which may
/// contain spaces and parentheses.
fn cpu_in(stat: &str) -> Option<Duration> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

fn resident_in(status: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: usize = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The CPU time that this process has used so far.
pub(crate) fn process_cpu() -> anyhow::Result<Duration> {
    cpu_in(&std::fs::read_to_string("/proc/self/stat")?)
        .context("/proc/self/stat is not as documented")
}

/// The CPU time that the calling thread has used so far.
pub(crate) fn thread_cpu() -> anyhow::Result<Duration> {
    let mut text = String::new();
    std::fs::File::open("/proc/thread-self/schedstat")?.read_to_string(&mut text)?;
    let nanos = text.split_ascii_whitespace().next().context("schedstat is empty")?;
    Ok(Duration::from_nanos(nanos.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_read_from_the_greeting() {
        let line = "aweave 0.1.0 is listening on http://127.0.0.1:41234\n";
        assert_eq!(address_in(line), Some(SocketAddr::from(([127, 0, 0, 1], 41234))));
        assert_eq!(address_in("port 3456 is in use"), None);
    }

    #[test]
    fn process_time_is_found_after_any_process_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 4 0 1 1 1";
        assert_eq!(cpu_in(stat), Some(Duration::from_millis(1750)));
        assert_eq!(cpu_in("7 (aw)"), None);
    }

    #[test]
    fn resident_memory_is_returned_in_bytes() {
        let status = "Name:\taw\nVmPeak:\t  9000 kB\nVmRSS:\t   12 kB\n";
        assert_eq!(resident_in(status), Some(12 * 1024));
        assert_eq!(resident_in("Name:\taw\n"), None);
    }
}
