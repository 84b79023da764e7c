//! Cost of a run: every call counts, and money is reported only if all prices are configured.

use aw_testbed::{Model, ScriptStep};
use serde_json::json;

use crate::support::{Run, Setup, until};

fn with_config(model: &Model, text: &str) -> Setup {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    let text = text.replace("MODEL_URL", model.url());
    std::fs::write(&file, text).expect("the folder is ours");
    setup.env("AW_CONFIG", &file.display().to_string())
}

const TWO_PRICES: &str = r#"
[provider.cheap]
kind = "openai"
base_url = "MODEL_URL"
price_input_per_million = 0.15
price_output_per_million = 0.60

[provider.dear]
kind = "openai"
base_url = "MODEL_URL"
price_input_per_million = 3
price_output_per_million = 15
currency = "USD"

[provider.euro]
kind = "openai"
base_url = "MODEL_URL"
price_input_per_million = 1
price_output_per_million = 1
currency = "EUR"

[provider.free]
kind = "openai"
base_url = "MODEL_URL"
"#;

#[tokio::test]
async fn cost_is_reported_if_every_price_is_known_and_in_one_currency() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let server = with_config(&model, TWO_PRICES).start().await;
    let debaters = |a: &str, b: &str, judge: &str| {
        json!({ "max_rounds": 1, "model_debater_a": a, "model_debater_b": b,
                "model_judge": judge, "model_debater": a })
    };
    for (a, b, judge, money) in [
        ("cheap:x", "cheap:x", "dear:y", json!({ "amount": "0.000357", "currency": "USD" })),
        ("cheap:x", "cheap:y", "cheap:x", json!({ "amount": "0.000041", "currency": "USD" })),
        ("cheap:x", "euro:x", "cheap:x", json!(null)),
        ("cheap:x", "free:x", "cheap:x", json!(null)),
        ("free:x", "free:x", "free:x", json!(null)),
        ("euro:x", "euro:x", "euro:x", json!({ "amount": "0.000090", "currency": "EUR" })),
    ] {
        let run = Run::create(&server, "Prices", debaters(a, b, judge)).await;
        run.command("start").await;
        run.until("completed").await;
        let cost = run.read().await["cost"].clone();
        assert_eq!(cost["money"], money, "{a} {b} {judge}: {cost}");
        assert_eq!((&cost["calls"], &cost["unknown_calls"]), (&json!(3), &json!(0)));
        assert_eq!(cost["prompt_tokens"], 30);
        assert_eq!(cost["completion_tokens"], 60);
    }
}

#[tokio::test]
async fn failed_call_is_counted_and_its_error_is_shown_until_the_next_turn() {
    let error = json!({ "error": { "type": "overloaded_error" } });
    let model = Model::start(move |asked| match asked.number {
        1 => ScriptStep::status("503 Service Unavailable", "retry-after: 0\r\n", &error),
        // No JSON, and again none after the request to repair it.
        4 | 5 => ScriptStep::answer("I can't decide.", 30),
        _ => ScriptStep::debate(asked),
    });
    let model = model.expect("a port is free");
    let server = crate::support::with_model(&model).start().await;
    let run = Run::create(&server, "Faults", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    run.until("completed").await;
    let whole = run.read().await;
    assert_eq!(whole["debate"]["last_error"], json!(null), "it went well after all");
    let judge = &whole["turns"][2];
    assert_eq!(judge["metadata"]["verdict_valid"], false, "{judge}");
    assert_eq!(judge["metadata"]["winner"], "tie");
    assert_eq!(whole["cost"]["calls"], 5);
    assert_eq!(whole["cost"]["completion_tokens"], 20 + 20 + 30 + 30);
    let attempts = server.get(&run.path("/attempts")).await.json();
    let recorded: Vec<_> = attempts
        .as_array()
        .expect("a bare array")
        .iter()
        .map(|call| format!("{} {} {}", call["actor"], call["attempt"], call["outcome"]))
        .collect();
    assert_eq!(
        recorded,
        [
            r#""debater_a" 1 "error""#,
            r#""debater_a" 2 "ok""#,
            r#""debater_b" 1 "ok""#,
            r#""judge" 1 "ok""#,
            r#""judge" 2 "ok""#,
        ]
    );
    assert_eq!(model.requests().len(), 5, "every call is recorded, and no other");
}

#[tokio::test]
async fn attempt_is_listed_while_its_call_is_in_progress() {
    let gate = aw_testbed::Gate::new();
    let model = crate::runner::model_waiting_on("Wait", &gate);
    let server = crate::support::with_model(&model).start().await;
    let run = Run::create(&server, "Wait", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    until("it is asked", || async { !model.requests().is_empty() }).await;
    let call = server.get(&run.path("/attempts")).await.json()[0].clone();
    assert_eq!((&call["outcome"], &call["in_flight"]), (&json!("unknown"), &json!(true)));
    assert_eq!(call["finished_at"], json!(null));
    assert_eq!(call["usage"], json!({ "prompt_tokens": null, "completion_tokens": null }));
    assert_eq!(run.debate().await["spent_tokens"], 600, "it counts as all it is allowed");
    gate.open();
    run.until("completed").await;
    assert_eq!(run.debate().await["spent_tokens"], 60);
}

#[tokio::test]
async fn metrics_count_calls_and_tokens_by_provider_without_model_names() {
    let gate = aw_testbed::Gate::new();
    let (error, held) = (json!({ "error": { "type": "overloaded_error" } }), gate.clone());
    let model = Model::start(move |asked| match asked.number {
        1 => ScriptStep::status("503 Service Unavailable", "retry-after: 0\r\n", &error),
        2..=4 => ScriptStep::debate(asked),
        _ => vec![ScriptStep::Wait(held.clone())],
    });
    let model = model.expect("a port is free");
    let server = crate::support::with_model(&model).start().await;
    let whole = Run::create(&server, "Once", json!({ "max_rounds": 1 })).await;
    whole.command("start").await;
    whole.until("completed").await;
    let broken_off = Run::create(&server, "Never", json!({ "max_rounds": 1 })).await;
    broken_off.command("start").await;
    until("it is asked", || async { model.requests().len() == 5 }).await;
    broken_off.command("cancel").await;
    let figures = || async { server.get("/metrics").await.text };
    let given_up = r#"aw_model_calls_total{provider="openai",outcome="given_up"} 1"#;
    until("the call is given up", || async { figures().await.contains(given_up) }).await;
    let figures = figures().await;
    for line in [
        r#"aw_model_calls_total{provider="openai",outcome="failed"} 1"#,
        r#"aw_model_calls_total{provider="openai",outcome="complete"} 3"#,
        r#"aw_model_tokens_total{provider="openai",kind="prompt"} 30"#,
        r#"aw_model_tokens_total{provider="openai",kind="completion"} 60"#,
        r#"aw_model_call_seconds_count{provider="openai"} 5"#,
    ] {
        assert!(figures.contains(line), "{line} is missing from {figures}");
    }
    assert!(!figures.contains("imitated"), "{figures}");
    gate.open();
}
