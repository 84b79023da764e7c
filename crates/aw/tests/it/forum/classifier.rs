//! The classifier: a model that evaluates what no rule rejects.

use aw_testbed::{Model, ScriptStep};
use serde_json::json;

use crate::support::Setup;
use crate::support::forum::{Caller, high_limits, id, problem};

/// A server whose classifier is a command that prints `answer` and counts its calls.
pub(crate) fn with_classifier(answer: &str) -> Setup {
    let setup = high_limits();
    let home = setup.home().path().to_owned();
    let place = |name: &str| home.join(name).display().to_string();
    let (asked, reply) = (place("asked"), place("answer"));
    let script = format!("cat > /dev/null; echo asked >> {asked}; cat {reply}");
    std::fs::write(&reply, answer).expect("the folder is ours");
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
async fn classifier_is_called_once_for_the_same_text() {
    let setup = with_classifier(&answer(0.95, "low", "approve"));
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let mut shouted = problem();
    shouted["title"] = json!("WELLS  RUN DRY in late summer");
    let first = ada.create("/problems", &problem()).await;
    let second = bob.create("/problems", &shouted).await;
    let status = ada.wait_for_decision(&first).await;
    assert_eq!(status["status"], "approved", "{status}");
    assert_eq!(status["layers"]["model"]["model"], "command:judge");
    assert_eq!(bob.wait_for_decision(&second).await["status"], "approved");
    assert_ne!(id(&first), id(&second));
    let asked = std::fs::read_to_string(setup.home().path().join("asked")).expect("it was asked");
    assert_eq!(asked.lines().count(), 1);
}

#[tokio::test]
async fn item_is_flagged_unless_the_classifier_approves_with_high_score_and_low_risk() {
    for (decision, status) in [
        (answer(0.95, "high", "approve"), "flagged"),
        (answer(0.95, "low", "reject"), "flagged"),
        (answer(0.5, "low", "approve"), "flagged"),
    ] {
        let server = with_classifier(&decision).start().await;
        let ada = Caller::register(&server, "ada").await;
        let made = ada.create("/problems", &problem()).await;
        assert_eq!(ada.wait_for_decision(&made).await["status"], status, "{decision}");
    }
}

#[tokio::test]
async fn items_are_flagged_when_the_classifiers_daily_tokens_are_used_up() {
    let setup =
        with_classifier(&answer(1.0, "low", "approve")).env("GUARDRAIL_DAILY_TOKENS", "100");
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = ada.create("/problems", &problem()).await;
    let status = ada.wait_for_decision(&made).await;
    assert_eq!(status["status"], "flagged");
    assert!(
        status["reason"].as_str().is_some_and(|why| why.contains("daily token limit")),
        "{status}"
    );
    assert!(!setup.home().path().join("asked").exists(), "the classifier was not called");
}

#[tokio::test]
async fn absurd_usage_report_does_not_use_up_the_classifiers_daily_tokens() {
    let decision = answer(1.0, "low", "approve");
    let huge = 1_000_000_000_000_000_000_u64;
    let usage = json!({ "prompt_tokens": huge, "completion_tokens": huge });
    let model = Model::start(move |_| {
        vec![ScriptStep::Say(decision.clone()), ScriptStep::EndWith(usage.clone())]
    });
    let model = model.expect("a port is free");
    let server = high_limits()
        .env("OPENAI_BASE_URL", model.url())
        .env("GUARDRAIL_MODEL", "openai:judge")
        .env("GUARDRAIL_DAILY_TOKENS", "100000")
        .start()
        .await;
    let ada = Caller::register(&server, "ada").await;
    for number in 1..=3 {
        let mut problem = problem();
        problem["title"] = json!(format!("Wells run dry in summer {number}"));
        let made = ada.create("/problems", &problem).await;
        let status = ada.wait_for_decision(&made).await;
        assert_eq!(status["status"], "approved", "problem {number}: {status}");
    }
    assert_eq!(model.requests().len(), 3);
}
