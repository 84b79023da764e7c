//! A server process for one test.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::home::Home;
use crate::support::{Engine, HANG, Reply};

const DATABASE_URL: &str = "DEBATE_DATABASE_URL";

/// Limits that no test reaches by accident: all its requests come from one address.
const LIMITS: [(&str, &str); 9] = [
    ("FORUM_RATE_LIMIT_ANONYMOUS", "1000000"),
    ("FORUM_RATE_LIMIT_AGENT", "1000000"),
    ("FORUM_RATE_LIMIT_VERIFIED", "1000000"),
    ("FORUM_RATE_LIMIT_ADMIN", "1000000"),
    ("FORUM_RATE_LIMIT_NETWORK", "1000000"),
    ("FORUM_REGISTRATIONS_PER_MINUTE", "1000000"),
    ("FORUM_REGISTRATIONS_PER_DAY", "1000000"),
    ("FORUM_LIMIT_LOOPBACK", "false"),
    ("DEBATE_WRONG_TOKENS_PER_MINUTE", "1000000"),
];

/// The configuration of a server.
#[derive(Clone)]
pub(crate) struct Setup {
    home: Arc<Home>,
    environment: Vec<(String, String)>,
    arguments: Vec<String>,
    prefix: Vec<String>,
}

impl Setup {
    /// A server on a free port.
    pub(crate) fn new() -> Self {
        Self::bare().arg("--port").arg("0")
    }

    /// A server without settings, except for the database where it needs one.
    pub(crate) fn bare() -> Self {
        Self::on(Engine::configured())
    }

    /// A server on a free port and on SQLite, whatever the engine of the run is.
    pub(crate) fn sqlite() -> Self {
        Self::on(Engine::Sqlite).arg("--port").arg("0")
    }

    /// A server on a free port and on PostgreSQL, whatever the engine of the run is. Two servers of
    /// one setup share a database.
    pub(crate) fn postgres() -> Self {
        Self::on(Engine::Postgres).arg("--port").arg("0")
    }

    fn on(engine: Engine) -> Self {
        let home = Arc::new(Home::new(engine));
        let arguments = vec!["serve".to_owned()];
        Self { home, environment: Vec::new(), arguments, prefix: Vec::new() }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With the default limits of the server.
    pub(crate) fn default_limits(self) -> Self {
        // An empty variable counts as unset.
        LIMITS.into_iter().fold(self, |setup, (name, _)| setup.env(name, ""))
    }

    pub(crate) fn arg(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Long polls do not reach their timeout.
    pub(crate) fn without_wait_timeout(self) -> Self {
        self.env("DEBATE_POLL_TIMEOUT_MS", "600000").env("DEBATE_HTTP_TIMEOUT_MS", "700000")
    }

    /// Logs at every level, for tests that search the log for secrets with `Server::trace_log`.
    pub(crate) fn traced(self) -> Self {
        self.env("AW_LOG", "trace")
    }

    /// Runs the server through another program, such as one that sets limits.
    pub(crate) fn through(mut self, prefix: &[&str]) -> Self {
        self.prefix = prefix.iter().map(|&word| word.to_owned()).collect();
        self
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// The server's command, without the environment of the tester.
    pub(crate) fn command(&self) -> Command {
        self.aw(self.arguments.iter().map(String::as_str))
    }

    /// Another command of the binary, on the same database.
    fn aw<'w>(&'w self, arguments: impl IntoIterator<Item = &'w str>) -> Command {
        let mut words = self.prefix.iter().map(String::as_str).collect::<Vec<_>>();
        words.push(env!("CARGO_BIN_EXE_aw"));
        words.extend(arguments);
        let mut command = Command::new(words.remove(0));
        command
            .args(words)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home.path())
            .env("AW_LOG", log_level())
            .envs(LIMITS)
            .envs(self.database_url().map(|url| (DATABASE_URL, url)))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        command
    }

    /// None if the test itself configures a database.
    fn database_url(&self) -> Option<&str> {
        let is_named = self.environment.iter().any(|(name, _)| name == DATABASE_URL);
        if is_named { None } else { self.home.database_url() }
    }

    pub(crate) async fn start(&self) -> Server {
        let log = self.home.path().join("log");
        let log_file = std::fs::File::options().create(true).append(true).open(&log);
        let mut child = self
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log_file.expect("the log can be written"))
            .spawn()
            .expect("the binary starts");
        let stdout = child.stdout.take().expect("it was piped");
        let (first_screen, url) = tokio::time::timeout(HANG, first_screen(stdout, &log))
            .await
            .expect("the server greets");
        let client = client();
        Server { child, home: Arc::clone(&self.home), log, first_screen, url, client, token: None }
    }

