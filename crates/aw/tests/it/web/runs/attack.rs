//! Topics and models' answers, filled with what has broken other sites.

use std::sync::atomic::{AtomicUsize, Ordering};

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::json;

use super::super::Browser;
use super::super::attack::{WITNESS, attempts, called_nobody, is_harmless};
use crate::support::{Run, with_model};

/// A topic on which every attempt is said in turn.
const ALL: &str = "All of them";

/// A model that answers with the topic itself, judges included.
fn parrot() -> Model {
    let (attempts, next) = (attempts(), AtomicUsize::new(0));
    let script = move |asked: &ModelRequest| {
        let topic = asked.topic();
        let words = if topic == ALL {
            let place = next.fetch_add(1, Ordering::Relaxed);
            attempts[place % attempts.len()].clone()
        } else {
            topic
        };
        if asked.is_for_judge() {
            let verdict = json!({
                "summary": words, "score_a": 7, "score_b": 5, "winner": "a",
                "no_new_substantive_arguments": false,
            });
            return ScriptStep::answer(&verdict.to_string(), 20);
        }
        ScriptStep::answer(&words, 20)
    };
    Model::start(script).expect("a port is free")
}

#[tokio::test]
async fn nothing_that_a_model_says_runs_or_calls_home() {
    let model = parrot();
    let server = with_model(&model).start().await;
    let mut runs = Vec::new();
    for attempt in attempts() {
        let topic: String = attempt.chars().take(2000).collect();
        let run = Run::create(&server, &topic, json!({ "max_rounds": 1 })).await;
        run.command("start").await;
        runs.push(run);
    }
    for run in &runs {
        run.until("completed").await;
    }
    let browser = Browser::open().await;
    let witness = json!({ "source": WITNESS });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.requested().await;
    for page in ["/", "/runs"] {
        browser.visit(&format!("{}{page}", server.url)).await;
        is_harmless(&browser, page).await;
    }
    for run in &runs {
        browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
        assert_eq!(browser.count(".turn").await, 3);
        is_harmless(&browser, &run.id).await;
    }
    called_nobody(&browser, &server).await;

    // As it is said: over the stream, and then as a turn.
    let rounds = runs.len().div_ceil(3);
    let run = Run::create(&server, ALL, json!({ "max_rounds": rounds })).await;
    browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
    browser.wait_for("live.textContent === 'Live'").await;
    run.command("start").await;
    let all = format!("document.querySelectorAll('.turn').length === {}", rounds * 3);
    browser.wait_for(&all).await;
    is_harmless(&browser, "as it is said").await;
    called_nobody(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
