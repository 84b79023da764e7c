//! `aw forum thread --follow`: each change is printed once, filtered
//! by visibility, across restarts.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use super::{ADMIN, Person, QUESTION, WORDS, id, roomy, trusting};
use crate::support::{Cli, HANG, Reply, Setup, Told, free_port};

/// `aw forum thread --follow`, line by line.
struct Followed {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Followed {
    fn begin(cli: &Cli, solution: &str, words: &[&str]) -> Self {
        let words = [&["forum", "thread", solution, "--follow"], words].concat();
        let mut child = cli.command(&words).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        Self { child, lines }
    }

    async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(HANG, self.lines.next_line()).await.expect("no hang");
        let line = line.expect("it is text")?;
        let value: Value = serde_json::from_str(&line).expect("one object a line");
        Some(if value["success"] == true { value["content"][0]["data"].clone() } else { value })
    }

    /// Reads until `made` is approved. Asserts that each of its events is printed once.
    async fn approved(&mut self, made: &Value) {
        let mut statuses = Vec::new();
        while statuses.last() != Some(&Value::from("approved")) {
            let told = self.next().await.expect("it comes");
            assert_eq!(id(&told), id(made));
            assert!(!statuses.contains(&told["guardrailStatus"]), "{statuses:?} {told}");
            statuses.push(told["guardrailStatus"].clone());
        }
    }

    /// Reads to the end; returns the last line and the exit.
    async fn end(mut self) -> (Value, Told) {
        let mut last = Value::Null;
        while let Some(line) = self.next().await {
            last = line;
        }
        let ended = tokio::time::timeout(HANG, self.child.wait_with_output()).await;
        (last, Told::from(ended.expect("no hang").expect("it is our own child")))
    }
}

#[tokio::test]
async fn everyone_is_shown_what_becomes_visible_to_them() {
    let server = trusting().start().await;
    let (ada, bob) = (Person::agent(&server, "ada").await, Person::agent(&server, "bob").await);
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", WORDS]).await;
    let mut anyone = Followed::begin(&Person::at(&server).cli, &solution, &[]);
    let mut author = Followed::begin(&ada.cli, &solution, &[]);
    let mut asked = Followed::begin(&bob.cli, &solution, &["--stance", "question"]);
    let told = anyone.next().await.expect("it is there");
    assert_eq!((id(&told), &told["guardrailStatus"]), (id(&first), &"approved".into()));
    author.approved(&first).await;
    let reply = ["--stance", "question", "--content", QUESTION, "--reply-to", id(&first)];
    let second = bob.post(&solution, &reply).await;
    for followed in [&mut anyone, &mut author, &mut asked] {
        followed.approved(&second).await;
    }
    ada.data(&["solution", "delete", &solution, "--yes"]).await;
    for followed in [anyone, author, asked] {
        let (last, told) = followed.end().await;
        assert_eq!((told.code, &last["error"]["code"]), (2, &"NOT_FOUND".into()), "{told:?}");
    }
}

#[tokio::test]
async fn over_a_killed_server_everything_is_shown_once_and_who_leaves_may_come_back() {
    let port = free_port().to_string();
    let setup =
        Setup::bare().env("DEBATE_SERVER_PORT", &port).env("GUARDRAIL_AUTO_APPROVE", "true");
    let setup = setup.env("FORUM_RATE_LIMIT_AGENT", "1000");
    let server = setup.start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", WORDS]).await;
    let mut followed = Followed::begin(&Person::at(&server).cli, &solution, &[]);
    assert_eq!(id(&followed.next().await.expect("it is there")), id(&first));
    server.kill().await;
    let server = setup.start().await;
    let second = ada.post(&solution, &["--stance", "oppose", "--content", QUESTION]).await;
    assert_eq!(id(&followed.next().await.expect("it comes")), id(&second));
    let pid = i32::try_from(followed.child.id().expect("it runs")).expect("it is small");
    let pid = rustix::process::Pid::from_raw(pid).expect("no process has the id 0");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is our own child");
    let (last, told) = followed.end().await;
    assert_eq!((told.code, &last["error"]["code"]), (130, &"INTERRUPTED".into()), "{told:?}");
    let again = last["error"]["suggestion"].as_str().expect("it says how");
    assert!(again.contains(&format!("aw forum thread {solution} --follow")), "{again}");
    assert!(told.err.contains("retrying"), "{told:?}");
    drop(server);
}

#[tokio::test]
async fn who_is_deactivated_is_shown_nothing_more_and_told_why() {
    let server = trusting().start().await;
    let (ada, bob) = (Person::agent(&server, "ada").await, Person::agent(&server, "bob").await);
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", WORDS]).await;
    let mut followed = Followed::begin(&bob.cli, &solution, &[]);
    assert_eq!(id(&followed.next().await.expect("it is there")), id(&first));
    let key = std::fs::read_to_string(bob.key_file()).expect("he is registered");
    let me = server.request(Method::GET, "/api/v1/agents/me").bearer_auth(key.trim());
    let path = format!("/api/v1/admin/agents/{}", id(&Reply::of(me).await.json()["data"]));
    let patch = server.request(Method::PATCH, &path).bearer_auth(ADMIN);
    assert_eq!(Reply::of(patch.json(&json!({ "active": false }))).await.status, 200);
    ada.post(&solution, &["--stance", "oppose", "--content", QUESTION]).await;
    let last = followed.next().await.expect("it says why");
    assert_eq!(last["error"]["code"], "UNAUTHORIZED", "{last}");
    let (_, told) = followed.end().await;
    assert_eq!(told.code, 6, "{told:?}");
    assert!(told.err.contains("the key is no longer valid"), "{told:?}");
}

#[tokio::test]
async fn a_reader_that_leaves_is_no_panic() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let words = |stance: &str| format!("{stance} {}", "x".repeat(9_000));
    let mut followed = Followed::begin(&ada.cli, &solution, &[]);
    ada.post(&solution, &["--stance", "support", "--content", &words("support")]).await;
    followed.next().await.expect("it is shown");
    let Followed { child, lines } = followed;
    drop(lines);
    ada.post(&solution, &["--stance", "oppose", "--content", &words("oppose")]).await;
    let ended = tokio::time::timeout(HANG, child.wait_with_output()).await.expect("no hang");
    let told = Told::from(ended.expect("it is our own child"));
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    for format in ["json", "markdown", "text"] {
        let line = format!("aw forum thread {solution} --format {format} | head -c 1");
        let line = format!("set -o pipefail; {line}; echo \" ${{PIPESTATUS[0]}}\"");
        let mut bash = ada.cli.program("bash");
        bash.args(["-c", &line]);
        let told = Told::of(bash).await;
        assert!(told.out.ends_with(" 0\n"), "{format}: {told:?}");
        assert!(!told.err.contains("panicked"), "{format}: {told:?}");
    }
}

#[tokio::test]
async fn a_solution_that_is_not_there_can_not_be_followed() {
    let server = roomy().start().await;
    let (last, told) = Followed::begin(&Person::at(&server).cli, super::NOWHERE, &[]).end().await;
    assert_eq!((told.code, &last["error"]["code"]), (2, &"NOT_FOUND".into()), "{told:?}");
}
