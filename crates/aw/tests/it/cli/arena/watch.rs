//! `aw debate watch`, and readers that close the pipe.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Cli, Debate, HANG, Server, Setup, argument_id, free_port};

#[tokio::test]
async fn watch_shows_each_argument_once_across_a_restart_and_ends_when_the_debate_closes() {
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &free_port().to_string());
    let mut server = setup.start().await;
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    let cli = Cli::at(&server);
    let mut watching = cli
        .command(&["debate", "watch", "--debate-id", &id])
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("it was piped")).lines();
    let mut seqs = Vec::new();
    for life in 0..3 {
        let debate = Debate { server: &server, id: id.clone(), motion: motion.clone() };
        if life > 0 {
            let role = if life == 1 { "opponent" } else { "proposer" };
            let claimed = debate.claim(role, &motion, &format!("c-{life}")).await;
            assert_eq!(claimed.status, 201, "{}", argument_id(&claimed));
        }
        let line = tokio::time::timeout(HANG, lines.next_line()).await.expect("no hang");
        let line = line.expect("it is text").expect("it goes on");
        let shown: Value = serde_json::from_str(&line).expect("one object a line");
        seqs.push(shown["content"][0]["data"]["argument"]["seq"].clone());
        server.kill().await;
        server = setup.start().await;
    }
    let debate = Debate { server: &server, id: id.clone(), motion };
    debate.intervene().await;
    debate.rule(true).await;
    while let Some(line) = lines.next_line().await.expect("it is text") {
        let shown: Value = serde_json::from_str(&line).expect("one object a line");
        seqs.push(shown["content"][0]["data"]["argument"]["seq"].clone());
    }
    assert_eq!(seqs, [1, 2, 3, 4, 5]);
    let ended = tokio::time::timeout(HANG, watching.wait()).await.expect("no hang");
    assert!(ended.expect("it is our own child").success());
}

#[tokio::test]
async fn watch_prints_a_closed_debate_completely_in_every_format() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    debate.rule(true).await;
    let mut record = crate::support::Record::default();
    for format in ["json", "markdown", "text"] {
        let words = ["debate", "watch", "--debate-id", &debate.id, "--format", format];
        record.note_command(&server, &words, &Cli::at(&server).run(&words).await);
    }
    insta::assert_snapshot!(record.render());
}

#[tokio::test]
async fn watch_ends_when_the_debate_is_deleted() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let cli = Cli::at(&server);
    let mut watching = cli
        .command(&["debate", "watch", "--debate-id", &debate.id])
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("it was piped")).lines();
    lines.next_line().await.expect("it is text").expect("the motion is shown");
    server.delete(&debate.path("")).await;
    let ended = tokio::time::timeout(HANG, watching.wait()).await.expect("no hang");
    assert_eq!(ended.expect("it is our own child").code(), Some(2));
}

#[tokio::test]
async fn closed_pipe_does_not_cause_a_panic() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    for turn in 0..6_usize {
        let role = if turn.is_multiple_of(2) { "opponent" } else { "proposer" };
        let body = serde_json::json!({ "role": role, "target_id": debate.motion,
            "content": "x".repeat(10_000), "client_request_id": format!("t-{turn}") });
        server.post(&debate.path("/arguments"), &body).await;
    }
    let cli = Cli::at(&server);
    for words in ["get-context", "export", "watch --format text", "get-context --help"] {
        let line = format!("aw debate {words} --debate-id {} | head -c 1", debate.id);
        // The exit status of the first program of the pipeline.
        let line = format!("set -o pipefail; {line}; echo \" ${{PIPESTATUS[0]}}\"");
        let mut watched = cli.program("bash");
        if words.starts_with("watch") {
            debate.intervene().await;
            debate.rule(true).await;
        }
        watched.args(["-c", &line]);
        let output = crate::support::Output::run(watched).await;
        assert!(output.out.ends_with(" 0\n"), "{words}: {output:?}");
        assert!(!output.err.contains("panicked"), "{words}: {output:?}");
    }
}
