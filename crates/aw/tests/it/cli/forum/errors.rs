//! Errors of `aw forum`: messages in every format, and exit codes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::cli::forum::{
    ADMIN, APPROACH, ForumUser, POST_TEXT, RAISE, SOLUTION, UNKNOWN_ID, auto_approving,
    high_limits, id,
};
use crate::support::{Cli, Output, Record, Server, free_port};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];
const NOTES: [&str; 2] = ["--notes", "A plain question of water."];

/// Runs the command in every format and records the output.
async fn assert_fails(record: &mut Record, server: &Server, cli: &Cli, words: &[&str], exit: i32) {
    assert_fails_in(&FORMATS, record, server, cli, words, exit).await;
}

/// Runs the command in JSON only, for cases that are reported alike.
async fn assert_fails_in_json(
    record: &mut Record,
    server: &Server,
    cli: &Cli,
    words: &[&str],
    exit: i32,
) {
    assert_fails_in(&FORMATS[..1], record, server, cli, words, exit).await;
}

async fn assert_fails_in(
    formats: &[&str],
    record: &mut Record,
    server: &Server,
    cli: &Cli,
    words: &[&str],
    exit: i32,
) {
    for &format in formats {
        let words = [&["forum"], words, &["--format", format]].concat();
        let output: Output = cli.run(&words).await;
        assert_eq!(output.code, exit, "{words:?}: {output:?}");
        match format {
            "json" => assert_eq!(output.json()["success"], false),
            "markdown" => assert!(output.out.contains("## ❌ Error: "), "{output:?}"),
            _ => assert!(output.out.is_empty() && !output.err.is_empty(), "{output:?}"),
        }
        let home = cli.variable("HOME");
        let hide = |text: &str| text.replace(home, "~").replace(server.address(), "SERVER");
        let shown = Output { code: output.code, out: hide(&output.out), err: hide(&output.err) };
        let words: Vec<_> = words.iter().map(|word| word.replace(home, "~")).collect();
        record.note_command(server, &words.iter().map(String::as_str).collect::<Vec<_>>(), &shown);
    }
}

/// Commands that only an agent may run.
fn agent_commands(id: &str) -> Vec<Vec<&str>> {
    let propose = ["solution", "propose", id, "--title", "Collect rain from roofs"];
    vec![
        vec!["me"],
        vec!["rotate-key"],
        RAISE.to_vec(),
        vec!["problem", "list", "--mine"],
        vec!["problem", "delete", id, "--yes"],
        [&propose[..], &["--description", SOLUTION, "--content", APPROACH]].concat(),
        vec!["solution", "delete", id, "--yes"],
        vec!["post", id, "--stance", "support", "--content", POST_TEXT, "--client-request-id", "k"],
        vec!["status", id],
        vec!["upvote", id, id],
        vec!["appeal", id, id, "--reason", "It warns of what it names."],
    ]
}

/// Commands that anyone may run.
fn reader_commands(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["problem", "show", id],
        vec!["solution", "show", id],
        vec!["thread", id],
        vec!["thread", id, "--follow"],
    ]
}

/// Commands that only a reviewer may run.
fn reviewer_commands(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["review", "show", id],
        vec!["review", "claim", id],
        vec!["review", "release", id],
        vec!["review", "approve", id, NOTES[0], NOTES[1]],
        vec!["review", "reject", id, NOTES[0], NOTES[1]],
    ]
}

fn is_about(words: &[&str], id: &str) -> bool {
    words.contains(&id)
}

