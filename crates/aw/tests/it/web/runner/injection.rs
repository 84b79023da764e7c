//! Injection: topics and models' answers are known attack strings.

use std::sync::atomic::{AtomicUsize, Ordering};

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::json;

use crate::support::browser::Browser;
use crate::support::injection::{
    RECORDER, assert_harmless, assert_no_foreign_requests, attack_strings,
};
use crate::support::{Run, with_model};

/// The topic for which the model answers with every attack string in turn.
const ALL_ATTACKS: &str = "All of them";

/// A model that answers with the topic, also as a judge.
fn echo_model() -> Model {
    let (attempts, next) = (attack_strings(), AtomicUsize::new(0));
    let script = move |asked: &ModelRequest| {
        let topic = asked.topic();
        let words = if topic == ALL_ATTACKS {
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
async fn attack_strings_of_a_model_run_no_script_and_contact_no_other_host() {
    let model = echo_model();
    let server = with_model(&model).start().await;
    let mut runs = Vec::new();
    for attempt in attack_strings() {
        let topic: String = attempt.chars().take(2000).collect();
        let run = Run::create(&server, &topic, json!({ "max_rounds": 1 })).await;
        run.command("start").await;
        runs.push(run);
    }
    for run in &runs {
        run.until("completed").await;
    }
    let browser = Browser::open().await;
    let witness = json!({ "source": RECORDER });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.requested_urls().await;
    for page in ["/", "/runs"] {
        browser.visit(&format!("{}{page}", server.url)).await;
        assert_harmless(&browser, page).await;
    }
    for run in &runs {
        browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
        assert_eq!(browser.count(".turn").await, 3);
        assert_harmless(&browser, &run.id).await;
    }
    assert_no_foreign_requests(&browser, &server).await;

    // Live: as deltas, and then as a turn.
    let rounds = runs.len().div_ceil(3);
    let run = Run::create(&server, ALL_ATTACKS, json!({ "max_rounds": rounds })).await;
    browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
    browser.wait_for("live.textContent === 'Live'").await;
    run.command("start").await;
    let all = format!("document.querySelectorAll('.turn').length === {}", rounds * 3);
    browser.wait_for(&all).await;
    assert_harmless(&browser, "as it is said").await;
    assert_no_foreign_requests(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
