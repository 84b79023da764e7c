//! Shutdown: every client is answered, and every acknowledged write is stored.

use serde_json::json;

use crate::support::{Connection, Debate, Setup, argument_id, until};

#[tokio::test]
async fn waiters_are_answered_on_shutdown_and_the_exit_status_is_0() {
    let mut server = Setup::new().start().await;
    let debate = Debate::open(&server).await;
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    let mut waiters = Vec::new();
    for _ in 0..20 {
        let mut connection = Connection::open(&server).await;
        connection.send(request.as_bytes()).await;
        waiters.push(connection);
    }
    until("all wait", || async { server.metric("aw_waiters").await >= 20.0 }).await;
    let nothing = json!({ "has_new_argument": false, "debate_id": debate.id, "last_seen_seq": 1 });
    server.terminate();
    for waiter in &mut waiters {
        let reply = waiter.reply().await;
        assert_eq!((reply.status, reply.json()["data"].clone()), (200, nothing.clone()));
        let last = reply.head.to_ascii_lowercase().contains("connection: close");
        assert!(last, "told that it is the last answer: {}", reply.head);
        assert!(waiter.is_closed().await, "the connection is not kept");
    }
    assert!(server.wait_for_exit().await.success());
    assert!(server.log().contains("server stopped"));
}

#[tokio::test]
async fn ctrl_c_stops_the_server_and_arguments_are_stored() {
    let setup = Setup::new();
    let mut server = setup.start().await;
    let debate = Debate::open(&server).await;
    let claim = debate.claim("opponent", &debate.motion, "c").await;
    let (id, claimed) = (debate.id.clone(), argument_id(&claim));
    server.signal(rustix::process::Signal::INT);
    assert!(server.wait_for_exit().await.success());

    let server = setup.start().await;
    let kept = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!(kept["arguments"][0]["id"], claimed.as_str());
}

#[tokio::test]
async fn request_in_progress_is_completed_before_shutdown() {
    let mut server = Setup::new().start().await;
    let debate = Debate::open(&server).await;
    let body = json!({ "role": "opponent", "target_id": debate.motion, "content": "c",
                       "client_request_id": "late" })
    .to_string();
    let mut connection = Connection::open(&server).await;
    let (first, second) = body.split_at(10);
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        debate.path("/arguments"),
        server.address(),
        body.len()
    );
    connection.send(head.as_bytes()).await;
    assert_eq!(connection.reply().await.status, 100, "the body is being read");
    connection.send(first.as_bytes()).await;
    server.terminate();
    until("it stops listening", || async {
        tokio::net::TcpStream::connect(server.address()).await.is_err()
    })
    .await;
    connection.send(second.as_bytes()).await;
    assert_eq!(connection.reply().await.status, 201);
    assert!(server.wait_for_exit().await.success());
}
