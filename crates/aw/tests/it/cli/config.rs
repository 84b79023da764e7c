//! `aw config`: the file that it writes, the settings that it shows, and keys that it saves.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Cli, Machine};

const KEY: &str = "sk-never-shown";

fn file(machine: &Machine) -> PathBuf {
    machine.home.path().join(".aweave/config.toml")
}

fn mode(path: &PathBuf) -> u32 {
    std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
}

async fn shown(cli: &Cli, name: &str) -> Value {
    let settings = cli.data(&["config", "show"]).await["settings"].clone();
    let mut settings = settings.as_array().expect("a list").iter();
    settings.find(|row| row["name"] == name).cloned().expect("it is listed")
}

#[tokio::test]
async fn config_init_writes_every_setting_once_and_the_server_accepts_the_file() {
    let machine = Machine::new();
    let cli = machine.cli();
    let path = file(&machine);
    let before = cli.data(&["config", "path"]).await;
    assert_eq!((before["path"].as_str(), &before["exists"]), (path.to_str(), &false.into()));
    cli.data(&["config", "init"]).await;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(cli.data(&["config", "path"]).await["exists"], true);
    let again = cli.run(&["config", "init"]).await;
    assert_eq!((again.code, again.error_code().as_str()), (4, "INVALID_INPUT"));
    // Every default of the comments is a valid value.
    let text = std::fs::read_to_string(&path).expect("it is text");
    let is_setting = |line: &&str| line.contains(" = ") && !line.ends_with("\"\"");
    let lines = text.lines().filter_map(|line| line.strip_prefix("# ")).filter(is_setting);
    let lines: Vec<_> = lines.filter(|line| !line.starts_with("db_")).collect();
    assert!(lines.len() > 30, "{text}");
    std::fs::write(&path, lines.join("\n")).expect("the home is ours");
    assert_eq!(cli.data(&["debate", "services", "start"]).await["status"], "started");
}

#[tokio::test]
async fn config_show_names_the_source_of_each_value_and_masks_secrets() {
    let machine = Machine::new();
    std::fs::create_dir(machine.home.path().join(".aweave")).expect("the home is ours");
    std::fs::write(file(&machine), "max_rounds = 7\n").expect("the home is ours");
    let cli = machine.cli().env("DEBATE_AUTO_RULING", "false").env("OPENAI_API_KEY", KEY);
    let rounds = shown(&cli, "DEBATE_MAX_ROUNDS").await;
    assert_eq!(rounds["value"], "7");
    assert_eq!(rounds["source"], format!("max_rounds in {}", file(&machine).display()));
    let ruling = shown(&cli, "DEBATE_AUTO_RULING").await;
    assert_eq!(
        (&ruling["value"], &ruling["source"]),
        (&"false".into(), &"DEBATE_AUTO_RULING".into())
    );
    assert_eq!(shown(&cli, "DEBATE_SERVER_PORT").await["source"], "the default");
    assert_eq!(shown(&cli, "OPENAI_API_KEY").await["value"], "(not shown)");
    for format in ["json", "markdown", "text"] {
        let output = cli.run(&["config", "show", "--format", format]).await;
        // Markdown escapes the underscores.
        assert!(output.out.replace('\\', "").contains("DEBATE_MAX_ROUNDS"), "{output:?}");
        assert!(!output.out.contains(KEY), "{output:?}");
    }
    std::fs::write(file(&machine), "max_rouns = 7\n").expect("the home is ours");
    let output = cli.run(&["config", "show"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    assert!(output.error()["message"].to_string().contains("max_rouns"), "{output:?}");
}

#[tokio::test]
async fn saved_key_is_private_not_echoed_and_used_by_the_server() {
    let machine = Machine::new();
    let cli = machine.cli();
    cli.data(&["config", "init"]).await;
    let terminal = cli.clone().env("TERM", "dumb");
    let line = "aw config set-key openai";
    let output = terminal.answer_in_terminal(line, "API key of openai: ", KEY).await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(!output.out.contains(KEY), "the key is not shown: {output:?}");
    assert_eq!(mode(&file(&machine)), 0o600);
    assert_eq!(shown(&cli, "OPENAI_API_KEY").await["value"], "(not shown)");
    let text = std::fs::read_to_string(file(&machine)).expect("it is text");
    assert!(text.contains("# server_port = 3456"), "comments are kept");
    let words = ["run", "start", "Tabs", "--no-start", "--model", "openai:gpt-4.1"];
    assert_eq!(cli.run(&words).await.code, 0, "the server has the provider");
}

#[tokio::test]
async fn key_from_standard_input_is_saved_in_a_new_private_file() {
    let machine = Machine::new();
    let cli = machine.cli();
    let words = ["config", "set-key", "anthropic"];
    let saved = cli.run_with(&words, format!("{KEY}\n").as_bytes()).await;
    assert_eq!(saved.data()["setting"], "ANTHROPIC_API_KEY");
    assert_eq!(mode(&file(&machine)), 0o600);
    for wrong in ["", "two words", "sk-\u{e9}"] {
        let output = cli.run_with(&words, wrong.as_bytes()).await;
        assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
        assert!(wrong.is_empty() || !output.out.contains(wrong), "{output:?}");
    }
    let text = std::fs::read_to_string(file(&machine)).expect("it is text");
    assert_eq!(text, format!("anthropic_api_key = \"{KEY}\"\n"));
}

#[tokio::test]
async fn cancelled_key_input_changes_nothing_and_restores_the_terminal() {
    let machine = Machine::new();
    let cli = machine.cli().env("TERM", "dumb");
    let line = "aw config set-key openai; stty -a";
    let output = cli.answer_in_terminal(line, "API key of openai: ", "sk-half\u{3}").await;
    let words: Vec<_> = output.out.split_whitespace().collect();
    assert!(words.contains(&"echo") && words.contains(&"icanon"), "{output:?}");
    assert!(!file(&machine).exists());
}
