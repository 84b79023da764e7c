//! Debates over a WebSocket: reading, and actions of the arbitrator.

use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::{Connection, Debate, Events, Server, Setup, Ws, argument_id, new_id};

fn query(debate: &Debate<'_>) -> String {
    format!("?debate_id={}", debate.id)
}

#[tokio::test]
async fn socket_sends_existing_arguments_and_then_new_ones() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    let initial = ws.next().await;
    let whole = debate.read().await;
    assert_eq!(initial["event"], "initial_state");
    assert_eq!(
        initial["data"],
        json!({ "debate": whole["debate"], "arguments": [whole["motion"]] })
    );

    let claim = debate.claim("opponent", &debate.motion, "c1").await;
    let news = ws.next().await;
    assert_eq!(news, json!({ "event": "new_argument", "data": claim.data() }));
    let changed = |from: &str, to: &str| {
        json!({ "event": "state_changed",
                "data": { "debate_id": debate.id, "from": from, "to": to } })
    };
    assert_eq!(ws.next().await, changed("AWAITING_OPPONENT", "AWAITING_PROPOSER"));

    debate.ask("resolution", &argument_id(&claim), "r1").await;
    let resolution = ws.next().await;
    assert_eq!(resolution["data"]["argument"]["type"], "RESOLUTION");
    assert_eq!(resolution["data"]["debate"]["state"], "AWAITING_ARBITRATOR", "as it stood then");
    assert_eq!(ws.next().await, changed("AWAITING_PROPOSER", "AWAITING_ARBITRATOR"));
    let ruling = ws.next().await;
    assert_eq!(ruling["data"]["argument"]["type"], "RULING");
    assert_eq!(ruling["data"]["debate"]["state"], "CLOSED");
    assert_eq!(ws.next().await, changed("AWAITING_ARBITRATOR", "CLOSED"));
}

#[tokio::test]
async fn socket_continues_after_the_requested_position() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    debate.claim("opponent", &debate.motion, "c1").await;
    debate.intervene().await;
    for (after, first) in [(0, 1), (1, 2), (2, 3)] {
        let mut ws = Ws::open(&server, &format!("{}&after_seq={after}", query(&debate))).await;
        for seq in first..=3 {
            let news = ws.next().await;
            assert_eq!(
                (&news["event"], &news["data"]["argument"]["seq"]),
                (&json!("new_argument"), &json!(seq))
            );
            if seq > 1 {
                assert_eq!(ws.next().await["event"], "state_changed", "but for the motion");
            }
        }
    }
    for after in ["4", "4294967296", "18446744073709551615"] {
        let mut beyond = Ws::open(&server, &format!("{}&after_seq={after}", query(&debate))).await;
        assert_eq!(beyond.next().await["event"], "initial_state", "{after}");
    }
    let mut at_the_end = Ws::open(&server, &format!("{}&after_seq=3", query(&debate))).await;
    debate.rule(false).await;
    assert_eq!(at_the_end.next().await["data"]["argument"]["seq"], 4);
    let changed = at_the_end.next().await;
    assert_eq!(changed["data"]["from"], "INTERVENTION_PENDING", "known though never sent");
}