    /// `aw db …`, to be run beside the server or instead of it.
    pub(crate) fn db_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.aw(["db"].into_iter().chain(arguments.iter().copied()));
        command.stdin(Stdio::null());
        command
    }

    /// Runs `aw db …`; returns its output if it succeeds, else its error.
    pub(crate) async fn db(&self, arguments: &[&str]) -> Result<String, String> {
        let output = tokio::time::timeout(HANG, self.db_command(arguments).output()).await;
        let output = output.expect("it ends by itself").expect("the binary starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Starts a server that is expected to exit; returns its exit status and its error output.
    pub(crate) async fn start_refused(&self) -> (ExitStatus, String) {
        let output = self.command().stdin(Stdio::null()).output();
        let output = tokio::time::timeout(HANG, output).await.expect("it ends by itself");
        let output = output.expect("the binary starts");
        (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The servers' log level. `AW_TEST_LOG=trace` repeats a failed test with the complete log.
fn log_level() -> String {
    std::env::var("AW_TEST_LOG").unwrap_or_else(|_| "info".to_owned())
}

/// A client for plain HTTP. In a build of all crates its library includes TLS and requires a crypto
/// provider, although nothing here is encrypted.
pub(crate) fn client() -> reqwest::Client {
    // Fails only if another test of this process has installed it before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().expect("a client needs nothing")
}

async fn first_screen(stdout: ChildStdout, log: &Path) -> (String, String) {
    let mut lines = BufReader::new(stdout).lines();
    let mut screen = String::new();
    while let Some(line) = lines.next_line().await.expect("its output is text") {
        screen.push_str(&line);
        screen.push('\n');
        if line.contains("Ctrl-C") {
            break;
        }
    }
    let url = screen.lines().find_map(|line| line.split(" is listening on ").nth(1));
    let url = url.unwrap_or_else(|| {
        panic!("it did not start: {screen}{}", std::fs::read_to_string(log).unwrap_or_default())
    });
    (screen.clone(), url.to_owned())
}

/// A running server. Dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    home: Arc<Home>,
    log: PathBuf,
    pub(crate) first_screen: String,
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    token: Option<String>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Setup::new().start().await
    }

    /// Sends this token with every later request.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends later requests through the proxy at `address`.
    pub(crate) fn through_proxy(mut self, address: &str) -> Self {
        self.url = format!("http://{address}");
        self
    }

    /// The address as `127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").expect("it speaks HTTP")
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log is text")
    }

    /// The log of a server that was started with `Setup::traced`.
    pub(crate) fn trace_log(&self) -> String {
        let log = self.log();
        assert!(log.contains("TRACE"), "the server logs at every level: {log}");
        log
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url)).timeout(HANG);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        Reply::receive(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        Reply::receive(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        Reply::receive(self.request(Method::DELETE, path)).await
    }

    /// The value of a metric; 0 while it has never been set.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.text;
        let line = text.lines().find(|line| line.split([' ', '{']).next() == Some(name));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
    }

    /// Sends SIGTERM, as a service manager does.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).expect("ids of processes are small");
        let pid = Pid::from_raw(pid).expect("no process has the id 0");
        rustix::process::kill_process(pid, signal).expect("it is our own child");
    }

    /// Sends SIGKILL and waits for the end.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.expect("it is our own child");
    }

    pub(crate) async fn wait_for_exit(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(HANG, self.child.wait()).await;
        ended.expect("it ends").expect("it is our own child")
    }

    /// The processor time that the process has used.
    pub(crate) fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()))
            .expect("it runs on Linux");
        // The process name in parentheses may contain blanks; the fields after it do not.
        let (_, fields) = stat.rsplit_once(')').expect("the name ends");
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().expect("it is a number"))
            .sum();
        // The kernel reports ticks of 10 ms.
        Duration::from_millis(10 * ticks)
    }

    /// A field of `/proc/PID/status` in kB, such as `VmRSS`.
    pub(crate) fn status_kb(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))
            .expect("it runs on Linux");
        let line = status.lines().find(|line| line.starts_with(field)).expect("the field exists");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("it is a number")
    }
}

/// The database is free when this returns: the next server can start.
impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let Some(pid) = pid else {
            return; // it was seen to end before
        };
        // No panic here: a failed test drops its server too.
        if self.child.start_kill().is_ok() {
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let _its_end = rustix::process::waitid(WaitId::Pid(pid), ended);
        }
    }
}
