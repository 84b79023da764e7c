//! Large, slow and numerous requests: bounded, answered, and without effect on other clients.

use tokio::io::AsyncWriteExt;

use crate::support::{Connection, Debate, Server, Setup, until};

/// The number of bytes sent of a body without end.
const SENT_MAX: usize = 1024 * 1024 * 1024;

#[tokio::test]
async fn endless_body_is_refused_and_not_buffered() {
    let server = Server::start().await;
    let before = server.status_kb("VmRSS");
    let mut connection = Connection::open(&server).await;
    let head = format!(
        "POST /debates HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        server.address()
    );
    connection.send(head.as_bytes()).await;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let mut sent = 0;
    // Until the server closes the connection, or everything is sent.
    while sent < SENT_MAX && connection.stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 0x10000;
    }
    assert!(sent < SENT_MAX, "the server took all of it");
    let reply = connection.reply().await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "CONTENT_TOO_LARGE"));
    assert_eq!(reply.json()["error"]["max_length"], 10_240);
    let grown = server.status_kb("VmRSS").saturating_sub(before);
    assert!(grown < 5 * 1024, "memory grew by {grown} kB");
}

#[tokio::test]
async fn body_over_the_limit_is_refused_by_its_content_length() {
    let server = Server::start().await;
    let request = format!(
        "POST /debates HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: 1073741824\r\n\r\n",
        server.address()
    );
    let reply = Connection::exchange(&server, request.as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "CONTENT_TOO_LARGE"));
}

#[tokio::test]
async fn client_that_sends_its_head_slowly_is_disconnected_and_others_are_served() {
    let server = Server::start().await;
    let mut slow = Vec::new();
    for _ in 0..50 {
        let mut connection = Connection::open(&server).await;
        connection.send(b"GET /health HTTP/1.1\r\nHost: 127").await;
        slow.push(connection);
    }
    let debate = Debate::open(&server).await;
    assert_eq!(debate.claim("opponent", &debate.motion, "c").await.status, 201);
    for connection in &mut slow {
        assert!(connection.is_closed().await, "hung up on without an answer");
    }
}

#[tokio::test]
async fn client_that_reads_nothing_is_disconnected() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "1000000").start().await;
    let debate = Debate::open(&server).await;
    let mut target = debate.motion.clone();
    for turn in 0..16 {
        let role = if turn % 2 == 0 { "opponent" } else { "proposer" };
        let body = serde_json::json!({ "role": role, "target_id": target,
            "content": "x".repeat(1_000_000), "client_request_id": format!("c{turn}") });
        let reply = server.post(&debate.path("/arguments"), &body).await;
        target = crate::support::argument_id(&reply);
    }
    let before = clients(&server);
    let mut stuck = Vec::new();
    for _ in 0..10 {
        let mut connection = Connection::open(&server).await;
        let path = debate.path("");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
        connection.send(request.as_bytes()).await;
        stuck.push(connection);
    }
    until("they are connected", || async { clients(&server) >= before + 10 }).await;
    until("they are let go", || async { clients(&server) <= before }).await;
}

/// The number of client connections of the server, as the kernel reports them. Connections to a
/// database do not count.
fn clients(server: &Server) -> usize {
    let port = server.address().rsplit(':').next().expect("it has a port");
    let port: u16 = port.parse().expect("a port is a number");
    let local = format!("0100007F:{port:04X}");
    let table = std::fs::read_to_string("/proc/net/tcp").expect("it runs on Linux");
    // "0: 0100007F:0D80 0100007F:A1B2 01 …", where 01 is an established connection.
    let of_server = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some(&local) && words.nth(1) == Some("01")
    };
    table.lines().filter(of_server).count()
}

#[tokio::test]
async fn server_without_free_file_descriptors_keeps_serving_open_connections() {
    let server = Setup::new().through(&["prlimit", "--nofile=100"]).start().await;
    let debate = Debate::open(&server).await;
    let mut crowd = Vec::new();
    for _ in 0..200 {
        crowd.push(Connection::open(&server).await);
    }
    // The connection that opened the debate is still open and served.
    assert_eq!(debate.claim("opponent", &debate.motion, "c").await.status, 201);
    drop(crowd);
    let request = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    assert_eq!(Connection::exchange(&server, request.as_bytes()).await.status, 200);
}
