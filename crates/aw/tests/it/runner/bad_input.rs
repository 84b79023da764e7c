//! Malformed requests to the runner: each gets a 4xx whose `detail` names the field.

use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Record, Reply, Server, Setup};

async fn send_raw(server: &Server, content_type: Option<&str>, body: &[u8]) -> Reply {
    let request = server.request(Method::POST, "/runner/debates").body(body.to_vec());
    Reply::receive(match content_type {
        Some(kind) => request.header("content-type", kind),
        None => request,
    })
    .await
}

#[tokio::test]
async fn each_invalid_field_is_named_with_the_values_it_accepts() {
    let server = Server::start().await;
    let mut record = Record::default();
    for (what, topic) in [
        ("a number", json!(7)),
        ("null", Value::Null),
        ("blank", json!(" \n")),
        ("too long", json!("é".repeat(2001))),
        ("with NUL", json!("a\u{0}b")),
    ] {
        let reply = server.post("/runner/debates", &json!({ "topic": topic })).await;
        record.note(&format!("topic {what}"), &reply);
    }
    record.note("no topic", &server.post("/runner/debates", &json!({})).await);
    let settings = [
        ("settings", json!([])),
        ("settings", json!("fast")),
        ("debater_a_side", json!("both")),
        ("debater_a_side", json!(1)),
        ("output_language", json!("english please")),
        ("output_language", json!(["en"])),
        ("judge_mode", json!("never")),
        ("judge_mode", json!(true)),
        ("max_rounds", json!(0)),
        ("max_rounds", json!(101)),
        ("max_rounds", json!(-1)),
        ("max_rounds", json!(2.5)),
        ("max_rounds", json!("5")),
        ("max_rounds", json!(1e30)),
        ("max_runtime_seconds", json!(0)),
        ("max_runtime_seconds", json!(86401)),
        ("max_runtime_seconds", json!({})),
        ("max_total_output_tokens", json!(0)),
        ("max_total_output_tokens", json!(2_000_001)),
        ("max_total_output_tokens", json!(i64::MAX)),
        ("max_tokens_debater", json!(0)),
        ("max_tokens_debater", json!(20_001)),
        ("max_tokens_judge", json!(0)),
        ("max_tokens_judge", json!(20_001)),
        ("model_debater", json!("gpt-4.1")),
        ("model_debater", json!("openai:gpt-4.1")),
        ("model_debater_a", json!("demo:slow")),
        ("model_debater_b", json!("command:rm")),
        ("model_judge", json!(7)),
        ("model_judge", json!("demo:fast\n")),
        ("prompt_version", json!("v0")),
        ("prompt_version", json!(1)),
        ("rounds", json!(3)),
        ("Max_Rounds", json!(3)),
        ("", json!(3)),
    ];
    for (field, value) in settings {
        let what = format!("{field} = {value}");
        let settings = if field == "settings" { value } else { json!({ field: value }) };
        let body = json!({ "topic": "t", "settings": settings });
        record.note(&what, &server.post("/runner/debates", &body).await);
    }
    assert_snapshot!(record.render());
    assert_eq!(server.get("/runner/debates").await.json(), json!([]), "nothing was written");
}

#[tokio::test]
async fn values_at_the_limits_and_explicit_nulls_are_accepted() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let extremes = [
        json!({ "max_rounds": 1, "max_runtime_seconds": 1, "max_total_output_tokens": 1,
                "max_tokens_debater": 1, "max_tokens_judge": 1, "output_language": "zh-Hant-TW",
                "debater_a_side": "con", "judge_mode": "end" }),
        json!({ "max_rounds": 100, "max_runtime_seconds": 86400, "prompt_version": "v1",
                "max_total_output_tokens": 2_000_000, "max_tokens_debater": 20_000,
                "max_tokens_judge": 20_000 }),
        json!({ "debater_a_side": null, "output_language": null, "judge_mode": null,
                "max_rounds": null, "max_runtime_seconds": null, "max_total_output_tokens": null,
                "max_tokens_debater": null, "max_tokens_judge": null, "model_debater": null,
                "model_debater_a": null, "model_debater_b": null, "model_judge": null,
                "prompt_version": null }),
        Value::Null,
        json!({ "model_debater": "demo:fast", "model_debater_b": "demo:paced" }),
    ];
    let mut record = Record::default();
    for settings in extremes {
        let body =
            json!({ "topic": "é".repeat(2000), "settings": settings, "status": "completed" });
        let mut reply = server.post("/runner/debates", &body).await;
        assert_eq!(reply.json()["topic"], "é".repeat(2000));
        reply.text = reply.text.replace(&"é".repeat(2000), "é × 2000");
        record.note(&effective_settings(&body["settings"]), &reply);
    }
    assert_snapshot!(record.render());
}

