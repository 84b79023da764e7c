//! The second layer: a model, asked about what no rule refuses.

use aw_testbed::{Model, ScriptStep};
use serde_json::json;

use super::agent::{Caller, id, problem, roomy};
use crate::support::Setup;

/// A server whose model is a command that says `answer`, and counts how often it was asked.
pub(crate) fn with_model(answer: &str) -> Setup {
    let setup = roomy();
    let home = setup.home().path().to_owned();
    let place = |name: &str| home.join(name).display().to_string();
    let (asked, said) = (place("asked"), place("answer"));
    let script = format!("cat > /dev/null; echo asked >> {asked}; cat {said}");
    std::fs::write(&said, answer).expect("the folder is ours");
    let file = home.join("aw.toml");
    let text = format!("[command.judge]\nargv = [\"sh\", \"-c\", \"{script}\"]\n");
    std::fs::write(&file, text).expect("the folder is ours");
    setup.env("AW_CONFIG", &file.display().to_string()).env("GUARDRAIL_MODEL", "command:judge")
}

pub(crate) fn answer(score: f64, risk: &str, decision: &str) -> String {
    json!({
        "alignment_score": score, "harm_risk": risk, "decision": decision,
        "reasoning": "It speaks of water.",
    })
    .to_string()
}

#[tokio::test]
async fn a_model_is_asked_once_for_the_same_text() {
    let setup = with_model(&answer(0.95, "low", "approve"));
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let mut shouted = problem();
    shouted["title"] = json!("WELLS  RUN DRY in late summer");
    let first = ada.make("/problems", &problem()).await;
    let second = bob.make("/problems", &shouted).await;
    let status = ada.decided(&first).await;
    assert_eq!(status["status"], "approved", "{status}");
    assert_eq!(status["layers"]["model"]["model"], "command:judge");
    assert_eq!(bob.decided(&second).await["status"], "approved");
    assert_ne!(id(&first), id(&second));
    let asked = std::fs::read_to_string(setup.home().path().join("asked")).expect("it was asked");
    assert_eq!(asked.lines().count(), 1);
}

#[tokio::test]
async fn a_model_can_hold_back_and_never_let_through() {
    for (said, status) in [
        (answer(0.95, "high", "approve"), "flagged"),
        (answer(0.95, "low", "reject"), "flagged"),
        (answer(0.5, "low", "approve"), "flagged"),
    ] {
        let server = with_model(&said).start().await;
        let ada = Caller::register(&server, "ada").await;
        let made = ada.make("/problems", &problem()).await;
        assert_eq!(ada.decided(&made).await["status"], status, "{said}");
    }
}

#[tokio::test]
async fn a_day_without_tokens_left_asks_a_human() {
    let setup = with_model(&answer(1.0, "low", "approve")).env("GUARDRAIL_DAILY_TOKENS", "100");
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = ada.make("/problems", &problem()).await;
    let status = ada.decided(&made).await;
    assert_eq!(status["status"], "flagged");
    assert!(
        status["reason"].as_str().is_some_and(|why| why.contains("daily token limit")),
        "{status}"
    );
    assert!(!setup.home().path().join("asked").exists(), "nobody was asked");
}

#[tokio::test]
async fn absurd_usage_does_not_use_up_the_classifiers_day() {
    let said = answer(1.0, "low", "approve");
    let huge = 1_000_000_000_000_000_000_u64;
    let usage = json!({ "prompt_tokens": huge, "completion_tokens": huge });
    let model = Model::start(move |_| {
        vec![ScriptStep::Say(said.clone()), ScriptStep::EndWith(usage.clone())]
    });
    let model = model.expect("a port is free");
    let server = roomy()
        .env("OPENAI_BASE_URL", model.url())
        .env("GUARDRAIL_MODEL", "openai:judge")
        .env("GUARDRAIL_DAILY_TOKENS", "100000")
        .start()
        .await;
    let ada = Caller::register(&server, "ada").await;
    for number in 1..=3 {
        let mut problem = problem();
        problem["title"] = json!(format!("Wells run dry in summer {number}"));
        let made = ada.make("/problems", &problem).await;
        let status = ada.decided(&made).await;
        assert_eq!(status["status"], "approved", "problem {number}: {status}");
    }
    assert_eq!(model.requests().len(), 3);
}
