//! The header `X-UI-Language`, and call details in turns.

use aw_testbed::{Model, ScriptStep};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Reply, Run, Server, with_model};

async fn command(run: &Run<'_>, command: &str, languages: &[&str]) -> Reply {
    let path = run.path(&format!("/{command}"));
    let mut request = run.server.request(Method::POST, &path).json(&json!({}));
    for language in languages {
        request = request.header("X-UI-Language", *language);
    }
    Reply::receive(request).await
}

async fn language(run: &Run<'_>) -> Value {
    run.debate().await["settings"]["output_language"].clone()
}

#[tokio::test]
async fn ui_language_is_applied_on_start_when_the_creation_left_it_out() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Tea", json!({ "max_rounds": 1 })).await;
    assert_eq!(language(&run).await, "en");
    let started = command(&run, "start", &["zh-TW"]).await;
    assert_eq!(started.json(), json!({ "enqueued": true }));
    run.until("completed").await;
    assert_eq!(language(&run).await, "zh-TW");
    let story = run.read().await;
    let verdict = story["turns"][2]["content"].as_str().expect("content is text");
    assert!(verdict.starts_with("勝者: A\n分數: A=7, B=5\n"), "{verdict}");
    let asked = model.requests();
    assert!(asked.iter().all(|asked| asked.data()["language"] == "zh-TW"), "{asked:?}");
}

#[tokio::test]
async fn ui_language_is_applied_on_resume_and_retry() {
    let error = json!({ "error": { "type": "invalid_request_error" } });
    let model = Model::start(move |_| ScriptStep::status("400 Bad Request", "", &error));
    let model = model.expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Tea", json!({})).await;
    command(&run, "start", &[]).await;
    run.until("failed").await;
    assert_eq!(language(&run).await, "en", "no header changes nothing");
    command(&run, "retry", &["zh-Hans"]).await;
    run.until("failed").await;
    assert_eq!(language(&run).await, "zh-Hans");
    command(&run, "resume", &["pt-BR"]).await;
    run.until("failed").await;
    assert_eq!(language(&run).await, "pt-BR");
    // A refused command changes nothing.
    command(&run, "cancel", &[]).await;
    let refused = command(&run, "start", &["de"]).await.json();
    assert_eq!(refused["enqueued"], false);
    assert_eq!(language(&run).await, "pt-BR");
}

#[tokio::test]
async fn ui_language_is_ignored_when_invalid_or_when_the_creation_named_one() {
    let server = Server::start().await;
    let settings =
        json!({ "max_rounds": 1, "model_debater": "demo:fast", "model_judge": "demo:fast" });
    for invalid in [
        &["not a tag"][..],
        &["zh_TW"],
        &["zh-TW,zh;q=0.9"],
        &[""],
        &["a-very-long-tag-that-is-more-than-35-letters"],
        &["de", "fr"],
    ] {
        let run = Run::create(&server, "Tea", settings.clone()).await;
        let started = command(&run, "start", invalid).await;
        assert_eq!(started.json(), json!({ "enqueued": true }), "{invalid:?}");
        assert_eq!(language(&run).await, "en", "{invalid:?}");
    }
    let mut named = settings.clone();
    named["output_language"] = json!("de");
    let run = Run::create(&server, "Tea", named).await;
    command(&run, "start", &["zh-TW"]).await;
    assert_eq!(language(&run).await, "de");
    // Null counts as left out.
    let mut null = settings;
    null["output_language"] = json!(null);
    let run = Run::create(&server, "Tea", null).await;
    command(&run, "start", &["zh-TW"]).await;
    assert_eq!(language(&run).await, "zh-TW");
}

#[tokio::test]
async fn every_turn_has_the_duration_of_its_call() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 1).await;
    let story = run.read().await;
    for turn in story["turns"].as_array().expect("turns are a list") {
        let took = turn["metadata"]["duration_ms"].as_u64();
        assert!(took.is_some_and(|took| took < 600_000), "{turn}");
        assert!(turn["metadata"]["usage_clipped"].is_null(), "absent unless clipped: {turn}");
    }
}
