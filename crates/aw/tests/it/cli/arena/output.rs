//! Output of every `aw debate` command in every format.

use insta::assert_snapshot;

use crate::support::{Cli, Debate, Record, Server, argument_id, new_id};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];

/// Runs the command in every format and records the output.
async fn note(record: &mut Record, cli: &Cli, server: &Server, words: &[&str]) {
    for format in FORMATS {
        let output = cli.run(&[words, &["--format", format]].concat()).await;
        record.note_command(server, &[words, &["--format", format]].concat(), &output);
    }
}

#[tokio::test]
async fn every_write_prints_its_result_in_every_format() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let mut record = Record::default();
    for format in FORMATS {
        let format = ["--format", format];
        let id = new_id();
        let create = ["debate", "create", "--debate-id", &id, "--title", "Cache the index"];
        let create = [&create[..], &["--type", "coding_plan_debate", "--content", "Keep it."]];
        let words = [&create.concat()[..], &["--client-request-id", "open-1"], &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);
        let motion = server.get(&format!("/debates/{id}")).await.data()["motion"]["id"].clone();
        let motion = motion.as_str().expect("it has an id").to_owned();

        let here = ["--debate-id", &id];
        let submit = [&["debate", "submit"], &here[..], &["--role", "opponent"]].concat();
        let answer = ["--target-id", &motion, "--content", "No.", "--client-request-id", "c-1"];
        let words = [&submit[..], &answer, &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);

        let appeal = [&["debate", "appeal"], &here[..], &["--target-id", &motion]].concat();
        let key = ["--content", "May we?", "--client-request-id", "a-1"];
        let words = [&appeal[..], &key, &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);

        let ruling = [&["debate", "ruling"], &here[..], &["--content", "You may."]].concat();
        let words = [&ruling[..], &["--client-request-id", "r-1"], &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);

        let words = [&["debate", "intervention"], &here[..], &["--client-request-id", "i-1"]];
        let words = [&words.concat()[..], &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);

        let words = [&ruling[..], &["--client-request-id", "r-2"], &format].concat();
        cli.data(&[&ruling[..], &["--client-request-id", "r-2"]].concat()).await;
        record.note_command(&server, &words, &cli.run(&words).await);

        let finish = [&["debate", "request-completion"], &here[..], &["--target-id", &motion]];
        let key = ["--content", "Done.", "--client-request-id", "f-1"];
        let words = [&finish.concat()[..], &key, &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);
    }
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    let close = ["debate", "ruling", "--debate-id", &debate.id, "--content", "Over.", "--close"];
    let words = [&close[..], &["--client-request-id", "r-1"]].concat();
    record.note_command(&server, &words, &cli.run(&words).await);
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn debate_is_printed_in_every_format() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let debate = Debate::open(&server).await;
    let claim = argument_id(&debate.claim("opponent", &debate.motion, "c-1").await);
    let reply = debate.claim("proposer", &claim, "c-2").await;
    debate.claim("opponent", &argument_id(&reply), "c-3").await;
    let mut record = Record::default();
    let read = ["debate", "get-context", "--debate-id", &debate.id];
    note(&mut record, &cli, &server, &read).await;
    note(&mut record, &cli, &server, &[&read[..], &["--limit", "1"]].concat()).await;
    let list = ["debate", "list", "--state", "AWAITING_PROPOSER"];
    note(&mut record, &cli, &server, &list).await;
    Debate::open(&server).await;
    note(&mut record, &cli, &server, &["debate", "list", "--limit", "1"]).await;
    note(&mut record, &cli, &server, &["debate", "list", "--pending-first-opponent"]).await;
    note(&mut record, &cli, &server, &["debate", "list", "--state", "CLOSED"]).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn wait_result_is_printed_in_every_format() {
    let server = Server::start().await;
    let cli = Cli::at(&server).env("DEBATE_WAIT_DEADLINE", "0.1");
    let debate = Debate::open(&server).await;
    let mut record = Record::default();
    let wait = ["debate", "wait", "--debate-id", &debate.id, "--role"];
    note(&mut record, &cli, &server, &[&wait[..], &["opponent"]].concat()).await;
    let quiet = [&wait[..], &["proposer", "--argument-id", &debate.motion]].concat();
    note(&mut record, &cli, &server, &quiet).await;
    debate.intervene().await;
    debate.rule(true).await;
    note(&mut record, &cli, &server, &quiet).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn generate_id_delete_open_services_and_export_print_their_results() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let mut record = Record::default();
    note(&mut record, &cli, &server, &["debate", "generate-id"]).await;
    for format in FORMATS {
        let debate = Debate::open(&server).await;
        let words = ["debate", "delete", "--debate-id", &debate.id, "--yes", "--format", format];
        record.note_command(&server, &words, &cli.run(&words).await);
    }
    let debate = Debate::open(&server).await;
    note(&mut record, &cli, &server, &["debate", "open", "--debate-id", &debate.id]).await;
    note(&mut record, &cli, &server, &["debate", "open"]).await;
    note(&mut record, &cli, &server, &["debate", "services", "status"]).await;
    note(&mut record, &cli, &server, &["debate", "services", "start"]).await;
    let out = server.home().path().join("debate.md").display().to_string();
    let export = ["debate", "export", "--debate-id", &debate.id, "--out", &out];
    note(&mut record, &cli, &server, &export).await;
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn transcript_is_exported_in_every_document_format() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let debate = Debate::open_with(&server, |body| {
        body["title"] = "<script>alert(1)</script> & \"co\"".into();
        body["motion_content"] = "# Not a heading\n<img src=x onerror=alert(1)>\u{1b}[31m".into();
    })
    .await;
    debate.claim("opponent", &debate.motion, "c-1").await;
    let mut record = Record::default();
    for document in ["markdown", "json", "html"] {
        let words = ["debate", "export", "--debate-id", &debate.id, "--as", document];
        let output = cli.run(&words).await;
        if document == "html" {
            let harmful = ["<script", "<img", "\u{1b}", "javascript:", "http://", "https://"];
            assert!(!harmful.iter().any(|word| output.out.contains(word)), "{}", output.out);
            assert!(output.out.contains("<h4>Not a heading</h4>"), "{}", output.out);
            assert!(output.out.contains("Claim by the opponent</h3>"), "{}", output.out);
        } else {
            record.note_command(&server, &words, &output);
        }
        let to_file = server.home().path().join(document).display().to_string();
        let written = cli.data(&[&words[..], &["--out", &to_file]].concat()).await;
        assert_eq!(written["arguments"], 2);
        let kept = std::fs::read_to_string(&to_file).expect("it was written");
        assert_eq!(kept, output.out, "the same in a file");
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn any_content_is_returned_unchanged_as_json() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let long = "🦀\u{1b}[2J\"\\\t\r\n".repeat(800).chars().take(3000).collect::<String>();
    let contents = [
        "line one\nline two\r\nline three",
        "tab\tand \"quotes\" and 'single' and back\\slash",
        "emoji 👩‍👩‍👧 🦀 日本語 עברית",
        "\u{1b}[31mred\u{1b}[0m \u{9b}2J \u{7} \u{202e}txt \u{7f} \u{2028}",
        "{\"json\": [1, 2, {\"nested\": null}]}",
        "```json\nfenced\n```\n# heading\n> quote",
        &"x".repeat(10_240),
        &long,
    ];
    for content in contents {
        let id = new_id();
        let create = ["debate", "create", "--debate-id", &id, "--title", "Any content"];
        let words = [&create[..], &["--type", "general_debate", "--stdin"]].concat();
        assert_eq!(cli.run_with(&words, content.as_bytes()).await.code, 0, "{content}");
        let read = cli.data(&["debate", "get-context", "--debate-id", &id]).await;
        assert_eq!(read["motion"]["content"], content);
        let news = cli.data(&["debate", "wait", "--debate-id", &id, "--role", "opponent"]).await;
        assert_eq!(news["argument"]["content"], content);
    }
}
