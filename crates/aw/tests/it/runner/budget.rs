//! Daily limits on tokens and cost hold, whatever usage providers report.

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::support::{Run, Server, Setup, until, with_model};

/// Usage reports of a broken or malicious provider.
pub(crate) fn adversarial_reports() -> [(&'static str, Value); 7] {
    let huge = 1_000_000_000_000_000_000_u64;
    [
        ("10^18 completion tokens", json!({ "prompt_tokens": 10, "completion_tokens": huge })),
        (
            "300 million prompt tokens",
            json!({ "prompt_tokens": 300_000_000, "completion_tokens": 5 }),
        ),
        ("zero", json!({ "prompt_tokens": 0, "completion_tokens": 0 })),
        ("negative", json!({ "prompt_tokens": -7, "completion_tokens": -9 })),
        ("missing", Value::Null),
        ("beyond 64 bits", json!({ "prompt_tokens": 1e30, "completion_tokens": 1e300 })),
        ("no numbers", json!({ "prompt_tokens": "many", "completion_tokens": [1] })),
    ]
}

/// A model that plays a run and reports this usage for every call.
pub(crate) fn model_reporting_usage(
    usage: impl Fn(&ModelRequest) -> Value + Send + Sync + 'static,
) -> Model {
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        plays.pop();
        plays.push(ScriptStep::EndWith(usage(asked)));
        plays
    };
    Model::start(script).expect("a port is free")
}

/// The usage booked on all days: tokens, and billionths of a USD.
pub(crate) fn booked_usage(setup: &Setup) -> (i64, i64) {
    let sums = "select cast(coalesce(sum(spent), 0) as bigint), \
                cast(coalesce(sum(cost), 0) as bigint) from run_days";
    let numbers = setup.home().query_numbers(sums);
    (numbers[0], numbers[1])
}

/// A setup whose default model `priced:x` costs 3 USD for a million prompt tokens and 15 USD for
/// a million completion tokens.
pub(crate) fn with_prices(setup: Setup, model: &Model) -> Setup {
    let text = format!(
        "[provider.priced]\nkind = \"openai\"\nbase_url = \"{}\"\n\
         price_input_per_million = 3\nprice_output_per_million = 15\n",
        model.url()
    );
    with_config(setup, &text)
        .env("RUNNER_MODEL_DEBATER", "priced:x")
        .env("RUNNER_MODEL_JUDGE", "priced:x")
}

fn with_config(setup: Setup, text: &str) -> Setup {
    let file = setup.home().path().join("aw.toml");
    std::fs::write(&file, text).expect("the folder is ours");
    setup.env("AW_CONFIG", &file.display().to_string())
}

async fn start_runs<'s>(server: &'s Server, count: usize, settings: &Value) -> Vec<Run<'s>> {
    let mut runs = Vec::new();
    for number in 0..count {
        let run = Run::create(server, &format!("Tea {number}"), settings.clone()).await;
        assert_eq!(run.command("start").await.json(), json!({ "enqueued": true }));
        runs.push(run);
    }
    runs
}

/// Waits until a run has stopped; returns its last error.
async fn last_error(run: &Run<'_>) -> Option<String> {
    let is_over = |status: &Value| status == "completed" || status == "failed";
    until("the run rests", || async { is_over(&run.debate().await["status"]) }).await;
    run.debate().await["last_error"].as_str().map(str::to_owned)
}

async fn assert_attempts_are_within_bounds(run: &Run<'_>) -> bool {
    let attempts = run.server.get(&run.path("/attempts")).await.json();
    let mut any_clipped = false;
    for attempt in attempts.as_array().expect("attempts are a list") {
        let completion = attempt["usage"]["completion_tokens"].as_u64();
        assert!(completion <= attempt["max_tokens"].as_u64(), "{attempt}");
        assert!(attempt["usage"]["prompt_tokens"].as_u64() < Some(20_000), "{attempt}");
        let clipped = &attempt["usage_clipped"];
        assert!(clipped.is_null() || *clipped == json!(true), "absent or true: {attempt}");
        any_clipped |= *clipped == json!(true);
    }
    let turns = run.read().await["turns"].clone();
    let is_marked = |turn: &Value| turn["metadata"]["usage_clipped"] == json!(true);
    let marked = turns.as_array().expect("turns are a list").iter().any(is_marked);
    assert!(!marked || any_clipped, "a turn is marked and no attempt is: {turns}");
    any_clipped
}

