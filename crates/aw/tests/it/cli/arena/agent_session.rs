//! An agent as coding agents are: a program on a terminal that runs each command in a new session
//! of its own, in a new shell without a terminal.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

use crate::support::{Cli, Output, until};

/// A terminal with a shell that runs the commands.
pub(super) struct AgentSession {
    _terminal: Child,
    typing: ChildStdin,
    results: TempDir,
    count: usize,
}

impl AgentSession {
    /// An agent that works in `folder`.
    pub(super) fn start(cli: &Cli, folder: &Path) -> Self {
        let mut script = cli.clone().env("TERM", "dumb").program("script");
        script.args(["-qefc", "exec bash --norc --noprofile", "/dev/null"]).current_dir(folder);
        let mut terminal = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("pty");
        let typing = terminal.stdin.take().expect("it was piped");
        let results = TempDir::new().expect("the system has a folder for temporary files");
        Self { _terminal: terminal, typing, results, count: 0 }
    }

    /// Runs `aw` with these words, in a session and a shell of its own.
    pub(super) async fn aw(&mut self, words: &[&str]) -> Output {
        let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
        self.line(&format!("aw {}", quoted.join(" "))).await
    }

    /// Runs a line, in a session and a shell of its own.
    pub(super) async fn line(&mut self, line: &str) -> Output {
        self.count += 1;
        let file = |ending: &str| -> PathBuf {
            self.results.path().join(format!("{}.{ending}", self.count))
        };
        let (out, err, code) = (file("out"), file("err"), file("code"));
        let commands = file("sh");
        std::fs::write(&commands, line).expect("there is room");
        let command = format!("setsid -w bash -c \"$(cat {})\"", commands.display());
        let (to, errors, done) = (out.display(), err.display(), code.display());
        let typed = format!(
            "{command} >{to} 2>{errors} </dev/null; echo $? >{to}.new; mv {to}.new {done}\n"
        );
        self.typing.write_all(typed.as_bytes()).await.expect("the terminal reads");
        until("the command ends", || async { code.exists() }).await;
        let read = |path: &Path| std::fs::read_to_string(path).expect("it was written");
        let code = read(&code).trim().parse().expect("it is a number");
        Output { code, out: read(&out), err: read(&err) }
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