fn effective_settings(settings: &Value) -> String {
    match settings.as_object() {
        Some(fields) if fields.values().all(Value::is_null) => "every key null".to_owned(),
        Some(_) | None => settings.to_string(),
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_refused() {
    let server = Server::start().await;
    let json = Some("application/json");
    let deep = format!("{{\"topic\":{}{}}}", "[".repeat(4000), "]".repeat(4000));
    let large = format!("{{\"topic\":\"{}\"}}", "x".repeat(200_000));
    let long_name = format!("{{\"topic\":\"t\",\"settings\":{{\"{}\":1}}}}", "k".repeat(5000));
    let mut record = Record::default();
    for (what, content_type, body) in [
        ("no body", None, ""),
        ("not called JSON", Some("text/plain"), "{\"topic\":\"t\"}"),
        ("an array", json, "[\"t\"]"),
        ("cut short", json, "{\"topic\":\"t\""),
        ("no JSON at all", json, "topic=t"),
        ("two objects", json, "{\"topic\":\"t\"} {}"),
        ("a key twice", json, "{\"topic\":\"t\",\"topic\":\"u\"}"),
        (
            "a setting twice",
            json,
            "{\"topic\":\"t\",\"settings\":{\"max_rounds\":1,\"max_rounds\":2}}",
        ),
        ("too deep", json, deep.as_str()),
        ("too large", json, large.as_str()),
        ("a very long name", json, long_name.as_str()),
    ] {
        record.note(what, &send_raw(&server, content_type, body.as_bytes()).await);
    }
    record.note("not UTF-8", &send_raw(&server, json, b"{\"topic\":\"\xff\"}").await);
    assert_eq!(server.get("/runner/debates").await.json(), json!([]), "nothing was written");
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn unusual_paths_methods_and_queries_are_answered_in_the_runners_error_format() {
    let server = Server::start().await;
    let mut record = Record::default();
    for (method, path) in [
        (Method::GET, "/runner"),
        (Method::GET, "/runner/"),
        (Method::GET, "/runner/nothing"),
        (Method::GET, "/runnerless"),
        (Method::PUT, "/runner/debates"),
        (Method::PATCH, "/runner/debates/x"),
        (Method::GET, "/runner/debates/x/start"),
        (Method::GET, "/runner/debates?limit=0"),
        (Method::GET, "/runner/debates?limit=201"),
        (Method::GET, "/runner/debates?limit=-1"),
        (Method::GET, "/runner/debates?limit=ten"),
        (Method::GET, "/runner/debates?limit=1&limit=2"),
        (Method::GET, "/runner/debates?status=RUNNING"),
        (Method::GET, "/runner/debates?status=closed"),
        (Method::GET, "/runner/debates?cursor=next"),
        (Method::GET, "/runner/debates?cursor=%FF"),
        (
            Method::GET,
            "/runner/debates?cursor=99999999999999999999-01890a5d-ac96-774b-bcce-b302099a8057",
        ),
    ] {
        let reply = Reply::receive(server.request(method.clone(), path)).await;
        record.note(&format!("{method} {path}"), &reply);
    }
    for path in ["/runner/debates?limit=1", "/runner/debates?limit=200", "/runner/debates?status="]
    {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn requests_without_the_token_reveal_and_change_nothing() {
    let server = Setup::new().env("DEBATE_AUTH_TOKEN", "s3cret").start().await;
    let id = crate::support::new_id();
    let mut record = Record::default();
    for (method, path) in [
        (Method::GET, "/runner/debates".to_owned()),
        (Method::POST, "/runner/debates".to_owned()),
        (Method::GET, format!("/runner/debates/{id}")),
        (Method::DELETE, format!("/runner/debates/{id}")),
        (Method::POST, format!("/runner/debates/{id}/start")),
        (Method::POST, format!("/runner/debates/{id}/resume")),
        (Method::POST, format!("/runner/debates/{id}/retry")),
        (Method::POST, format!("/runner/debates/{id}/stop")),
        (Method::POST, format!("/runner/debates/{id}/cancel")),
        (Method::GET, format!("/runner/debates/{id}/attempts")),
        (Method::GET, format!("/runner/debates/{id}/events")),
        (Method::GET, format!("/runner/debates/{id}/events?token=s3cret")),
    ] {
        let reply = Reply::receive(server.request(method.clone(), &path)).await;
        assert_eq!((reply.status, reply.code().as_str()), (401, "AUTH_FAILED"), "{method} {path}");
        assert_eq!(reply.json()["detail"], reply.error()["message"], "{method} {path}");
        if path == "/runner/debates" {
            record.note(&format!("{method} {path}"), &reply);
        }
    }
    assert_snapshot!(record.render());
    let server = server.with_token("s3cret");
    assert_eq!(server.get("/runner/debates").await.status, 200);
}
