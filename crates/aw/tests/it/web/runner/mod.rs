//! The runner's pages.

mod export;
mod forms;
mod injection;
mod live;
mod pages;

use serde_json::json;

use crate::support::{Run, Server, Setup};

/// A server with a model that cannot be called.
pub(super) fn setup() -> Setup {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let absent = "[command.absent]\nargv = [\"/nowhere/absent\"]\n";
    std::fs::write(&file, absent).expect("the folder is ours");
    setup.env("AW_CONFIG", &file.display().to_string())
}

/// Creates runs of every kind; returns the ids of a completed and of a failed run.
pub(super) async fn create_examples(server: &Server) -> (String, String) {
    let demo = "demo:fast";
    for (topic, command) in [
        ("Is a monolith the better start?", Some("cancel")),
        ("Should tests be written first?", None),
    ] {
        let run = Run::create(server, topic, json!({})).await;
        if let Some(command) = command {
            run.command(command).await;
        }
    }
    // Too few tokens for a debater's turn: the answer is cut off.
    let settings = json!({
        "max_rounds": 4, "max_tokens_debater": 40, "model_debater": demo, "model_judge": demo,
    });
    let cut = Run::create(server, "Is shorter always better?", settings).await;
    cut.command("start").await;
    cut.until("completed").await;
    let topic = "Should a small team build its own tools or buy existing ones?";
    let settings = json!({ "max_rounds": 4, "model_debater": demo, "model_judge": demo });
    let run = Run::create(server, topic, settings).await;
    run.command("start").await;
    run.until("completed").await;
    let settings = json!({ "model_debater": demo, "model_debater_b": "command:absent" });
    let failed = Run::create(server, "Is a detailed plan worth the effort?", settings).await;
    failed.command("start").await;
    failed.until("failed").await;
    (run.id, failed.id)
}
