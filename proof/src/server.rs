//! A server process that is started, killed, stopped and restarted on the same port and data.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use aw_testbed::Database;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::client::{Answer, Api};
use crate::run::{Engine, Plan};

/// A time limit that only a hang reaches.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_secs(30);

/// Below the ephemeral range of the system: while the server is down, no client may get its port.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// The parameters of a server's start.
pub(crate) struct Setup {
    aw: PathBuf,
    home: TempDir,
    data: Data,
    environment: Vec<(String, String)>,
    /// A program that runs the server, such as one that sets limits, with its arguments.
    prefix: Vec<String>,
}

/// The location of the database.
enum Data {
    /// A file in the server's folder.
    File,
    /// A database for this server only.
    Own(Database),
    /// A database that the caller manages.
    At(String),
}

impl Setup {
    /// A single server on the plan's engine.
    pub(crate) fn new(plan: &Plan) -> anyhow::Result<Self> {
        let data = match plan.engine {
            Engine::Sqlite => Data::File,
            Engine::Postgres => Data::Own(Database::fresh()?),
        };
        Self::with_data(plan, data)
    }

    /// One of several servers that share a PostgreSQL database.
    pub(crate) fn on_database(plan: &Plan, url: &str) -> anyhow::Result<Self> {
        Self::with_data(plan, Data::At(url.to_owned()))
    }

    /// Two servers that share a PostgreSQL database.
    pub(crate) async fn pair(plan: &Plan, url: &str) -> anyhow::Result<[Server; 2]> {
        Ok([
            Self::on_database(plan, url)?.start().await?,
            Self::on_database(plan, url)?.start().await?,
        ])
    }

