//! The form that starts a run, over HTTP without a browser.

use serde_json::json;

use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Run, Server, Setup};

/// Form fields for one round of the fast demo.
fn fields<'f>(topic: &'f str, key: &'f str) -> Vec<(&'f str, &'f str)> {
    vec![
        ("client_request_id", key),
        ("topic", topic),
        ("model_debater_a", "demo:fast"),
        ("model_debater_b", "demo:fast"),
        ("model_judge", "demo:fast"),
        ("debater_a_side", "con"),
        ("judge_mode", "round"),
        ("output_language", "en"),
        ("max_rounds", "1"),
        ("max_runtime_seconds", "60"),
        ("max_total_output_tokens", "5000"),
        ("max_tokens_debater", "600"),
        ("max_tokens_judge", "400"),
    ]
}

#[tokio::test]
async fn repeated_form_starts_one_run() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let form = visitor.get("/runs/new").await.text;
    assert!(form.contains("<option value=\"demo:paced\">"), "{form}");
    assert!(form.contains("At most <strong>8000 output tokens</strong>"), "{form}");
    let key = hidden_field(&form, "client_request_id");
    let place = redirect_target(&visitor.post("/runs/new", &fields("Once", &key)).await).to_owned();
    let again = visitor.post("/runs/new", &fields("Once", &key)).await;
    assert_eq!(redirect_target(&again), place);
    let list = server.get("/runner/debates").await.json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    let id = place.strip_prefix("/runs/").expect("it is a run's page").to_owned();
    let run = Run { server: &server, id };
    run.until("completed").await;
    let whole = run.read().await;
    assert_eq!(whole["debate"]["topic"], "Once");
    assert_eq!(whole["debate"]["settings"]["debater_a_side"], "con");
    assert_eq!(whole["debate"]["settings"]["max_total_output_tokens"], 5000);
    let other = visitor.post("/runs/new", &fields("Other words", &key)).await;
    assert_eq!(other.status, 422);
    assert!(other.text.contains("\nOther words</textarea>"), "{}", other.text);
    assert_ne!(hidden_field(&other.text, "client_request_id"), key, "sent again, it is a new one");
}

#[tokio::test]
async fn invalid_form_is_shown_again_with_its_input() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let key = hidden_field(&visitor.get("/runs/new").await.text, "client_request_id");
    for (field, value, says) in [
        ("topic", "  ", "The topic must not be blank."),
        ("model_debater_b", "openai:<b>", "Debater B’s model"),
        ("model_judge", "nobody", "The judge’s model must be PROVIDER:MODEL"),
        ("output_language", "<en>", "The output language must be a language tag"),
        ("debater_a_side", "maybe", "The side of debater A must be one of pro, con."),
        ("max_rounds", "101", "The maximum number of rounds must be a whole number from 1 to 100."),
        ("max_rounds", "many", "The maximum number of rounds must be a whole number."),
        ("max_tokens_judge", "0", "The maximum number of tokens per judge turn must be a whole"),
    ] {
        let mut filled = fields("Kept <& sound>", &key);
        for (name, kept) in &mut filled {
            if *name == field {
                *kept = value;
            }
        }
        let reply = visitor.post("/runs/new", &filled).await;
        assert_eq!(reply.status, 400, "{says}");
        assert!(reply.text.contains(says), "{says}: {}", reply.text);
        assert!(reply.text.contains("aria-invalid=\"true\" aria-describedby=\"wrong\""), "{field}");
        assert_eq!(hidden_field(&reply.text, "client_request_id"), key, "still the same request");
        if field != "topic" {
            assert!(reply.text.contains("\nKept &#60;&#38; sound&#62;</textarea>"), "{field}");
        }
    }
    assert_eq!(server.get("/runner/debates").await.json(), json!([]), "nothing was begun");
}

const PRICES: &str = r#"
[provider.cheap]
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
price_input_per_million = 1
price_output_per_million = 2

[provider.dear]
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
price_input_per_million = 3
price_output_per_million = 15
"#;

#[tokio::test]
async fn estimate_shows_the_maximum_cost_of_the_input_and_starts_nothing() {
    let setup = Setup::new();
    let file = setup.home().path().join("aw.toml");
    std::fs::write(&file, PRICES).expect("the folder is ours");
    let server = setup.env("AW_CONFIG", &file.display().to_string()).start().await;
    let visitor = Visitor::at(&server);
    assert!(visitor.get("/runs/new").await.text.contains("<code>cheap:MODEL</code>"));
    for (a, judge, tokens, says) in [
        ("cheap:x", "dear:y", "100000", "at most <strong>1.500000 USD</strong>"),
        ("cheap:x", "cheap:y", "100000", "at most <strong>0.200000 USD</strong>"),
        ("cheap:x", "demo:fast", "100000", "has no price for some of these models"),
        ("demo:fast", "demo:fast", "7", "<strong>7 output tokens</strong>. Demo mode: no cost."),
        ("demo:fast", "demo:fast", "many", "enter the max output tokens per run"),
    ] {
        let filled = [
            ("step", "cost"),
            ("model_debater_a", a),
            ("model_debater_b", a),
            ("model_judge", judge),
            ("max_total_output_tokens", tokens),
        ];
        let reply = visitor.post("/runs/new", &filled).await;
        assert_eq!(reply.status, 200, "{says}");
        assert!(reply.text.contains(says), "{says}: {}", reply.text);
    }
    assert_eq!(server.get("/runner/debates").await.json(), json!([]));
}

#[tokio::test]
async fn form_without_a_valid_token_has_no_effect() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let run = Run::create(&server, "Mine", json!({})).await;
    for (path, filled) in [
        (format!("/runs/{}/start", run.id), vec![]),
        (format!("/runs/{}/cancel", run.id), vec![]),
        (format!("/runs/{}/delete", run.id), vec![]),
        ("/runs/new".to_owned(), fields("Foreign", "k")),
    ] {
        let visitor = Visitor::at(&server);
        assert_eq!(visitor.post_bare(&path, &filled).await.status, 403, "no cookie: {path}");
        visitor.get("/runs").await;
        let wrong = [&filled[..], &[("form_token", "0123456789abcdef0123456789abcdef")]].concat();
        assert_eq!(visitor.post_bare(&path, &wrong).await.status, 403, "another token: {path}");
    }
    assert_eq!(run.debate().await["status"], "created");
    let list = server.get("/runner/debates").await.json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
}