#[tokio::test]
async fn long_debate_is_sent_as_one_message() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "100000").start().await;
    let debate = Debate::open(&server).await;
    for turn in 0..24 {
        let role = if turn % 2 == 0 { "opponent" } else { "proposer" };
        let body = json!({ "role": role, "target_id": debate.motion,
            "content": "ä".repeat(40_000), "client_request_id": format!("c{turn}") });
        server.post(&debate.path("/arguments"), &body).await;
    }
    let mut ws = Ws::open(&server, &query(&debate)).await;
    let initial = ws.next().await;
    let arguments = initial["data"]["arguments"].as_array().expect("a list");
    let seqs: Vec<_> = arguments.iter().filter_map(|argument| argument["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=25).collect::<Vec<_>>());
    assert!(arguments[1..].iter().all(|argument| argument["content"] == "ä".repeat(40_000)));
}

#[tokio::test]
async fn unauthorized_or_invalid_handshake_is_refused_before_the_upgrade() {
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", "s3cret&more");
    let server = setup.start().await.with_token("s3cret&more");
    let debate = Debate::open(&server).await;
    let token = "&token=s3cret%26more";
    for (query, status) in [
        (query(&debate), 401),
        (format!("{}&token=wrong", query(&debate)), 401),
        (format!("?{}", &token[1..]), 400),
        (format!("?debate_id=%20{token}"), 400),
        (format!("?debate_id=nonsense{token}"), 400),
        (format!("{}{token}&after_seq=x", query(&debate)), 400),
        (format!("?debate_id={}{token}", new_id()), 404),
        (format!("{}{token}", query(&debate)), 101),
    ] {
        assert_eq!(Ws::refusal(&server, &query).await, status, "{query}");
    }
    let ask = |extra: &str| {
        format!(
            "GET /ws{}{token} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             {extra}\r\n",
            query(&debate),
            server.address()
        )
    };
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (extra, status) in [
        (format!("{key}Sec-WebSocket-Version: 13\r\nOrigin: http://evil.test\r\n"), 403),
        (format!("{key}Sec-WebSocket-Version: 13\r\nOrigin: null\r\n"), 403),
        (format!("{key}Sec-WebSocket-Version: 8\r\n"), 426),
        (key.to_owned(), 426),
        ("Sec-WebSocket-Version: 13\r\n".to_owned(), 426),
        ("Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n".to_owned(), 426),
        (format!("{}Sec-WebSocket-Version: 13\r\n", key.replace("==", "=!")), 426),
        (format!("{key}Sec-WebSocket-Version: 13\r\n"), 101),
    ] {
        let reply = Connection::exchange(&server, ask(&extra).as_bytes()).await;
        assert_eq!(reply.status, status, "{extra}");
    }
    let elsewhere = server.get("/debates?token=s3cret%26more").await;
    assert_eq!(elsewhere.status, 200, "the header counts");
    let request = server.client.get(format!("{}/debates?token=s3cret%26more", server.url));
    let reply = crate::support::Reply::receive(request).await;
    assert_eq!(reply.status, 401, "a token in the address counts for sockets alone");
}

#[tokio::test]
async fn rulings_over_a_socket_follow_the_rules_of_the_api() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    let other = new_id();
    let mine = |mut data: Value| {
        data["debate_id"] = json!(debate.id);
        data
    };
    for (frame, code, field) in [
        ("nonsense".to_owned(), "INVALID_INPUT", "frame"),
        ("[]".to_owned(), "INVALID_INPUT", "frame"),
        (json!({ "event": "submit_ruling" }).to_string(), "INVALID_INPUT", "debate_id"),
        (
            json!({ "event": "submit_ruling", "data": { "debate_id": other } }).to_string(),
            "INVALID_INPUT",
            "debate_id",
        ),
        (
            json!({ "event": "dance", "data": mine(json!({})) }).to_string(),
            "INVALID_INPUT",
            "event",
        ),
        (
            json!({ "event": "submit_ruling", "data": mine(json!({})) }).to_string(),
            "INVALID_INPUT",
            "content",
        ),
        (
            json!({ "event": "submit_ruling", "data": mine(json!({ "content": 7 })) }).to_string(),
            "INVALID_INPUT",
            "content",
        ),
    ] {
        ws.send_text(&frame).await;
        let refused = ws.next().await;
        assert_eq!(refused["event"], "error", "{frame}");
        assert_eq!(
            (&refused["data"]["code"], &refused["data"]["field"]),
            (&json!(code), &json!(field))
        );
    }
    ws.stream_send(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(ws.next().await["data"]["field"], "frame");
    ws.send("submit_ruling", mine(json!({ "content": "so" }))).await;
    let refused = ws.next().await;
    assert_eq!(refused["data"]["code"], "ACTION_NOT_ALLOWED");
    assert_eq!(refused["data"]["current_state"], "AWAITING_OPPONENT");
    let large = "x".repeat(10_241);
    ws.send("submit_intervention", mine(json!({ "content": large }))).await;
    assert_eq!(ws.next().await["data"]["code"], "CONTENT_TOO_LARGE");
}

#[tokio::test]
async fn arbitrator_intervenes_and_rules_over_a_socket() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    ws.send("submit_intervention", json!({ "debate_id": debate.id })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "INTERVENTION");
    assert_eq!(ws.next().await["event"], "state_changed");
    let ruling = json!({ "debate_id": debate.id, "content": "so", "close": true,
                         "client_request_id": "r" });
    ws.send("submit_ruling", ruling.clone()).await;
    assert_eq!(ws.next().await["data"]["debate"]["state"], "CLOSED");
    assert_eq!(ws.next().await["data"]["to"], "CLOSED");
    // A retry writes nothing and notifies no subscriber; the socket answers the next message.
    ws.send("submit_ruling", ruling).await;
    ws.send_text("x").await;
    assert_eq!(ws.next().await["data"]["field"], "frame");
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn protocol_errors_are_answered_with_the_matching_close_code() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut large = Ws::open(&server, &query(&debate)).await;
    large.next().await;
    large.send_text(&"x".repeat(98_305)).await;
    assert_eq!(large.close_code().await, u16::from(CloseCode::Size));

    for (what, bytes, code) in [
        ("an unmasked frame", &b"\x81\x01x"[..], CloseCode::Protocol),
        ("a reserved bit", &b"\xf1\x81\0\0\0\0x"[..], CloseCode::Protocol),
        ("a reserved opcode", &b"\x83\x81\0\0\0\0x"[..], CloseCode::Protocol),
        ("a fragmented ping", &b"\x09\x80\0\0\0\0"[..], CloseCode::Protocol),
        ("text that is none", &b"\x81\x82\0\0\0\0\xff\xfe"[..], CloseCode::Invalid),
    ] {
        let mut ws = Ws::open(&server, &query(&debate)).await;
        ws.next().await;
        ws.stream.get_mut().write_all(bytes).await.expect("the server reads");
        assert_eq!(ws.close_code().await, u16::from(code), "{what}");
    }
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn ping_is_answered_and_close_frame_is_echoed() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    ws.stream_send(Message::Ping(vec![7].into())).await;
    assert_eq!(ws.raw_message().await, Some(Message::Pong(vec![7].into())));
    let goodbye = CloseFrame { code: CloseCode::Library(4000), reason: "done".into() };
    ws.stream_send(Message::Close(Some(goodbye.clone()))).await;
    assert_eq!(ws.raw_message().await, Some(Message::Close(Some(goodbye))));
}

