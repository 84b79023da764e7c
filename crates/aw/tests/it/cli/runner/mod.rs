//! `aw run`: runs from the command line.

mod errors;
mod follow;
mod manage;
mod terminal;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::support::{Cli, HANG, Output};

/// A demo run that ends immediately.
const FAST: [&str; 4] = ["--model", "demo:fast", "--judge", "demo:fast"];

/// An `aw run` process whose output is read line by line.
struct FollowProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl FollowProcess {
    fn start(cli: &Cli, words: &[&str]) -> Self {
        let mut child = cli.command(words).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        Self { child, lines }
    }

    /// The data of the next line; None at the end of the output.
    async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(HANG, self.lines.next_line()).await.expect("no hang");
        let line = line.expect("it is text")?;
        let value: Value = serde_json::from_str(&line).expect("one object a line");
        assert!(value["success"].is_boolean(), "{value}");
        Some(if value["success"] == true { value["content"][0]["data"].clone() } else { value })
    }

    /// Reads up to the next line with this event.
    async fn until(&mut self, event: &str) -> Value {
        loop {
            let data = self.next().await.expect("it goes on");
            if data["event"] == event {
                return data;
            }
        }
    }

    /// The remaining lines, and the exit.
    async fn rest(mut self) -> (Vec<Value>, Output) {
        let mut all = Vec::new();
        while let Some(data) = self.next().await {
            all.push(data);
        }
        let ended = tokio::time::timeout(HANG, self.child.wait_with_output()).await;
        (all, Output::from(ended.expect("no hang").expect("it is our own child")))
    }
}

/// The sequence numbers of the turns in `lines`.
fn seqs(lines: &[Value]) -> Vec<u64> {
    let turns = lines.iter().filter(|line| line["event"] == "turn");
    turns.map(|turn| turn["seq"].as_u64().expect("a turn has a place")).collect()
}
