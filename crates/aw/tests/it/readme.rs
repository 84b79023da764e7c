//! The README is true: its five-minute debate is run as it stands.

use crate::support::{Cli, Server, Setup, Told, until};

const README: &str = include_str!("../../../../README.md");

#[tokio::test]
async fn the_five_minute_debate_runs_as_written() {
    let server = Server::start().await;
    let section = README.split("## A debate in five minutes").nth(1).expect("it is there");
    let script = section.split("```sh\n").nth(1).expect("it has a script");
    let script = script.split("```").next().expect("the script ends");
    assert!(script.starts_with("AW=http://127.0.0.1:3456\n"), "it talks to the default address");
    let script = script.replacen("http://127.0.0.1:3456", &server.url, 1);
    let mut bash = tokio::process::Command::new("bash");
    let output = bash.args(["-euo", "pipefail", "-c", &script]).output().await.expect("bash runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown} {}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<serde_json::Value> =
        shown.lines().map(|line| serde_json::from_str(line).expect("each is JSON")).collect();
    let [waited, refused, resolved, kept] = answers.as_slice() else {
        panic!("four answers are shown: {shown}");
    };
    assert_eq!(waited["data"]["action"], "respond");
    assert_eq!(refused["error"]["code"], "ACTION_NOT_ALLOWED");
    assert_eq!(resolved["data"]["debate"]["state"], "CLOSED");
    assert_eq!(kept["data"]["arguments"].as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn the_debate_that_runs_itself_runs_as_written() {
    let server = Setup::new()
        .env("RUNNER_MODEL_DEBATER", "demo:fast")
        .env("RUNNER_MODEL_JUDGE", "demo:fast")
        .start()
        .await;
    let section = README.split("## Debates that run themselves").nth(1).expect("it is there");
    let script = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    let script = script.expect("it has a script").replacen("http://127.0.0.1:3456", &server.url, 1);
    let mut bash = tokio::process::Command::new("bash");
    let output = bash.args(["-euo", "pipefail", "-c", &script]).output().await.expect("bash runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown} {}", String::from_utf8_lossy(&output.stderr));
    assert!(shown.starts_with("{\"enqueued\":true}\n"), "{shown}");
    assert_eq!(shown.matches("event: turn\n").count(), 3, "{shown}");
    assert!(shown.ends_with("event: end\ndata: {\"reason\":\"debate_completed\"}\n\n"), "{shown}");
}

#[tokio::test]
async fn the_forums_first_problem_is_seen_as_written() {
    // Looked at again and again further down, so the limit is high.
    let setup = Setup::new().env("FORUM_RATE_LIMIT_ANONYMOUS", "1000");
    let server = setup.env("GUARDRAIL_AUTO_APPROVE", "true").start().await;
    let section = README.split("## A forum for agents").nth(1).expect("it is there");
    let script = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    let script = script.expect("it has a script").replacen("http://127.0.0.1:3456", &server.url, 1);
    let mut bash = tokio::process::Command::new("bash");
    let output = bash.args(["-euo", "pipefail", "-c", &script]).output().await.expect("bash runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<serde_json::Value> =
        shown.lines().map(|line| serde_json::from_str(line).expect("each is JSON")).collect();
    let [brought, listed] = answers.as_slice() else { panic!("two answers are shown: {shown}") };
    assert_eq!(brought["data"]["guardrailStatus"], "pending", "{shown}");
    // It is examined in the meantime or right after.
    assert_eq!(listed["ok"], true, "{shown}");
    until("the problem is public", || async {
        let problems = server.get("/api/v1/problems").await.json();
        problems["data"][0]["title"] == "Clean water for small villages"
    })
    .await;
}

#[tokio::test]
async fn the_forum_on_the_command_line_runs_as_written() {
    let server = Setup::new().env("GUARDRAIL_AUTO_APPROVE", "true").start().await;
    let section = README.split("## A forum for agents").nth(1).expect("it is there");
    let script = section.split("```sh\n").nth(2).and_then(|rest| rest.split("```").next());
    let mut bash = Cli::at(&server).program("bash");
    bash.args(["-euo", "pipefail", "-c", script.expect("it has a second script")]);
    let told = Told::of(bash).await;
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("second_agent questions"), "{told:?}");
    assert!(told.out.contains("┃ How much rain falls on those roofs"), "{told:?}");
    assert!(!told.out.contains("awk_"), "the key stays in its file");
}

#[tokio::test]
async fn the_first_debate_to_see_is_seen_as_written() {
    let fast = Setup::new().env("RUNNER_MODEL_DEBATER", "demo:fast");
    let server = fast.env("RUNNER_MODEL_JUDGE", "demo:fast").start().await;
    let section = README.split("Then see a debate").nth(1).expect("it is there");
    let script = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut bash = Cli::at(&server).program("bash");
    bash.args(["-euc", script.expect("it has a script")]);
    let told = Told::of(bash).await;
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(told.out.matches("\"event\":\"turn\"").count(), 15, "five rounds of three");
}

#[test]
fn every_setting_is_in_the_readme_and_the_other_way_round() {
    let config = concat!(
        include_str!("../../src/config/mod.rs"),
        include_str!("../../src/config/file.rs"),
        include_str!("../../src/config/forum.rs"),
        include_str!("../../src/config/models.rs"),
        include_str!("../../src/config/runner.rs"),
    );
    let is_setting = |word: &&str| {
        let families = ["DEBATE_", "RUNNER_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "OLLAMA_"];
        let forum = ["GUARDRAIL_", "FORUM_", "TRUSTED_"];
        let mut all = families.iter().chain(&forum);
        all.any(|family| word.strip_prefix(family).is_some_and(|rest| !rest.is_empty()))
    };
    let names = |text: &'static str| {
        text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'))
            .filter(is_setting)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let settings = README.split("## Settings").nth(1).expect("it is there");
    let settings = settings.split("\n## ").next().expect("it ends");
    assert_eq!(names(settings), names(config));
}

#[tokio::test]
async fn the_two_terminals_hold_their_debate_as_written() {
    let server = Server::start().await;
    let section = README.split("## Two agents in two terminals").nth(1).expect("it is there");
    let mut scripts = section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let (first, second) = (scripts.next().expect("one"), scripts.next().expect("another"));
    let cli = Cli::at(&server);
    let terminal = |script: &str| {
        let mut bash = cli.program("bash");
        bash.args(["-euo", "pipefail", "-c", script]);
        bash
    };
    let proposer = terminal(first).spawn().expect("bash runs");
    until("it is open", || async { server.get("/debates").await.data()["total"] == 1 }).await;
    let opponent = Told::of(terminal(second)).await;
    assert_eq!(opponent.code, 0, "{opponent:?}");
    assert!(opponent.out.contains("RESOLUTION by the proposer"), "{opponent:?}");
    let proposer = Told::from(proposer.wait_with_output().await.expect("it is our own child"));
    assert_eq!(proposer.data()["debate_state"], "CLOSED");
}
