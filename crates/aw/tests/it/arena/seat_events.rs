//! Changes of seats on event streams and WebSockets, and arbitrator rights of a WebSocket.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::seats::{Action, SEAT, SeatedDebate, new_token, with_credentials};
use crate::support::{Debate, Events, Server, Setup, Ws, argument_id, until};

fn change(role: &str, status: &str, holder: Option<&str>) -> Value {
    json!({ "role": role, "status": status, "holder": holder })
}

#[tokio::test]
async fn event_stream_reports_changes_of_seats_and_does_not_replay_them() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    let mut events = Events::open(&server, &debate.path("/events"), None).await;
    assert_eq!(events.next().await.expect("the motion").name, "argument");
    let own = [debate.own("opponent")];
    assert_eq!(debate.take("opponent", "bob", &own).await.status, 201);
    let event = events.next().await.expect("the seat");
    assert_eq!((event.name.as_str(), event.id.as_deref()), ("seat", None));
    assert_eq!(event.data, change("opponent", "taken", Some("bob")));
    assert_eq!(debate.take("opponent", "bob", &own).await.status, 200, "a repeat is no change");
    assert_eq!(debate.release("opponent", &own).await.status, 200);
    let event = events.next().await.expect("the seat");
    assert_eq!(event.data, change("opponent", "open", None));
    let token = new_token();
    assert_eq!(debate.take("opponent", "carol", &[(SEAT, &token)]).await.status, 201);
    let claim = debate.act(Action::OpponentClaim, &debate.motion, "c-1", &[(SEAT, &token)]).await;
    let event = events.next().await.expect("the seat");
    assert_eq!(event.data, change("opponent", "taken", Some("carol")));
    let event = events.next().await.expect("the claim");
    assert_eq!(event.id, Some(argument_id(&claim)), "changes of seats take no position");
    assert_eq!(event.data["argument"]["by"], "carol");

    let mut late = Events::open(&server, &debate.path("/events"), None).await;
    let names: Vec<_> = late.take(2).await.into_iter().map(|event| event.name).collect();
    assert_eq!(names, ["argument", "argument"]);
    let mut resumed = Events::open(&server, &debate.path("/events?after=2"), None).await;
    assert_eq!(debate.release("opponent", &[(SEAT, &token)]).await.status, 200);
    for events in [&mut late, &mut resumed] {
        let event = events.next().await.expect("the seat");
        assert_eq!(event.data, change("opponent", "open", None), "only the change since");
    }
}

#[tokio::test]
async fn socket_reports_changes_of_seats() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::open(&server).await;
    let mut ws = Ws::open(&server, &format!("?debate_id={}", debate.slug)).await;
    let first = ws.next().await;
    assert_eq!(first["event"], "initial_state");
    assert_eq!(first["data"]["debate"]["seats"], true);
    let own = [debate.own("opponent")];
    assert_eq!(debate.take("opponent", "bob", &own).await.status, 201);
    let frame = ws.next().await;
    assert_eq!(frame["event"], "seat");
    assert_eq!(frame["data"], change("opponent", "taken", Some("bob")));
    assert_eq!(debate.release("opponent", &own).await.status, 200);
    assert_eq!(ws.next().await["data"], change("opponent", "open", None));
}

#[tokio::test]
async fn socket_rules_with_the_arbitrator_token_of_its_handshake_only() {
    let server = Server::with_seats().await;
    let debate = SeatedDebate::start(&server).await;
    let query = format!("?debate_id={}", debate.id);
    let intervention = json!({ "debate_id": debate.slug });
    let cases: [(&[(&'static str, &str)], &str); 3] = [
        (&[], "SEAT_REQUIRED"),
        (&[debate.own("proposer")], "SEAT_REQUIRED"),
        (&[("debate-arbitrator", "garbage")], "SEAT_INVALID"),
    ];
    for (headers, code) in cases {
        let mut ws = Ws::try_open_with(&server, &query, headers).await.expect("it opens");
        assert_eq!(ws.next().await["event"], "initial_state");
        ws.send("submit_intervention", intervention.clone()).await;
        let frame = ws.next().await;
        assert_eq!((&frame["event"], &frame["data"]["code"]), (&json!("error"), &json!(code)));
        assert_eq!(frame["data"]["role"], "arbitrator");
    }
    let own = [debate.own("arbitrator")];
    let mut ws = Ws::try_open_with(&server, &query, &own).await.expect("it opens");
    assert_eq!(ws.next().await["event"], "initial_state");
    ws.send("submit_intervention", intervention).await;
    assert_eq!(ws.next().await["data"]["argument"]["by"], "arbitrator");
    assert_eq!(ws.next().await["event"], "state_changed");
    ws.send("submit_ruling", json!({ "debate_id": debate.id, "content": "Go on." })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "RULING");

    let open = Debate::open(&server).await;
    let mut ws = Ws::open(&server, &format!("?debate_id={}", open.id)).await;
    assert_eq!(ws.next().await["event"], "initial_state");
    ws.send("submit_intervention", json!({ "debate_id": open.id })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "INTERVENTION");
}

#[tokio::test]
async fn stream_with_the_token_of_a_seat_shows_that_its_holder_is_present() {
    let setup = Setup::new().with_seats();
    let first = setup.start().await;
    let debates = [SeatedDebate::open(&first).await, SeatedDebate::open(&first).await];
    let debates = debates.map(|debate| (debate.id, debate.proposer));
    first.kill().await;
    let server = setup.start().await;
    let is_seen = |id: &str| {
        let (server, path) = (&server, format!("/debates/{id}/seats"));
        async move { server.get(&path).await.data()[0]["last_seen"].is_string() }
    };
    let [(streamed, stream_token), (socketed, socket_token)] = &debates;
    assert!(!is_seen(streamed).await && !is_seen(socketed).await, "no request since the start");
    let request = server.request(Method::GET, &format!("/debates/{streamed}/events"));
    let _events = Events::receive(with_credentials(request, &[(SEAT, stream_token)])).await;
    until("the holder is seen", || is_seen(streamed)).await;
    let (query, own) = (format!("?debate_id={socketed}"), [(SEAT, socket_token.as_str())]);
    let _ws = Ws::try_open_with(&server, &query, &own).await.expect("it opens");
    until("the holder is seen", || is_seen(socketed)).await;
}
