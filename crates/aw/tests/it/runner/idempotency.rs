//! Idempotent creation of runs.

use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Record, Reply, Server, Setup};

async fn create(server: &Server, key: &[u8], body: &Value) -> Reply {
    let key = reqwest::header::HeaderValue::from_bytes(key).expect("a header can carry it");
    let request = server.request(Method::POST, "/runner/debates").json(body);
    Reply::receive(request.header("idempotency-key", key)).await
}

#[tokio::test]
async fn retry_with_same_key_returns_the_first_response_and_another_body_is_refused() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let body = json!({ "topic": "Tabs?", "settings": { "max_rounds": 2 } });
    let mut record = Record::default();
    record.note("first", &create(&server, b"k1", &body).await);
    record.note("again", &create(&server, b"k1", &body).await);
    let same = json!({ "settings": { "max_rounds": 2, "judge_mode": null }, "topic": "Tabs?" });
    record.note("the same in other words", &create(&server, b"k1", &same).await);
    let other = json!({ "topic": "Tabs?", "settings": { "max_rounds": 3 } });
    record.note("another body", &create(&server, b"k1", &other).await);
    record.note("another topic", &create(&server, b"k1", &json!({ "topic": "Spaces?" })).await);
    assert_eq!(create(&server, b"k2", &body).await.status, 201, "another key is another debate");
    assert_eq!(create(&server, "schlüssel".as_bytes(), &body).await.status, 201);
    assert_eq!(create(&server, &[b'k'; 200], &body).await.status, 201);
    assert_eq!(server.post("/runner/debates", &body).await.status, 201, "no key, no retry");
    let list = server.get("/runner/debates").await.json();
    assert_eq!(list.as_array().map(Vec::len), Some(5));
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn retry_after_completion_returns_the_run_in_its_current_status() {
    let server = Server::start().await;
    let settings =
        json!({ "max_rounds": 1, "model_debater": "demo:fast", "model_judge": "demo:fast" });
    let body = json!({ "topic": "Tabs?", "settings": settings });
    let id = create(&server, b"k", &body).await.json()["id"].as_str().unwrap().to_owned();
    let run = crate::support::Run { server: &server, id };
    run.command("start").await;
    run.until("completed").await;
    let again = create(&server, b"k", &body).await;
    assert_eq!((again.status, again.json()["status"].as_str()), (200, Some("completed")));
}

#[tokio::test]
async fn concurrent_creations_with_one_key_create_one_run() {
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let body = json!({ "topic": "Tabs?" });
    let all = (0..20).map(|_| create(&server, b"once", &body));
    let all = futures_util::future::join_all(all).await;
    let fresh = all.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(fresh, 1);
    let first = all[0].json()["id"].clone();
    assert!(all.iter().all(|reply| reply.json()["id"] == first), "all were told of the same");
    assert_eq!(server.get("/runner/debates").await.json().as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn invalid_idempotency_key_is_named_in_the_error() {
    let server = Server::start().await;
    let body = json!({ "topic": "Tabs?" });
    let mut record = Record::default();
    for (what, key) in [
        ("blank", b" ".as_slice()),
        ("empty", b""),
        ("too long", &[b'k'; 201]),
        ("with a tab", b"a\tb"),
        ("not UTF-8", b"\xff"),
    ] {
        record.note(what, &create(&server, key, &body).await);
    }
    let twice = server.request(Method::POST, "/runner/debates").json(&body);
    let twice = twice.header("idempotency-key", "a").header("idempotency-key", "b");
    record.note("twice", &Reply::receive(twice).await);
    assert_eq!(server.get("/runner/debates").await.json(), json!([]), "nothing was written");
    assert_snapshot!(record.render());
}
