//! Errors of `aw run`: messages in every format, and exit codes.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Cli, Output, Record, Run, Server, Setup, free_port};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];
const UNKNOWN_RUN: &str = "00000000-0000-7000-8000-000000000001";

fn commands(id: &str) -> Vec<Vec<&str>> {
    let plain = ["show", "follow", "stop", "resume", "retry", "cancel", "export", "attempts"];
    let mut all: Vec<_> = plain.iter().map(|what| vec!["run", *what, id]).collect();
    all.push(vec!["run", "delete", id, "--yes"]);
    all
}

/// Runs the command in every format and records the output.
async fn assert_fails(record: &mut Record, server: &Server, cli: &Cli, words: &[&str], exit: i32) {
    for format in FORMATS {
        let words = [words, &["--format", format]].concat();
        let output: Output = cli.run(&words).await;
        assert_eq!(output.code, exit, "{words:?}: {output:?}");
        match format {
            "json" => assert_eq!(output.json()["success"], false),
            "markdown" => assert!(output.out.contains("## ❌ Error: "), "{output:?}"),
            _ => assert!(output.out.is_empty() && !output.err.is_empty(), "{output:?}"),
        }
        record.note_command(server, &words, &output);
    }
}

#[tokio::test]
async fn missing_run_exits_with_2() {
    let server = Server::start().await;
    let (cli, mut record) = (Cli::at(&server), Record::default());
    for words in commands(UNKNOWN_RUN) {
        assert_fails(&mut record, &server, &cli, &words, 2).await;
    }
    assert_fails(&mut record, &server, &cli, &["run", "begin"], 2).await;
    assert_fails(&mut record, &server, &cli, &["run", "start"], 2).await;
    assert_fails(&mut record, &server, &cli, &["run", "list", "--status", "done"], 2).await;
    assert_fails(&mut record, &server, &cli, &["run", "start", "T", "--rounds", "many"], 2).await;
    assert_fails(&mut record, &server, &cli, &["run", "start", "T", "--no-start", "--follow"], 2)
        .await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn invalid_input_exits_with_4() {
    let server = Server::start().await;
    let (cli, mut record) = (Cli::at(&server), Record::default());
    for words in commands("not-an-id") {
        assert_fails(&mut record, &server, &cli, &words, 4).await;
    }
    for words in [
        &["run", "start", "  "][..],
        &["run", "start", "T", "--rounds", "101"],
        &["run", "start", "T", "--model", "nobody:knows"],
        &["run", "start", "T", "--language", "not a language"],
        &["run", "list", "--limit", "201"],
        &["run", "list", "--cursor", "nonsense"],
    ] {
        assert_fails(&mut record, &server, &cli, words, 4).await;
    }
    let run = Run::create(&server, "Keep me", json!({})).await;
    assert_fails(&mut record, &server, &cli, &["run", "delete", &run.id], 4).await;
    let out = ["run", "export", &run.id, "--out", "/no/such/folder/file"];
    assert_fails(&mut record, &server, &cli, &out, 4).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn command_that_the_status_forbids_exits_with_5() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let (cli, mut record) = (Cli::at(&server), Record::default());
    for (command, refused) in [
        (None, &["retry"][..]),
        (Some("start"), &["resume", "retry"]),
        (Some("cancel"), &["resume"]),
    ] {
        let run = Run::create(&server, "Not now", json!({})).await;
        if let Some(command) = command {
            run.command(command).await;
        }
        for what in refused {
            assert_fails(&mut record, &server, &cli, &["run", what, &run.id], 5).await;
        }
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn unreachable_server_exits_with_3_and_wrong_token_with_6() {
    let server = Setup::new().env("DEBATE_AUTH_TOKEN", "right").start().await;
    let mut record = Record::default();
    let mut commands = commands(UNKNOWN_RUN);
    commands.push(vec!["run", "list"]);
    commands.push(vec!["run", "start", "T", "--follow", "--client-request-id", "k-1"]);
    let cli = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "wr0ng");
    for words in &commands {
        assert_fails(&mut record, &server, &cli, words, 6).await;
    }
    let closed_port_url = format!("http://127.0.0.1:{}", free_port());
    let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &closed_port_url);
    let cli = cli.env("DEBATE_RETRY_DEADLINE", "0").env("DEBATE_WAIT_DEADLINE", "0");
    for words in &commands {
        assert_fails(&mut record, &server, &cli, words, 3).await;
    }
    let shown = record.render().replace(&closed_port_url, "http://NOBODY");
    assert!(!shown.contains("wr0ng"), "no token is shown");
    assert_snapshot!(shown);
}