#[tokio::test]
async fn daily_tokens_are_never_exceeded_by_adversarial_usage_reports() {
    const LIMIT: i64 = 12_000;
    for (name, report) in adversarial_reports() {
        let is_clipped = ["10^18 completion tokens", "300 million prompt tokens"].contains(&name);
        let is_zero = name == "zero";
        let model = model_reporting_usage(move |_| report.clone());
        let setup = with_model(&model).env("RUNNER_DAILY_TOKENS", &LIMIT.to_string());
        let server = setup.start().await;
        let runs = start_runs(&server, 4, &json!({ "max_rounds": 2 })).await;
        let mut refused = 0;
        for run in &runs {
            if let Some(error) = last_error(run).await {
                assert!(error.contains("RUNNER_DAILY_TOKENS"), "{name}: {error}");
                refused += 1;
            }
            let clipped = assert_attempts_are_within_bounds(run).await;
            assert!(!clipped || is_clipped, "{name}: nothing to clip");
        }
        let (tokens, _) = booked_usage(&setup);
        assert!(tokens <= LIMIT, "{name}: {tokens} tokens are booked");
        assert!(!model.requests().is_empty(), "{name}: calls that fit are made");
        assert_eq!(tokens == 0, is_zero, "{name}: {tokens} tokens are booked");
        assert!(refused > 0 || is_zero, "{name}: no run came up against the limit");
        // The demo is exempt: it runs when the day's limit is used up.
        Run::complete_demo(&server, 1).await;
        assert_eq!(booked_usage(&setup).0, tokens, "{name}: the demo is not booked");
    }
}

#[tokio::test]
async fn daily_cost_is_never_exceeded_by_adversarial_usage_reports() {
    const LIMIT: i64 = 40_000_000;
    for (name, report) in adversarial_reports() {
        let is_zero = name == "zero";
        let model = model_reporting_usage(move |_| report.clone());
        let setup = with_prices(Setup::new(), &model).env("RUNNER_DAILY_COST", "0.04");
        let server = setup.start().await;
        let runs = start_runs(&server, 4, &json!({ "max_rounds": 2 })).await;
        let mut refused = 0;
        for run in &runs {
            if let Some(error) = last_error(run).await {
                assert!(error.contains("RUNNER_DAILY_COST"), "{name}: {error}");
                refused += 1;
            }
        }
        let (_, cost) = booked_usage(&setup);
        assert!(cost <= LIMIT, "{name}: {cost} billionths are booked");
        assert!(!model.requests().is_empty(), "{name}: calls that fit are made");
        assert_eq!(cost == 0, is_zero, "{name}: {cost} billionths are booked");
        assert!(refused > 0 || is_zero, "{name}: no run came up against the limit");
    }
}

#[tokio::test]
async fn absurd_usage_report_of_one_call_does_not_use_up_the_daily_tokens() {
    let absurd = json!({ "prompt_tokens": 10, "completion_tokens": 1_000_000_000_000_000_000_u64 });
    let usual = json!({ "prompt_tokens": 10, "completion_tokens": 20 });
    let model =
        model_reporting_usage(
            move |asked| if asked.number == 1 { absurd.clone() } else { usual.clone() },
        );
    let server = with_model(&model).env("RUNNER_DAILY_TOKENS", "20000").start().await;
    let runs = start_runs(&server, 3, &json!({ "max_rounds": 1 })).await;
    for run in &runs {
        assert_eq!(last_error(run).await, None, "it completes");
    }
    let clipped = [
        assert_attempts_are_within_bounds(&runs[0]).await,
        assert_attempts_are_within_bounds(&runs[1]).await,
        assert_attempts_are_within_bounds(&runs[2]).await,
    ];
    assert_eq!(clipped.iter().filter(|clipped| **clipped).count(), 1, "one call is marked");
}

