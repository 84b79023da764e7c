//! Retries, against a server with scripted responses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// A server that answers each connection with the next text; an empty text closes the connection.
async fn server(answers: Vec<String>) -> (Client, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.expect("it listens");
            let mut bytes = Vec::new();
            // All of ours are POSTs, whose bodies end with this brace.
            while !bytes.ends_with(b"}") {
                let mut chunk = [0; 1024];
                let count = stream.read(&mut chunk).await.expect("it is sent");
                bytes.extend_from_slice(chunk.get(..count).expect("so many came"));
            }
            heard
                .lock()
                .expect("no thread panics while it holds the lock")
                .push(String::from_utf8(bytes).expect("text"));
            stream.write_all(answer.as_bytes()).await.expect("it is read");
        }
    });
    let url = debate_net::BaseUrl::parse(&format!("http://{address}")).expect("it is one");
    let client = Client {
        http: HttpClient::new(url, None),
        notes: ProgressLog { quiet: true },
        retry_deadline: Duration::from_mins(1),
        pause_min: Duration::from_millis(1),
        when_refused: WhenRefused::Retry,
    };
    (client, asked)
}

fn http(status: &str, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn fine() -> String {
    http("201 Created", "", &json!({ "success": true, "data": { "deleted": true } }))
}

fn refused(status: &str, code: &str) -> String {
    let error = json!({ "code": code, "message": "no" });
    http(status, "", &json!({ "success": false, "error": error }))
}

fn write() -> ApiRequest {
    ApiRequest::post("/debates", &json!({ "client_request_id": "k-1" })).expect("it is JSON")
}

#[tokio::test]
async fn transient_failures_are_retried_with_the_identical_request() {
    let busy = |status: &str| refused(status, "OVERLOADED");
    let later = http(
        "429 Too Many Requests",
        "Retry-After: 0\r\n",
        &json!({ "success": false, "error": { "code": "OVERLOADED", "message": "later" } }),
    );
    let proxy = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nhm?".to_owned();
    let torn = "HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{\"succ".to_owned();
    let answers = vec![
        String::new(),
        torn,
        proxy,
        busy("503 Service Unavailable"),
        busy("504 Gateway Timeout"),
        later,
        fine(),
    ];
    let count = answers.len();
    let (client, asked) = server(answers).await;
    let data: Value = client.request(&write()).await.expect("the last answer is fine");
    assert_eq!(data["deleted"], true);
    let asked = asked.lock().expect("no thread panics while it holds the lock");
    assert_eq!(asked.len(), count, "each was tried once");
    assert!(asked.iter().all(|request| Some(request) == asked.first()), "{asked:?}");
    assert!(asked.iter().all(|request| request.ends_with(r#"{"client_request_id":"k-1"}"#)));
}

#[tokio::test]
async fn refusal_is_not_retried() {
    let finals = [
        ("400 Bad Request", "INVALID_INPUT"),
        ("401 Unauthorized", "AUTH_FAILED"),
        ("403 Forbidden", "ACTION_NOT_ALLOWED"),
        ("404 Not Found", "DEBATE_NOT_FOUND"),
        ("409 Conflict", "DEBATE_EXISTS"),
        ("410 Gone", "DEBATE_DELETED"),
        ("413 Payload Too Large", "CONTENT_TOO_LARGE"),
        ("422 Unprocessable Content", "IDEMPOTENCY_CONFLICT"),
        ("500 Internal Server Error", "INTERNAL_ERROR"),
        ("507 Insufficient Storage", "STORAGE_FULL"),
        ("418 I'm a teapot", "CODE_OF_A_NEWER_SERVER"),
    ];
    for (status, code) in finals {
        let (client, asked) = server(vec![refused(status, code), fine()]).await;
        let failure = client.request::<Value>(&write()).await.expect_err("it is refused");
        assert!(
            matches!(&failure, Failure::Rejected(error) if error["code"] == code),
            "{failure:?}"
        );
        assert_eq!(
            asked.lock().expect("no thread panics while it holds the lock").len(),
            1,
            "{status}"
        );
    }
}

#[tokio::test]
async fn retry_after_beyond_the_deadline_ends_the_retries() {
    let error = json!({ "code": "STORAGE_UNAVAILABLE", "message": "later" });
    let later = json!({ "success": false, "error": error });
    let later = http("503 Service Unavailable", "Retry-After: 3600\r\n", &later);
    let (client, asked) = server(vec![later, fine()]).await;
    let failure = client.request::<Value>(&write()).await.expect_err("it takes too long");
    assert!(failure.has_code(debate_wire::ErrorCode::StorageUnavailable), "{failure:?}");
    assert_eq!(asked.lock().expect("no thread panics while it holds the lock").len(), 1);
}
