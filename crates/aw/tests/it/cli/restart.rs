//! `aw restart`, and runs whose provider key the background server lacks.

use serde_json::Value;

use crate::support::{Cli, Machine};

const KEY: &str = "sk-test-key";

async fn start(cli: &Cli) -> Value {
    cli.data(&["debate", "services", "start"]).await
}

#[tokio::test]
async fn restart_accepts_new_provider_keys_and_keeps_the_data() {
    let machine = Machine::new();
    let cli = machine.cli();
    let before = start(&cli).await["server"]["pid"].clone();
    cli.create("Cache the index").await;
    let with_key = cli.clone().env("OPENAI_API_KEY", KEY);
    let restarted = with_key.data(&["restart"]).await;
    assert_eq!(restarted["status"], "started");
    assert_ne!(restarted["server"]["pid"], before);
    assert_eq!(cli.run(&["debate", "list"]).await.json()["total_count"], 1);
    let record = std::fs::read_to_string(machine.record()).expect("it is recorded");
    assert!(!record.contains(KEY), "only digests are kept: {record}");
    let record: Value = serde_json::from_str(&record).expect("it is JSON");
    let digest = record["settings"]["OPENAI_API_KEY"].as_str().expect("it is recorded");
    assert_eq!(digest.len(), 64);
    assert_eq!(machine.servers(), 1);
}

#[tokio::test]
async fn restart_refuses_to_lose_or_change_a_setting() {
    let machine = Machine::new();
    let original = machine.cli().env("OPENAI_API_KEY", KEY).env("DEBATE_AUTO_RULING", "false");
    let pid = start(&original).await["server"]["pid"].clone();
    let other = machine.cli().env("DEBATE_AUTO_RULING", "true").env("DEBATE_MAX_ROUNDS", "3");
    let output = other.run(&["restart"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (5, "SETTINGS_DIFFER"));
    let message = output.error()["message"].as_str().expect("it is text").to_owned();
    for named in
        ["OPENAI_API_KEY is missing", "DEBATE_AUTO_RULING is different", "DEBATE_MAX_ROUNDS is new"]
    {
        assert!(message.contains(named), "{message}");
    }
    assert_eq!(original.data(&["status"]).await["server"]["pid"], pid, "it runs on");
    assert_eq!(original.data(&["restart"]).await["status"], "started");
}

#[tokio::test]
async fn restart_asks_on_a_terminal_before_it_changes_a_setting() {
    let machine = Machine::new();
    start(&machine.cli().env("OPENAI_API_KEY", KEY)).await;
    let before = machine.pid();
    let cli = machine.cli().env("TERM", "dumb");
    let refused = cli.answer_in_terminal("aw restart", "[y/N]", "n").await;
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.out.contains("OPENAI_API_KEY is missing"), "{refused:?}");
    assert_eq!(machine.pid(), before);
    let accepted = cli.answer_in_terminal("aw restart", "[y/N]", "y").await;
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert_ne!(machine.pid(), before);
}

#[tokio::test]
async fn restart_starts_a_server_if_none_runs() {
    let machine = Machine::new();
    assert_eq!(machine.cli().data(&["restart"]).await["status"], "started");
    assert_eq!(machine.servers(), 1);
}

const RUN: [&str; 6] =
    ["run", "start", "Tabs or spaces?", "--no-start", "--model", "openai:gpt-4.1"];

#[tokio::test]
async fn missing_provider_key_is_named_with_the_server_and_the_restart() {
    let machine = Machine::new();
    let pid = start(&machine.cli()).await["server"]["pid"].clone();
    let output = machine.cli().env("OPENAI_API_KEY", KEY).run(&RUN).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    let error = output.error();
    let (message, suggestion) = (error["message"].to_string(), error["suggestion"].to_string());
    let named = format!("the server (process {pid}, started ");
    assert!(message.contains(&named) && message.contains("has no OPENAI_API_KEY"), "{message}");
    assert!(suggestion.contains("aw restart"), "{suggestion}");
    let without = machine.cli().run(&RUN).await.error()["suggestion"].to_string();
    assert!(without.contains("aw config set-key openai"), "{without}");
}

#[tokio::test]
async fn missing_provider_key_is_passed_on_by_a_restart_on_a_terminal() {
    let machine = Machine::new();
    start(&machine.cli()).await;
    let cli = machine.cli().env("OPENAI_API_KEY", KEY).env("TERM", "dumb");
    let line = "aw run start Tabs --no-start --model openai:gpt-4.1 --judge openai:gpt-4.1";
    let output = cli.answer_in_terminal(line, "[Y/n]", "").await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.out.contains("Run created"), "{output:?}");
    let runs = machine.cli().data(&["run", "list"]).await;
    assert_eq!(runs["debates"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn foreground_server_without_the_key_is_not_restarted() {
    let server = crate::support::Server::start().await;
    let output = Cli::at(&server).env("OPENAI_API_KEY", KEY).run(&RUN).await;
    let error = output.error();
    let (message, suggestion) = (error["message"].to_string(), error["suggestion"].to_string());
    assert!(message.contains(&format!("process {}", server.pid())), "{message}");
    assert!(!suggestion.contains("aw restart"), "{suggestion}");
    assert_eq!(server.get("/health").await.status, 200);
}
