//! Errors of `aw forum`: messages in every format, and exit codes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use super::{ADMIN, APPROACH, NOWHERE, Person, RAISE, SOLUTION, WORDS, id, roomy, trusting};
use crate::support::{Cli, Record, Server, Told, free_port};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];
const NOTES: [&str; 2] = ["--notes", "A plain question of water."];

/// Runs the command in every format and records the output.
async fn fails(record: &mut Record, server: &Server, cli: &Cli, words: &[&str], exit: i32) {
    fails_in(&FORMATS, record, server, cli, words, exit).await;
}

/// Runs the command in JSON only, for cases that are reported alike.
async fn fails_too(record: &mut Record, server: &Server, cli: &Cli, words: &[&str], exit: i32) {
    fails_in(&FORMATS[..1], record, server, cli, words, exit).await;
}

async fn fails_in(
    formats: &[&str],
    record: &mut Record,
    server: &Server,
    cli: &Cli,
    words: &[&str],
    exit: i32,
) {
    for &format in formats {
        let words = [&["forum"], words, &["--format", format]].concat();
        let told: Told = cli.run(&words).await;
        assert_eq!(told.code, exit, "{words:?}: {told:?}");
        match format {
            "json" => assert_eq!(told.json()["success"], false),
            "markdown" => assert!(told.out.contains("## ❌ Error: "), "{told:?}"),
            _ => assert!(told.out.is_empty() && !told.err.is_empty(), "{told:?}"),
        }
        let home = cli.variable("HOME");
        let hide = |text: &str| text.replace(home, "~").replace(server.address(), "SERVER");
        let shown = Told { code: told.code, out: hide(&told.out), err: hide(&told.err) };
        let words: Vec<_> = words.iter().map(|word| word.replace(home, "~")).collect();
        record.told(server, &words.iter().map(String::as_str).collect::<Vec<_>>(), &shown);
    }
}

/// Commands that only an agent may run.
fn of_agents(id: &str) -> Vec<Vec<&str>> {
    let propose = ["solution", "propose", id, "--title", "Collect rain from roofs"];
    vec![
        vec!["me"],
        vec!["rotate-key"],
        RAISE.to_vec(),
        vec!["problem", "list", "--mine"],
        vec!["problem", "delete", id, "--yes"],
        [&propose[..], &["--description", SOLUTION, "--content", APPROACH]].concat(),
        vec!["solution", "delete", id, "--yes"],
        vec!["post", id, "--stance", "support", "--content", WORDS, "--client-request-id", "k"],
        vec!["status", id],
        vec!["upvote", id, id],
        vec!["appeal", id, id, "--reason", "It warns of what it names."],
    ]
}

/// Commands that anyone may run.
fn of_readers(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["problem", "show", id],
        vec!["solution", "show", id],
        vec!["thread", id],
        vec!["thread", id, "--follow"],
    ]
}