#[tokio::test]
async fn missing_items_exit_with_2() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let mut record = Record::default();
    for words in agent_commands(UNKNOWN_ID).into_iter().chain(reader_commands(UNKNOWN_ID)) {
        if is_about(&words, UNKNOWN_ID) {
            assert_fails_in_json(&mut record, &server, &ada.cli, &words, 2).await;
        }
    }
    let eve = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", ADMIN);
    for words in reviewer_commands(UNKNOWN_ID) {
        assert_fails_in_json(&mut record, &server, &eve, &words, 2).await;
    }
    for words in [
        &["registre", "ada"][..],
        &["problem", "rise"],
        &["post", UNKNOWN_ID, "--stance", "maybe", "--content", POST_TEXT],
        &["thread", UNKNOWN_ID, "--follow", "--limit", "3"],
        &["register"],
        &["register", "ada", "--key", "awk_on-the-command-line"],
    ] {
        assert_fails(&mut record, &server, &ada.cli, words, 2).await;
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn invalid_input_exits_with_4() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let other = ForumUser::at(&server);
    let mut record = Record::default();
    for words in agent_commands("not-an-id").into_iter().chain(reader_commands("not-an-id")) {
        if is_about(&words, "not-an-id") {
            assert_fails_in_json(&mut record, &server, &ada.cli, &words, 4).await;
        }
    }
    for words in [&["register", "Ada"][..], &["register", "admin"], &["register", "a__b"]] {
        assert_fails(&mut record, &server, &other.cli, words, 4).await;
    }
    let post = ["post", &solution, "--stance", "support"];
    let with = |words: &[&'static str]| [&post[..], words].concat();
    for words in [
        with(&[]),
        with(&["--content", "Too short."]),
        with(&["--content", POST_TEXT, "--stdin"]),
        with(&["--file", "/no/such/file"]),
        with(&["--content", POST_TEXT, "--evidence", "http://example.org/plain"]),
        with(&["--content", POST_TEXT, "--evidence", "https://127.0.0.1/"]),
        with(&["--content", POST_TEXT, "--reply-to", UNKNOWN_ID]),
        vec!["thread", &solution, "--limit", "101"],
        vec!["thread", &solution, "--cursor", "nonsense"],
        vec!["problem", "list", "--cursor", "nonsense"],
        vec!["solution", "delete", &solution],
        vec!["problem", "raise", "--title", "Short", "--severity", "low", "--content", POST_TEXT],
    ] {
        assert_fails(&mut record, &server, &ada.cli, &words, 4).await;
    }
    let eve = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", ADMIN);
    assert_fails(
        &mut record,
        &server,
        &eve,
        &["review", "approve", UNKNOWN_ID, "--notes", "Short"],
        4,
    )
    .await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn invalid_or_public_key_file_exits_with_4() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let mut record = Record::default();
    let file = ada.key_file();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("it is ours");
    assert_fails(&mut record, &server, &ada.cli, &["me"], 4).await;
    assert_fails(&mut record, &server, &ada.cli, &["problem", "list"], 4).await;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(&file, "secret-but-no-key").expect("it is ours");
    assert_fails(&mut record, &server, &ada.cli, &["me"], 4).await;
    let missing = ada.home.path().join("missing.key").display().to_string();
    assert_fails(&mut record, &server, &ada.cli, &["me", "--key-file", &missing], 4).await;
    let folder = ada.home.path().display().to_string();
    assert_fails(&mut record, &server, &ada.cli, &["me", "--key-file", &folder], 4).await;
    let cli = ada.cli.clone().env("AW_AGENT_KEY", "secret-but-no-key");
    assert_fails(&mut record, &server, &cli, &["me"], 4).await;
    let cli = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", "eve:secret-one,max:secret-two");
    assert_fails(&mut record, &server, &cli, &["review", "list"], 4).await;
    let shown = record.render();
    assert!(!shown.contains("secret-"), "{shown}");
    assert_snapshot!(shown);
}

#[tokio::test]
async fn conflicts_exit_with_5() {
    let server = auto_approving().env("DEBATE_ADMIN_TOKEN", "eve:one-token,max:another-token");
    let server = server.start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let mut record = Record::default();
    assert_fails(&mut record, &server, &ForumUser::at(&server).cli, &["register", "ada"], 5).await;
    let post = ["post", &solution, "--stance", "support", "--content", POST_TEXT];
    let made = ada.post(&solution, &post[2..]).await;
    assert_fails(&mut record, &server, &ada.cli, &post, 5).await;
    let appeal = ["appeal", &solution, id(&made), "--reason", "It warns of what it names."];
    assert_fails(&mut record, &server, &ada.cli, &appeal, 5).await;
    let bad = "We should build weapons and sell them instead, which brings in far more money.";
    let words = ["post", &solution, "--stance", "oppose", "--content", bad, "--wait"];
    let made = ada.data(&words).await;
    ada.data(&["appeal", &solution, id(&made), "--reason", "It warns of what it names."]).await;
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    // A list with one reviewer is accepted as that reviewer's token.
    let eve = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", "eve:one-token");
    assert_eq!(eve.data(&["forum", "review", "claim", evaluation]).await["claimedBy"], "eve");
    let max = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", "another-token");
    let approve = ["review", "approve", evaluation, NOTES[0], NOTES[1]];
    let until = max.run(&[&["forum"], &approve[..]].concat()).await;
    assert_eq!((until.code, until.error_code().as_str()), (5, "ALREADY_CLAIMED"), "{until:?}");
    assert_eq!(eve.run(&[&["forum"], &approve[..]].concat()).await.code, 0);
    assert_fails(&mut record, &server, &eve, &["review", "claim", evaluation], 5).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn missing_or_invalid_credentials_exit_with_6() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let bob = ForumUser::agent(&server, "bob").await;
    let solution = ada.solution().await;
    let made = ada.post(&solution, &["--stance", "support", "--content", POST_TEXT]).await;
    let mut record = Record::default();
    let stranger = ForumUser::at(&server);
    for words in agent_commands(UNKNOWN_ID) {
        assert_fails_in_json(&mut record, &server, &stranger.cli, &words, 6).await;
    }
    let wrong = stranger.cli.clone().env("AW_AGENT_KEY", &format!("awk_{}", "0".repeat(64)));
    for words in [&["me"][..], &["problem", "list"], &["thread", &solution, "--follow"]] {
        assert_fails(&mut record, &server, &wrong, words, 6).await;
    }
    assert_fails(&mut record, &server, &stranger.cli, &["review", "list"], 6).await;
    let wrong = stranger.cli.clone().env("DEBATE_ADMIN_TOKEN", "wr0ng");
    assert_fails(&mut record, &server, &wrong, &["review", "list"], 6).await;
    assert_fails(&mut record, &server, &bob.cli, &["solution", "delete", &solution, "--yes"], 6)
        .await;
    assert_fails(&mut record, &server, &ada.cli, &["upvote", &solution, id(&made)], 6).await;
    let shown = record.render();
    assert!(!shown.contains("wr0ng") && !shown.contains("awk_"), "no secret is shown");
    assert_snapshot!(shown);
}

#[tokio::test]
async fn unreachable_server_exits_with_3() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let closed_port_url = format!("http://127.0.0.1:{}", free_port());
    let mut record = Record::default();
    let cli = ada.through(&closed_port_url).env("DEBATE_ADMIN_TOKEN", ADMIN);
    let cli = cli.env("DEBATE_RETRY_DEADLINE", "0").env("DEBATE_WAIT_DEADLINE", "0");
    let id = UNKNOWN_ID;
    for words in [reader_commands(id), reviewer_commands(id), agent_commands(id)].concat() {
        if words != ["rotate-key"] {
            assert_fails_in_json(&mut record, &server, &cli, &words, 3).await;
        }
    }
    let cli = ForumUser::by(&closed_port_url).cli.env("DEBATE_RETRY_DEADLINE", "0");
    assert_fails(&mut record, &server, &cli, &["register", "ada"], 3).await;
    assert_snapshot!(record.render().replace(&closed_port_url, "http://NOBODY"));
}
