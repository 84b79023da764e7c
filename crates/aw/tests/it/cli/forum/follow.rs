//! `aw forum thread --follow`: each change is printed once, filtered
//! by visibility, across restarts.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::cli::forum::{ADMIN, ForumUser, POST_TEXT, QUESTION, auto_approving, high_limits, id};
use crate::support::{Cli, HANG, Output, Reply, Setup, free_port};

/// `aw forum thread --follow`, line by line.
struct FollowProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl FollowProcess {
    fn start(cli: &Cli, solution: &str, words: &[&str]) -> Self {
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
    async fn wait_for_approval(&mut self, made: &Value) {
        let mut statuses = Vec::new();
        while statuses.last() != Some(&Value::from("approved")) {
            let output = self.next().await.expect("it comes");
            assert_eq!(id(&output), id(made));
            assert!(!statuses.contains(&output["guardrailStatus"]), "{statuses:?} {output}");
            statuses.push(output["guardrailStatus"].clone());
        }
    }

    /// Reads to the end; returns the last line and the exit.
    async fn end(mut self) -> (Value, Output) {
        let mut last = Value::Null;
        while let Some(line) = self.next().await {
            last = line;
        }
        let ended = tokio::time::timeout(HANG, self.child.wait_with_output()).await;
        (last, Output::from(ended.expect("no hang").expect("it is our own child")))
    }
}

#[tokio::test]
async fn each_follower_sees_the_posts_that_become_visible_to_it() {
    let server = auto_approving().start().await;
    let (ada, bob) =
        (ForumUser::agent(&server, "ada").await, ForumUser::agent(&server, "bob").await);
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", POST_TEXT]).await;
    let mut anyone = FollowProcess::start(&ForumUser::at(&server).cli, &solution, &[]);
    let mut author = FollowProcess::start(&ada.cli, &solution, &[]);
    let mut asked = FollowProcess::start(&bob.cli, &solution, &["--stance", "question"]);
    let output = anyone.next().await.expect("it is there");
    assert_eq!((id(&output), &output["guardrailStatus"]), (id(&first), &"approved".into()));
    author.wait_for_approval(&first).await;
    let reply = ["--stance", "question", "--content", QUESTION, "--reply-to", id(&first)];
    let second = bob.post(&solution, &reply).await;
    for followed in [&mut anyone, &mut author, &mut asked] {
        followed.wait_for_approval(&second).await;
    }
    ada.data(&["solution", "delete", &solution, "--yes"]).await;
    for followed in [anyone, author, asked] {
        let (last, output) = followed.end().await;
        assert_eq!((output.code, &last["error"]["code"]), (2, &"NOT_FOUND".into()), "{output:?}");
    }
}

#[tokio::test]
async fn follow_shows_each_event_once_across_a_killed_server_and_a_resume() {
    let port = free_port().to_string();
    let setup =
        Setup::bare().env("DEBATE_SERVER_PORT", &port).env("GUARDRAIL_AUTO_APPROVE", "true");
    let setup = setup.env("FORUM_RATE_LIMIT_AGENT", "1000");
    let server = setup.start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", POST_TEXT]).await;
    let mut followed = FollowProcess::start(&ForumUser::at(&server).cli, &solution, &[]);
    assert_eq!(id(&followed.next().await.expect("it is there")), id(&first));
    server.kill().await;
    let server = setup.start().await;
    let second = ada.post(&solution, &["--stance", "oppose", "--content", QUESTION]).await;
    assert_eq!(id(&followed.next().await.expect("it comes")), id(&second));
    let pid = i32::try_from(followed.child.id().expect("it runs")).expect("it is small");
    let pid = rustix::process::Pid::from_raw(pid).expect("no process has the id 0");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is our own child");
    let (last, output) = followed.end().await;
    assert_eq!((output.code, &last["error"]["code"]), (130, &"INTERRUPTED".into()), "{output:?}");
    let again = last["error"]["suggestion"].as_str().expect("it says how");
    assert!(again.contains(&format!("aw forum thread {solution} --follow")), "{again}");
    assert!(output.err.contains("retrying"), "{output:?}");
    drop(server);
}

#[tokio::test]
async fn follow_ends_with_the_reason_when_the_agent_is_deactivated() {
    let server = auto_approving().start().await;
    let (ada, bob) =
        (ForumUser::agent(&server, "ada").await, ForumUser::agent(&server, "bob").await);
    let solution = ada.solution().await;
    let first = ada.post(&solution, &["--stance", "support", "--content", POST_TEXT]).await;
    let mut followed = FollowProcess::start(&bob.cli, &solution, &[]);
    assert_eq!(id(&followed.next().await.expect("it is there")), id(&first));
    let key = std::fs::read_to_string(bob.key_file()).expect("he is registered");
    let me = server.request(Method::GET, "/api/v1/agents/me").bearer_auth(key.trim());
    let path = format!("/api/v1/admin/agents/{}", id(&Reply::receive(me).await.json()["data"]));
    let patch = server.request(Method::PATCH, &path).bearer_auth(ADMIN);
    assert_eq!(Reply::receive(patch.json(&json!({ "active": false }))).await.status, 200);
    ada.post(&solution, &["--stance", "oppose", "--content", QUESTION]).await;
    let last = followed.next().await.expect("it says why");
    assert_eq!(last["error"]["code"], "UNAUTHORIZED", "{last}");
    let (_, output) = followed.end().await;
    assert_eq!(output.code, 6, "{output:?}");
    assert!(output.err.contains("the key is no longer valid"), "{output:?}");
}

#[tokio::test]
async fn closed_pipe_does_not_cause_a_panic() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let words = |stance: &str| format!("{stance} {}", "x".repeat(9_000));
    let mut followed = FollowProcess::start(&ada.cli, &solution, &[]);
    ada.post(&solution, &["--stance", "support", "--content", &words("support")]).await;
    followed.next().await.expect("it is shown");
    let FollowProcess { child, lines } = followed;
    drop(lines);
    ada.post(&solution, &["--stance", "oppose", "--content", &words("oppose")]).await;
    let ended = tokio::time::timeout(HANG, child.wait_with_output()).await.expect("no hang");
    let output = Output::from(ended.expect("it is our own child"));
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    for format in ["json", "markdown", "text"] {
        let line = format!("aw forum thread {solution} --format {format} | head -c 1");
        let line = format!("set -o pipefail; {line}; echo \" ${{PIPESTATUS[0]}}\"");
        let mut bash = ada.cli.program("bash");
        bash.args(["-c", &line]);
        let output = Output::run(bash).await;
        assert!(output.out.ends_with(" 0\n"), "{format}: {output:?}");
        assert!(!output.err.contains("panicked"), "{format}: {output:?}");
    }
}

#[tokio::test]
async fn following_an_unknown_solution_fails() {
    let server = high_limits().start().await;
    let (last, output) =
        FollowProcess::start(&ForumUser::at(&server).cli, crate::cli::forum::UNKNOWN_ID, &[])
            .end()
            .await;
    assert_eq!((output.code, &last["error"]["code"]), (2, &"NOT_FOUND".into()), "{output:?}");
}