    fn with_data(plan: &Plan, data: Data) -> anyhow::Result<Self> {
        let mut home = tempfile::Builder::new().prefix("aw-proof-").tempdir()?;
        // Keeps the server's log and database for analysis by a person.
        home.disable_cleanup(std::env::var_os("AW_PROOF_KEEP").is_some());
        let defect = plan.defect.iter().map(|name| ("AW_DEFECT".to_owned(), name.clone()));
        let (environment, prefix) = (defect.collect(), Vec::new());
        Ok(Self { aw: plan.aw.clone(), home, data, environment, prefix })
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn with_prefix(mut self, prefix: &[&str]) -> Self {
        self.prefix = prefix.iter().map(|&word| word.to_owned()).collect();
        self
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.home().join(".aweave/db/debate.db")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.home().join("server.log")
    }

    /// The command with an empty environment.
    pub(crate) fn command(&self, port: u16) -> Command {
        let aw = self.aw.display().to_string();
        let mut content = self.prefix.iter().cloned().chain([aw, "serve".to_owned()]);
        let mut command = Command::new(content.next().expect("the server itself is a word"));
        command
            .args(content)
            .args(["--port", &port.to_string()])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", self.home())
            .env("AW_LOG", "warn")
            .envs(self.data.url().map(|url| ("DEBATE_DATABASE_URL", url)))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Starts the server on a free port, which it keeps over restarts.
    pub(crate) async fn start(self) -> anyhow::Result<Server> {
        let mut server = self.prepare()?;
        server.spawn().await?;
        Ok(server)
    }

    /// A server that has a port and is not started yet.
    pub(crate) fn prepare(self) -> anyhow::Result<Server> {
        let port = free_port()?;
        let api = Api::new(port)?;
        Ok(Server { setup: self, port, api, child: None, output: None })
    }
}

impl Data {
    /// The database URL for the server's environment.
    fn url(&self) -> Option<&str> {
        match self {
            Self::File => None,
            Self::Own(database) => Some(database.url()),
            Self::At(url) => Some(url),
        }
    }
}

/// Not derived from the seed: runs with the same seed may run concurrently.
fn free_port() -> anyhow::Result<u16> {
    let tried = (0..200).map(|_| fastrand::u16(PORTS));
    let free = tried.into_iter().find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.context("no port is free")
}

/// The server, running or not.
pub(crate) struct Server {
    pub(crate) setup: Setup,
    port: u16,
    pub(crate) api: Api,
    child: Option<Child>,
    /// Held open: a server that cannot print its greeting does not start.
    output: Option<Lines<BufReader<ChildStdout>>>,
}

impl Server {
    /// Starts the process and waits for its greeting.
    pub(crate) async fn spawn(&mut self) -> anyhow::Result<()> {
        self.launch()?;
        self.wait_until_listening().await
    }

    /// Waits for the greeting of a launched server.
    pub(crate) async fn wait_until_listening(&mut self) -> anyhow::Result<()> {
        let greeted = tokio::time::timeout(HANG_TIMEOUT, self.greeting()).await;
        greeted.context("the server does not greet")?
    }

    /// Starts the process and does not wait.
    pub(crate) fn launch(&mut self) -> anyhow::Result<()> {
        let log = std::fs::File::options().create(true).append(true).open(self.setup.log())?;
        let mut command = self.setup.command(self.port);
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn()?;
        self.output = child.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        self.child = Some(child);
        Ok(())
    }

    async fn greeting(&mut self) -> anyhow::Result<()> {
        let output = self.output.as_mut().context("it was started")?;
        while let Some(line) = output.next_line().await? {
            if line.contains(" is listening on http://") {
                return Ok(());
            }
        }
        let log = std::fs::read_to_string(self.setup.log()).unwrap_or_default();
        let last: Vec<_> = log.lines().rev().take(5).collect();
        bail!("the server did not start; the end of its log, last line first: {last:#?}")
    }

    pub(crate) fn pid(&self) -> anyhow::Result<u32> {
        self.child.as_ref().and_then(Child::id).context("the server is not running")
    }

    /// The database, by a path that is valid even if the server has its own file system.
    pub(crate) fn database_in_its_namespace(&self) -> anyhow::Result<PathBuf> {
        let path = self.setup.database();
        let path = path.strip_prefix("/").context("a home has an absolute path")?;
        Ok(PathBuf::from(format!("/proc/{}/root", self.pid()?)).join(path))
    }

    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.pid()?)?).context("no process has the id 0")?;
        Ok(kill_process(pid, signal)?)
    }

    /// Sends SIGKILL and waits for the process.
    pub(crate) async fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    /// The exit status of a process that ends on its own.
    pub(crate) async fn wait_for_exit(&mut self, timeout: Duration) -> anyhow::Result<ExitStatus> {
        let child = self.child.as_mut().context("the server is not running")?;
        let status = tokio::time::timeout(timeout, child.wait()).await;
        let status = status.context("the server does not end")??;
        self.child = None;
        Ok(status)
    }

    /// Restarts the server and waits until it is healthy; returns the duration.
    pub(crate) async fn restart(&mut self) -> anyhow::Result<Duration> {
        let began = Instant::now();
        self.spawn().await?;
        while !self.is_healthy().await {
            if began.elapsed() > HANG_TIMEOUT {
                bail!("the server does not get well after a restart");
            }
        }
        Ok(began.elapsed())
    }

    /// Waits until the server is healthy without a restart; returns the duration.
    pub(crate) async fn wait_until_healthy(&self) -> anyhow::Result<Duration> {
        let began = Instant::now();
        while !self.is_healthy().await {
            anyhow::ensure!(
                began.elapsed() < HANG_TIMEOUT,
                "the server does not get well by itself"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(began.elapsed())
    }

    /// Waits until the server reports that it is not healthy.
    pub(crate) async fn wait_until_unhealthy(&self) -> anyhow::Result<()> {
        let look = async {
            while self.is_healthy().await {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(HANG_TIMEOUT, look)
            .await
            .context("the server does not notice its trouble")
    }

    pub(crate) async fn is_healthy(&self) -> bool {
        match self.api.get("/health").await {
            Answer::Answered(reply) => reply.status.as_u16() == 200,
            Answer::NotSent | Answer::Lost(_) => false,
        }
    }

    /// Stops the server in an orderly way and checks its database file, if there is one.
    pub(crate) async fn stop_and_inspect(&mut self) -> anyhow::Result<()> {
        self.signal(Signal::TERM)?;
        let status = self.wait_for_exit(HANG_TIMEOUT).await?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        match self.setup.data {
            Data::File => inspect(&self.setup.database()),
            Data::Own(_) | Data::At(_) => Ok(()),
        }
    }

    /// A value of the process status in the kernel, such as `VmRSS`, in kB.
    pub(crate) fn status_kb(&self, field: &str) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()?))?;
        let line = status.lines().find(|line| line.starts_with(field)).context("no such field")?;
        line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).context("not a number")
    }

    /// The number of open files and sockets.
    pub(crate) fn descriptors(&self) -> anyhow::Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.pid()?))?.count())
    }

    /// The CPU time in ticks of a hundredth of a second.
    pub(crate) fn cpu_ticks(&self) -> anyhow::Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()?))?;
        // The name in parentheses may contain spaces; the fields after it do not.
        let (_, fields) = stat.rsplit_once(')').context("an odd stat line")?;
        let fields: Vec<u64> =
            fields.split_whitespace().skip(11).take(2).flat_map(str::parse).collect();
        Ok(fields.iter().sum())
    }

    /// A value from /metrics; 0 if it was never set.
    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<u64> {
        let response = self.api.stream("/metrics").send().await?.text().await?;
        let line = response.lines().find(|line| line.split([' ', '{']).next() == Some(name));
        let text = line.and_then(|line| line.rsplit(' ').next()).unwrap_or("0");
        Ok(text.parse()?)
    }
}

/// SQLite's integrity check of the file.
pub(crate) fn inspect(database: &Path) -> anyhow::Result<()> {
    let connection = rusqlite::Connection::open(database)?;
    let verdict: String = connection.query_row("pragma integrity_check", [], |row| row.get(0))?;
    anyhow::ensure!(verdict == "ok", "integrity_check says: {verdict}");
    Ok(())
}