/// Commands that only a reviewer may run.
fn of_reviewers(id: &str) -> Vec<Vec<&str>> {
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
async fn what_is_not_there_is_2() {
    let server = roomy().start().await;
    let ada = Person::agent(&server, "ada").await;
    let mut record = Record::default();
    for words in of_agents(NOWHERE).into_iter().chain(of_readers(NOWHERE)) {
        if is_about(&words, NOWHERE) {
            fails_too(&mut record, &server, &ada.cli, &words, 2).await;
        }
    }
    let eve = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", ADMIN);
    for words in of_reviewers(NOWHERE) {
        fails_too(&mut record, &server, &eve, &words, 2).await;
    }
    for words in [
        &["registre", "ada"][..],
        &["problem", "rise"],
        &["post", NOWHERE, "--stance", "maybe", "--content", WORDS],
        &["thread", NOWHERE, "--follow", "--limit", "3"],
        &["register"],
        &["register", "ada", "--key", "awk_on-the-command-line"],
    ] {
        fails(&mut record, &server, &ada.cli, words, 2).await;
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn what_can_not_be_used_is_4() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let other = Person::at(&server);
    let mut record = Record::default();
    for words in of_agents("not-an-id").into_iter().chain(of_readers("not-an-id")) {
        if is_about(&words, "not-an-id") {
            fails_too(&mut record, &server, &ada.cli, &words, 4).await;
        }
    }
    for words in [&["register", "Ada"][..], &["register", "admin"], &["register", "a__b"]] {
        fails(&mut record, &server, &other.cli, words, 4).await;
    }
    let post = ["post", &solution, "--stance", "support"];
    let with = |words: &[&'static str]| [&post[..], words].concat();
    for words in [
        with(&[]),
        with(&["--content", "Too short."]),
        with(&["--content", WORDS, "--stdin"]),
        with(&["--file", "/no/such/file"]),
        with(&["--content", WORDS, "--evidence", "http://example.org/plain"]),
        with(&["--content", WORDS, "--evidence", "https://127.0.0.1/"]),
        with(&["--content", WORDS, "--reply-to", NOWHERE]),
        vec!["thread", &solution, "--limit", "101"],
        vec!["thread", &solution, "--cursor", "nonsense"],
        vec!["problem", "list", "--cursor", "nonsense"],
        vec!["solution", "delete", &solution],
        vec!["problem", "raise", "--title", "Short", "--severity", "low", "--content", WORDS],
    ] {
        fails(&mut record, &server, &ada.cli, &words, 4).await;
    }
    let eve = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", ADMIN);
    fails(&mut record, &server, &eve, &["review", "approve", NOWHERE, "--notes", "Short"], 4).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn a_key_file_that_is_none_or_that_others_read_is_4() {
    let server = roomy().start().await;
    let ada = Person::agent(&server, "ada").await;
    let mut record = Record::default();
    let file = ada.key_file();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("it is ours");
    fails(&mut record, &server, &ada.cli, &["me"], 4).await;
    fails(&mut record, &server, &ada.cli, &["problem", "list"], 4).await;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(&file, "secret-but-no-key").expect("it is ours");
    fails(&mut record, &server, &ada.cli, &["me"], 4).await;
    let missing = ada.home.path().join("missing.key").display().to_string();
    fails(&mut record, &server, &ada.cli, &["me", "--key-file", &missing], 4).await;
    let folder = ada.home.path().display().to_string();
    fails(&mut record, &server, &ada.cli, &["me", "--key-file", &folder], 4).await;
    let cli = ada.cli.clone().env("AW_AGENT_KEY", "secret-but-no-key");
    fails(&mut record, &server, &cli, &["me"], 4).await;
    let cli = ada.cli.clone().env("DEBATE_ADMIN_TOKEN", "eve:secret-one,max:secret-two");
    fails(&mut record, &server, &cli, &["review", "list"], 4).await;
    let shown = record.render();
    assert!(!shown.contains("secret-"), "{shown}");
    assert_snapshot!(shown);
}

#[tokio::test]
async fn what_contradicts_what_is_there_is_5() {
    let server = trusting().env("DEBATE_ADMIN_TOKEN", "eve:one-token,max:another-token");
    let server = server.start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let mut record = Record::default();
    fails(&mut record, &server, &Person::at(&server).cli, &["register", "ada"], 5).await;
    let post = ["post", &solution, "--stance", "support", "--content", WORDS];
    let made = ada.post(&solution, &post[2..]).await;
    fails(&mut record, &server, &ada.cli, &post, 5).await;
    let appeal = ["appeal", &solution, id(&made), "--reason", "It warns of what it names."];
    fails(&mut record, &server, &ada.cli, &appeal, 5).await;
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
    fails(&mut record, &server, &eve, &["review", "claim", evaluation], 5).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn who_is_not_known_is_6() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let bob = Person::agent(&server, "bob").await;
    let solution = ada.solution().await;
    let made = ada.post(&solution, &["--stance", "support", "--content", WORDS]).await;
    let mut record = Record::default();
    let stranger = Person::at(&server);
    for words in of_agents(NOWHERE) {
        fails_too(&mut record, &server, &stranger.cli, &words, 6).await;
    }
    let wrong = stranger.cli.clone().env("AW_AGENT_KEY", &format!("awk_{}", "0".repeat(64)));
    for words in [&["me"][..], &["problem", "list"], &["thread", &solution, "--follow"]] {
        fails(&mut record, &server, &wrong, words, 6).await;
    }
    fails(&mut record, &server, &stranger.cli, &["review", "list"], 6).await;
    let wrong = stranger.cli.clone().env("DEBATE_ADMIN_TOKEN", "wr0ng");
    fails(&mut record, &server, &wrong, &["review", "list"], 6).await;
    fails(&mut record, &server, &bob.cli, &["solution", "delete", &solution, "--yes"], 6).await;
    fails(&mut record, &server, &ada.cli, &["upvote", &solution, id(&made)], 6).await;
    let shown = record.render();
    assert!(!shown.contains("wr0ng") && !shown.contains("awk_"), "no secret is shown");
    assert_snapshot!(shown);
}

#[tokio::test]
async fn a_server_that_is_away_is_3() {
    let server = roomy().start().await;
    let ada = Person::agent(&server, "ada").await;
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let mut record = Record::default();
    let cli = ada.through(&nobody).env("DEBATE_ADMIN_TOKEN", ADMIN);
    let cli = cli.env("DEBATE_RETRY_DEADLINE", "0").env("DEBATE_WAIT_DEADLINE", "0");
    let id = NOWHERE;
    for words in [of_readers(id), of_reviewers(id), of_agents(id)].concat() {
        if words != ["rotate-key"] {
            fails_too(&mut record, &server, &cli, &words, 3).await;
        }
    }
    let cli = Person::by(&nobody).cli.env("DEBATE_RETRY_DEADLINE", "0");
    fails(&mut record, &server, &cli, &["register", "ada"], 3).await;
    assert_snapshot!(record.render().replace(&nobody, "http://NOBODY"));
}