#[tokio::test]
async fn limited_cost_refuses_runs_with_models_that_have_no_price_in_usd() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let text = format!(
        "[provider.unpriced]\nkind = \"openai\"\nbase_url = \"{url}\"\n\
         [provider.euro]\nkind = \"openai\"\nbase_url = \"{url}\"\n\
         price_input_per_million = 1\nprice_output_per_million = 1\ncurrency = \"EUR\"\n\
         [provider.free]\nkind = \"openai\"\nbase_url = \"{url}\"\n\
         price_input_per_million = 0\nprice_output_per_million = 0\n\
         [command.plain]\nargv = [\"cat\"]\n\
         [command.priced]\nargv = [\"sh\", \"-c\", \"cat > /dev/null; echo Yes.\"]\n\
         price_input_per_million = 0\nprice_output_per_million = 0.5\n",
        url = model.url()
    );
    let setup = with_config(Setup::new(), &text);
    let unlimited = setup.start().await;
    let with =
        |model: &str| json!({ "max_rounds": 1, "model_debater": model, "model_judge": "free:x" });
    let before = Run::create(&unlimited, "Tea", with("unpriced:x")).await.id;
    drop(unlimited);
    let limited = setup.env("RUNNER_DAILY_COST", "0.5").start().await;
    for name in ["unpriced:x", "euro:x", "command:plain"] {
        let body = json!({ "topic": "Tea", "settings": with(name) });
        let reply = limited.post("/runner/debates", &body).await;
        assert_eq!(reply.status, 422, "{name}: {}", reply.text);
        let failure = reply.json();
        assert_eq!(failure["error"]["field"], "model_debater", "{failure}");
        let detail = failure["detail"].as_str().expect("it says why");
        assert!(detail.contains(name) && detail.contains("RUNNER_DAILY_COST"), "{detail}");
    }
    let before = Run { server: &limited, id: before };
    for command in ["start", "resume"] {
        let answer = before.command(command).await.json();
        assert_eq!(answer["enqueued"], false, "{answer}");
        let reason = answer["reason"].as_str().expect("it says why");
        assert!(reason.contains("unpriced:x has no price in USD"), "{reason}");
    }
    assert_eq!(before.debate().await["status"], "created");
    for name in ["free:x", "demo:fast", "command:priced"] {
        let run = Run::create(&limited, "Tea", with(name)).await;
        assert_eq!(run.command("start").await.json(), json!({ "enqueued": true }), "{name}");
        assert_eq!(last_error(&run).await, None, "{name}");
    }
    assert!(!model.requests().is_empty());
}

#[tokio::test]
async fn retry_of_a_failed_run_is_refused_while_its_model_has_no_price() {
    let error = json!({ "error": { "type": "invalid_request_error" } });
    let model = Model::start(move |_| ScriptStep::status("400 Bad Request", "", &error));
    let model = model.expect("a port is free");
    let setup = with_model(&model);
    let unlimited = setup.start().await;
    let run = Run::create(&unlimited, "Tea", json!({})).await;
    run.command("start").await;
    run.until("failed").await;
    let id = run.id.clone();
    drop(unlimited);
    let limited = setup.env("RUNNER_DAILY_COST", "1").start().await;
    let run = Run { server: &limited, id };
    let answer = run.command("retry").await.json();
    assert_eq!(answer["enqueued"], false, "{answer}");
    assert!(answer["reason"].to_string().contains("no price in USD"), "{answer}");
    assert!(limited.log().contains("default model has no price; its runs are refused"));
}

#[tokio::test]
async fn call_of_unknown_outcome_keeps_its_reservation_after_a_crash() {
    let gate = aw_testbed::Gate::new();
    let model = crate::runner::model_waiting_on("Wait", &gate);
    let setup = with_prices(Setup::new(), &model).env("RUNNER_ON_UNKNOWN", "hold");
    let server = setup.clone().env("RUNNER_LEASE_SECONDS", "1").start().await;
    let run = Run::create(&server, "Wait", json!({})).await;
    run.command("start").await;
    until("the model is asked", || async { !model.requests().is_empty() }).await;
    let reserved = booked_usage(&setup);
    let id = run.id.clone();
    server.kill().await;
    let server = setup.start().await;
    let run = Run { server: &server, id };
    run.until("failed").await;
    assert_eq!(booked_usage(&setup), reserved);
    let (tokens, cost) = reserved;
    let prompt = tokens - 600;
    assert!(prompt > 500, "the prompt's bytes are reserved: {tokens}");
    assert_eq!(cost, prompt * 3000 + 600 * 15_000);
    gate.open();
}
