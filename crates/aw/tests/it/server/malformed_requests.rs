//! Requests that are malformed below the API: invalid HTTP, invalid chunks, compressed bodies.

use reqwest::Method;

use crate::support::{Connection, Reply, Server, create_body, new_id};

#[tokio::test]
async fn badly_chunked_body_is_answered_400() {
    let server = Server::start().await;
    let head = format!(
        "POST /debates HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        server.address()
    );
    let reply = Connection::exchange(&server, format!("{head}ZZ\r\n{{}}\r\n").as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"));
}

#[tokio::test]
async fn bytes_that_are_not_http_are_refused_and_other_clients_are_served() {
    let server = Server::start().await;
    let host = server.address().to_owned();
    let with_length =
        |length: &str| format!("POST /debates HTTP/1.1\r\nHost: {host}\r\n{length}\r\n\r\nxx");
    let many = "X-Many: v\r\n".repeat(150);
    for (what, request) in [
        ("not HTTP", "hello\r\n\r\n".to_owned()),
        ("a bad version", format!("GET / HTTP/9.9\r\nHost: {host}\r\n\r\n")),
        (
            "a huge header",
            format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "x".repeat(20_000)),
        ),
        ("too many headers", format!("GET /health HTTP/1.1\r\nHost: {host}\r\n{many}\r\n")),
        ("a long path", format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "x".repeat(20_000))),
        ("two lengths", with_length("Content-Length: 1\r\nContent-Length: 2")),
        ("a negative length", with_length("Content-Length: -1")),
    ] {
        let reply = Connection::exchange(&server, request.as_bytes()).await;
        assert!((400..500).contains(&reply.status), "{what}: {}", reply.status);
    }
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn compressed_body_is_refused_with_415_in_every_context() {
    let server = Server::start().await;
    // `{}` as gzip, sent to the API of each context and to a form.
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0";
    for path in ["/debates", "/runner/debates", "/api/v1/auth/agents/register", "/arena/new"] {
        for coding in ["gzip", "GZIP", "deflate, gzip", "br"] {
            let request = server.request(Method::POST, path).body(gzip.to_vec());
            let request = request.header("content-type", "application/json");
            let reply = Reply::receive(request.header("content-encoding", coding)).await;
            assert_eq!(reply.status, 415, "{path} {coding}: {}", reply.text);
            assert_eq!(reply.header("accept-encoding"), Some("identity"), "{path} {coding}");
        }
    }
    let plain = server.request(Method::POST, "/debates").json(&create_body(&new_id()));
    let plain = Reply::receive(plain.header("content-encoding", "identity")).await;
    assert_eq!(plain.status, 201, "{}", plain.text);
}
