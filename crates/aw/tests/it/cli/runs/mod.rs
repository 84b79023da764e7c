//! `aw run`: debates that run themselves, from the command line.

mod follow;
mod manage;
mod refusals;
mod terminal;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::support::{Cli, HANG, Told};

/// A debate of the demo that is over at once.
const FAST: [&str; 4] = ["--model", "demo:fast", "--judge", "demo:fast"];

/// `aw run …` while it is followed, line by line.
struct Followed {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Followed {
    fn begin(cli: &Cli, words: &[&str]) -> Self {
        let mut child = cli.command(words).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        Self { child, lines }
    }

    /// The data of the next line; None at the end.
    async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(HANG, self.lines.next_line()).await.expect("no hang");
        let line = line.expect("it is text")?;
        let value: Value = serde_json::from_str(&line).expect("one object a line");
        assert!(value["success"].is_boolean(), "{value}");
        Some(if value["success"] == true { value["content"][0]["data"].clone() } else { value })
    }

    /// The next line of this event.
    async fn until(&mut self, event: &str) -> Value {
        loop {
            let data = self.next().await.expect("it goes on");
            if data["event"] == event {
                return data;
            }
        }
    }

    /// Everything up to the end, and how it ended.
    async fn rest(mut self) -> (Vec<Value>, Told) {
        let mut all = Vec::new();
        while let Some(data) = self.next().await {
            all.push(data);
        }
        let ended = tokio::time::timeout(HANG, self.child.wait_with_output()).await;
        (all, Told::from(ended.expect("no hang").expect("it is our own child")))
    }
}

/// The numbers of the turns among lines.
fn seqs(lines: &[Value]) -> Vec<u64> {
    let turns = lines.iter().filter(|line| line["event"] == "turn");
    turns.map(|turn| turn["seq"].as_u64().expect("a turn has a place")).collect()
}
