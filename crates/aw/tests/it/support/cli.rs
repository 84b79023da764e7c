//! `aw` as a user runs it: a process with its own home and environment.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::support::{HANG, Server};

/// The environment in which `aw` runs.
#[derive(Clone)]
pub(crate) struct Cli {
    environment: Vec<(String, String)>,
}

/// Exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Cli {
    /// With this home directory and no known server.
    pub(crate) fn with_home(home: &Path) -> Self {
        let path = Path::new(env!("CARGO_BIN_EXE_aw")).parent().expect("it is in a folder");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", path.display());
        Self { environment: Vec::new() }.env("HOME", &home.display().to_string()).env("PATH", &path)
    }

    /// With this server only.
    pub(crate) fn at(server: &Server) -> Self {
        Self::with_home(server.home().path())
            .env("DEBATE_SERVER_URL", &server.url)
            .env("DEBATE_AUTO_START", "false")
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn variable(&self, name: &str) -> &str {
        let found = self.environment.iter().rfind(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).expect("it is set")
    }

    /// Any program in the same environment.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_aw"));
        // Hints of `aw` contain the name by which it is called.
        command.arg0("aw").args(words);
        command
    }

    pub(crate) async fn run(&self, words: &[&str]) -> Output {
        Output::run(self.command(words)).await
    }

    /// Runs with `input` on standard input.
    pub(crate) async fn run_with(&self, words: &[&str], input: &[u8]) -> Output {
        let mut child =
            self.command(words).stdin(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("it was piped");
        let input = input.to_vec();
        // The command may end before it has read everything.
        let feeding = tokio::spawn(async move {
            let _ = stdin.write_all(&input).await;
        });
        let ended = tokio::time::timeout(HANG, child.wait_with_output()).await.expect("no hang");
        feeding.await.expect("nothing panics");
        Output::from(ended.expect("it is our own child"))
    }

    /// Runs a command that succeeds; returns its data.
    pub(crate) async fn data(&self, words: &[&str]) -> Value {
        self.run(words).await.data()
    }

    /// Runs a line on a pseudo-terminal; returns everything that the terminal received.
    pub(crate) async fn in_terminal(&self, line: &str) -> String {
        let mut script = self.program("script");
        script.args(["-qec", line, "/dev/null"]);
        Output::run(script).await.out
    }

    /// Runs a line on a pseudo-terminal, where a person types `answer` after `question`.
    pub(crate) async fn answer_in_terminal(
        &self,
        line: &str,
        question: &str,
        answer: &str,
    ) -> Output {
        let mut script = self.program("script");
        script.args(["-qefc", line, "/dev/null"]).stdin(Stdio::piped());
        let mut child = script.spawn().expect("there is a terminal");
        // The input stays open until the command has ended, as a terminal's does.
        let mut typing = child.stdin.take().expect("it was piped");
        let mut screen = child.stdout.take().expect("it was piped");
        let mut shown = Vec::new();
        let asked = async {
            let mut bytes = [0; 1024];
            while !String::from_utf8_lossy(&shown).contains(question) {
                let count = screen.read(&mut bytes).await.expect("the terminal can be read");
                assert!(count > 0, "no {question:?} in {}", String::from_utf8_lossy(&shown));
                shown.extend_from_slice(&bytes[..count]);
            }
        };
        tokio::time::timeout(HANG, asked).await.expect("no hang");
        typing.write_all(format!("{answer}\n").as_bytes()).await.expect("it is read");
        let rest = screen.read_to_end(&mut shown);
        tokio::time::timeout(HANG, rest).await.expect("no hang").expect("it can be read");
        let ended = tokio::time::timeout(HANG, child.wait()).await.expect("no hang");
        drop(typing);
        Output {
            code: ended.expect("it is our own child").code().unwrap_or(-1),
            out: String::from_utf8_lossy(&shown).into_owned(),
            err: String::new(),
        }
    }

    /// Opens a debate with the command line; returns its id and its motion's id.
    pub(crate) async fn create(&self, title: &str) -> (String, String) {
        let made = self.data(&["debate", "generate-id"]).await;
        let id = made["id"].as_str().expect("it is text").to_owned();
        let create = ["debate", "create", "--debate-id", &id, "--title", title];
        let rest = ["--type", "general_debate", "--content", "We keep the index in memory."];
        let written = self.data(&[&create[..], &rest[..]].concat()).await;
        (id, written["argument_id"].as_str().expect("it has an id").to_owned())
    }
}

impl Output {
    pub(crate) async fn run(mut command: Command) -> Self {
        let output = tokio::time::timeout(HANG, command.output()).await.expect("it ends");
        Self::from(output.expect("the program starts"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|err| panic!("not JSON ({err}): {self:?}"))
    }

    pub(crate) fn data(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        self.json()["content"][0]["data"].clone()
    }

    pub(crate) fn error(&self) -> Value {
        let output = self.json();
        assert_eq!(output["success"], false, "{self:?}");
        output["error"].clone()
    }

    pub(crate) fn error_code(&self) -> String {
        self.error()["code"].as_str().expect("a code is text").to_owned()
    }
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("it writes UTF-8"),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A free port below the system's range of ephemeral ports, so that no other process gets it
/// while a server restarts.
pub(crate) fn free_port() -> u16 {
    // Tests run in parallel processes and threads: each starts its search at another port.
    static SEARCHES: AtomicUsize = AtomicUsize::new(0);
    let process = usize::try_from(std::process::id()).expect("it fits");
    let begin = process * 41 + SEARCHES.fetch_add(7, Ordering::Relaxed);
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let ports = (20_000..32_000).cycle().skip(begin % 12_000).take(12_000);
    ports.into_iter().find(free).expect("one of them is free")
}
