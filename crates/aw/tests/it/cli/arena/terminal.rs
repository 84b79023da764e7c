//! Debates on a terminal: lists and transcripts that fit, and the notice of a pending ruling.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Cli, Debate, HANG, Server};

const TITLE: &str = "Keep the whole index in memory and rebuild it after each restart";

const CLAIM: &str = "# Objection\n\nThe index **does not fit** into the memory of the machines \
    that we have, and a restart takes `forty` minutes.";

async fn debate(server: &Server) -> Debate<'_> {
    Debate::open_with(server, |body| {
        body["title"] = TITLE.into();
        body["motion_content"] = CLAIM.into();
    })
    .await
}

async fn slug(debate: &Debate<'_>) -> String {
    let reply = debate.server.get(&debate.path("?limit=0")).await;
    reply.data()["debate"]["slug"].as_str().expect("it has one").to_owned()
}

#[tokio::test]
async fn list_fits_the_terminal_with_title_first_and_relative_time() {
    let server = Server::start().await;
    let slug = slug(&debate(&server).await).await;
    let cli = Cli::at(&server).env("TERM", "xterm").env("NO_COLOR", "1");
    for columns in [60, 80, 140] {
        let shown = cli.in_terminal(&format!("stty cols {columns}; aw debate list")).await;
        let rows: Vec<_> = shown.lines().map(str::trim_end).collect();
        let row = rows[0];
        assert!(row.chars().count() < columns, "{columns}: {shown}");
        assert!(row.starts_with("Keep the w"), "{shown}");
        assert!(row.contains("Waiting for the opponent  just now"), "{shown}");
        // A slug is never shortened: without space for it, it has a line of its own.
        let expected = if columns == 140 { row.ends_with(&slug) } else { rows[1].trim() == slug };
        assert!(expected, "{shown}");
    }
    let piped = cli.run(&["debate", "list", "--format", "text"]).await.out;
    assert!(piped.contains(TITLE) && piped.contains(&slug), "{piped}");
    assert!(piped.contains(" UTC"), "{piped}");
}

#[tokio::test]
async fn transcript_is_wrapped_between_words_and_lightly_styled() {
    let server = Server::start().await;
    let debate = debate(&server).await;
    let cli = Cli::at(&server).env("TERM", "xterm");
    let line = format!("stty cols 60; aw debate get-context --debate-id {}", debate.id);
    let shown = cli.clone().env("NO_COLOR", "1").in_terminal(&line).await;
    let rows: Vec<_> = shown.lines().map(str::trim_end).collect();
    let start = rows.iter().position(|row| row.contains("The index")).expect("it is shown");
    let claim = &rows[start..start + 3];
    assert!(claim.iter().all(|row| row.starts_with("     ") && row.len() < 60), "{shown}");
    let words: Vec<_> = claim.iter().flat_map(|row| row.split_whitespace()).collect();
    assert!(CLAIM.ends_with(&words.join(" ")), "no word is broken: {shown}");
    let styled = cli.in_terminal(&line).await;
    assert!(styled.contains("\u{1b}[1mdoes not fit\u{1b}[0m"), "{styled:?}");
    assert!(styled.contains("\u{1b}[1m# Objection\u{1b}[0m"), "{styled:?}");
}

#[tokio::test]
async fn markdown_list_is_a_table() {
    let server = Server::start().await;
    let slug = slug(&debate(&server).await).await;
    let output = Cli::at(&server).run(&["debate", "list", "--format", "markdown"]).await.out;
    let head = "| Title | State | Changed | Debate |\n|---|---|---|---|\n";
    assert!(output.starts_with(head), "{output}");
    assert!(output.contains(&format!("| {slug} |\n")), "{output}");
    assert!(output.ends_with("**total_count:** 1\n"), "{output}");
}

#[tokio::test]
async fn watch_names_the_command_when_a_ruling_is_needed() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    // An earlier pause that was ruled on is not announced.
    debate.intervene().await;
    debate.rule(false).await;
    let cli = Cli::at(&server);
    let mut watching = cli
        .command(&["debate", "watch", "--debate-id", &debate.id, "--format", "text"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(watching.stderr.take().expect("it was piped")).lines();
    debate.intervene().await;
    let line = tokio::time::timeout(HANG, lines.next_line()).await.expect("no hang");
    let line = line.expect("it is text").expect("it goes on");
    let command = format!("aw rule {} 'YOUR RULING'", slug(&debate).await);
    assert!(line.contains("needs a ruling") && line.contains(&command), "{line}");
    debate.rule(true).await;
    let line = tokio::time::timeout(HANG, lines.next_line()).await.expect("no hang");
    assert_eq!(line.expect("it is text").as_deref(), Some("aw: the debate is closed"));
    let ended = tokio::time::timeout(HANG, watching.wait()).await.expect("no hang");
    assert!(ended.expect("it is our own child").success());
}
