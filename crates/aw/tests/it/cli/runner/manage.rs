//! `aw run`: create, list, read, command, export and delete.

use insta::{assert_snapshot, with_settings};
use serde_json::json;

use crate::cli::runner::FAST;
use crate::support::{Cli, Record, Run, Server, Setup};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];

#[tokio::test]
async fn commands_change_the_status_and_print_the_new_status() {
    // Without workers no run continues on its own.
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let cli = Cli::at(&server);
    let mut record = Record::default();
    for format in FORMATS {
        let format = ["--format", format];
        let key = format!("k-{}", format[1]);
        let start = ["run", "start", "Move me", "--no-start", "--client-request-id", &key];
        let words = [&start[..], &FAST, &format].concat();
        record.note_command(&server, &words, &cli.run(&words).await);
        let all = server.get("/runner/debates").await.json();
        let id = all[0]["id"].as_str().expect("it has an id").to_owned();
        for what in ["resume", "stop", "resume", "cancel", "stop", "show", "attempts"] {
            let words = [&["run", what, &id], &format[..]].concat();
            let output = cli.run(&words).await;
            assert_eq!(output.code, 0, "{output:?}");
            record.note_command(&server, &words, &output);
        }
        let words = [&["run", "list", "--status", "canceled"], &format[..]].concat();
        record.note_command(&server, &words, &cli.run(&words).await);
        let words = [&["run", "delete", &id, "--yes"], &format[..]].concat();
        record.note_command(&server, &words, &cli.run(&words).await);
    }
    with_settings!({ filters => [(r#""ran_seconds": \d+"#, r#""ran_seconds": <few>"#)] }, {
        assert_snapshot!(record.render());
    });
}

#[tokio::test]
async fn every_setting_is_sent_to_the_server() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let cli = Cli::at(&server);
    let words = ["run", "start", "Settings", "--rounds", "7", "--model", "demo:paced"];
    let models = ["--model-a", "demo:fast", "--model-b", "demo:fast", "--judge", "demo:fast"];
    let how = ["--side", "con", "--language", "pt-BR", "--judge-mode", "end"];
    let most = ["--max-tokens", "4000", "--max-tokens-debater", "300", "--max-tokens-judge", "200"];
    let rest = ["--max-seconds", "90", "--prompt-version", "v1"];
    let all = [&words[..], &models, &how, &most, &rest].concat();
    let started = cli.data(&all).await;
    assert_eq!(started["status"], "running");
    let id = started["debate_id"].as_str().expect("it has an id").to_owned();
    let settings = Run { server: &server, id }.debate().await["settings"].clone();
    assert_eq!(
        settings,
        json!({
            "debater_a_side": "con", "output_language": "pt-BR", "judge_mode": "end",
            "max_rounds": 7, "max_runtime_seconds": 90, "max_total_output_tokens": 4000,
            "max_tokens_debater": 300, "max_tokens_judge": 200, "model_debater": "demo:paced",
            "model_debater_a": "demo:fast", "model_debater_b": "demo:fast",
            "model_judge": "demo:fast", "prompt_version": "v1",
        })
    );
}

#[tokio::test]
async fn repeated_start_creates_no_second_run() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let cli = Cli::at(&server);
    let words = ["run", "start", "Once", "--client-request-id", "k-1"];
    let (first, second) = (cli.data(&words).await, cli.data(&words).await);
    assert_eq!(first["debate_id"], second["debate_id"]);
    assert_eq!((&first["enqueued"], &second["enqueued"]), (&json!(true), &json!(false)));
    let all = server.get("/runner/debates").await.json();
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    let output = cli.run(&["run", "start", "Twice", "--client-request-id", "k-1"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (5, "IDEMPOTENCY_CONFLICT"));
}

#[tokio::test]
async fn list_continues_after_the_last_item_of_a_page() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let cli = Cli::at(&server);
    for number in 0..5 {
        Run::create(&server, &format!("Number {number}"), json!({})).await;
    }
    let (mut topics, mut cursor) = (Vec::new(), None);
    loop {
        let mut words = vec!["run", "list", "--limit", "2", "--status", "created"];
        words.extend(cursor.iter().flat_map(|cursor: &String| ["--cursor", cursor.as_str()]));
        let page = cli.data(&words).await;
        let debates = page["debates"].as_array().expect("a list");
        topics.extend(debates.iter().map(|debate| debate["topic"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(topics, [4, 3, 2, 1, 0].map(|number| json!(format!("Number {number}"))));
}

#[tokio::test]
async fn export_to_a_file_equals_export_to_standard_output() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let run = Run::complete_demo(&server, 2).await;
    let export = ["run", "export", &run.id];
    let page = cli.run(&export).await;
    assert_eq!(page.code, 0, "{page:?}");
    assert!(page.out.starts_with("# Tabs or spaces?\n"), "{}", page.out);
    assert_eq!(page.out.matches("\n## ").count(), 7, "six turns and an end: {}", page.out);
    for as_markdown in [&["--format", "md"][..], &["--as", "md"], &["--as", "markdown"]] {
        assert_eq!(cli.run(&[&export[..], as_markdown].concat()).await.out, page.out);
    }
    for as_json in [&["--format", "json"][..], &["--as", "json"]] {
        let output = cli.run(&[&export[..], as_json].concat()).await;
        assert_eq!(output.json(), run.read().await, "the server's own story");
    }
    let file = server.home().path().join("debate.md").display().to_string();
    let written = cli.data(&[&export[..], &["--as", "markdown", "--out", &file]].concat()).await;
    assert_eq!(written["turns"], 6);
    assert_eq!(std::fs::read_to_string(&file).expect("it was written"), page.out);
    let attempts = cli.data(&["run", "attempts", &run.id]).await;
    assert_eq!(attempts["attempts"].as_array().map(Vec::len), Some(6));
}