#[tokio::test]
async fn deleting_a_debate_closes_its_sockets() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    server.delete(&debate.path("")).await;
    let deleted = json!({ "event": "debate_deleted", "data": { "debate_id": debate.id } });
    assert_eq!(ws.next().await, deleted);
    assert_eq!(ws.close_code().await, 1000);
}

#[tokio::test]
async fn followers_learn_of_a_deletion_even_if_the_id_is_requested_again_immediately() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    let mut events = Events::open(&server, &debate.path("/events"), None).await;
    events.take(1).await;
    let body = crate::support::create_body(&debate.id);
    let again = server.post("/debates", &body);
    // Both requests at once: a follower may never read the time in which the debate does not exist.
    let path = debate.path("");
    let (deleted, _) = tokio::join!(server.delete(&path), async {
        crate::support::until("it is gone", || async { server.get(&path).await.status == 404 })
            .await;
        again.await
    });
    assert_eq!(deleted.status, 200);
    assert_eq!(ws.next().await["event"], "debate_deleted");
    assert_eq!(ws.close_code().await, 1000);
    let rest = events.rest().await;
    assert_eq!(rest.last().map(|event| event.name.as_str()), Some("end"), "{rest:?}");
}

#[tokio::test]
async fn socket_counts_against_the_connection_limit() {
    let server = Setup::new().env("DEBATE_MAX_CONNECTIONS", "2").start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    // The client's connection and the socket use both connections; a third one waits.
    let mut third = Connection::open(&server).await;
    let request = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    third.send(request.as_bytes()).await;
    assert_eq!(server.get("/health").await.status, 200, "those inside are served");
    assert!(third.reply().now_or_never().is_none(), "who has no place is not");
    drop(ws);
    assert_eq!(third.reply().await.status, 200);
}

#[tokio::test]
async fn shutdown_sends_a_close_frame() {
    let mut server = Setup::new().start().await;
    let debate = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &query(&debate)).await;
    ws.next().await;
    server.terminate();
    assert_eq!(ws.close_code().await, 1001);
    assert_eq!(ws.raw_message().await, None, "goodbye is said back, and the connection ends");
    assert!(server.wait_for_exit().await.success());
}

#[tokio::test]
async fn sockets_over_the_limit_are_refused() {
    let server = Setup::new().env("DEBATE_MAX_SOCKETS", "1").start().await;
    let debate = Debate::open(&server).await;
    let mut first = Ws::open(&server, &query(&debate)).await;
    first.next().await;
    assert_eq!(Ws::refusal(&server, &query(&debate)).await, 503);
    drop(first);
    crate::support::until("there is room", || async {
        Ws::refusal(&server, &query(&debate)).await == 101
    })
    .await;
}
