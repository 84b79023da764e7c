//! The event stream of a debate: each seq once, in order, from any position.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{
    Debate, Event, Events, Record, Reply, Server, Setup, argument_id, new_id, until,
};

/// A closed debate: motion, claim, resolution, ruling.
async fn create_closed_debate(server: &Server) -> (Debate<'_>, Vec<String>) {
    let debate = Debate::open(server).await;
    let claim = debate.claim("opponent", &debate.motion, "c1").await;
    debate.ask("resolution", &argument_id(&claim), "r1").await;
    let whole = debate.read().await;
    let arguments = whole["arguments"].as_array().expect("a list");
    let ids = arguments.iter().filter_map(|argument| argument["id"].as_str().map(str::to_owned));
    let ids = [debate.motion.clone()].into_iter().chain(ids).collect();
    (debate, ids)
}

#[tokio::test]
async fn closed_debate_is_replayed_completely_and_the_stream_ends() {
    let server = Server::start().await;
    let (debate, _) = create_closed_debate(&server).await;
    let mut events = Events::open(&server, &debate.path("/events"), None).await;
    assert_eq!(events.status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(events.headers[name], value, "{name}");
    }
    let all = events.rest().await;
    assert_eq!(all.len(), 5);
    let headers = reqwest::header::HeaderMap::new();
    let mut record = Record::default();
    record.note("the stream, byte for byte", &Reply { status: 200, headers, text: events.raw });
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn stream_from_any_position_sends_exactly_the_later_arguments() {
    let server = Server::start().await;
    let (debate, ids) = create_closed_debate(&server).await;
    let path = debate.path("/events");
    for (seen, id) in ids.iter().enumerate().map(|(at, id)| (at + 1, id)) {
        let by_number = format!("{path}?after={seen}");
        let by_id = format!("{path}?after={id}");
        for (path, header) in
            [(&by_number, None), (&by_id, None), (&path, Some(id)), (&by_number, Some(&ids[0]))]
        {
            let mut events = Events::open(&server, path, header.map(String::as_str)).await;
            if seen == ids.len() {
                assert_eq!(events.status, 204, "nothing is left: a browser stops asking");
                continue;
            }
            let rest = events.rest().await;
            let seqs: Vec<_> =
                rest.iter().filter(|event| event.name == "argument").map(Event::seq).collect();
            let expected: Vec<u64> =
                (seen + 1..=4).map(|seq| u64::try_from(seq).unwrap()).collect();
            assert_eq!(seqs, expected, "{path} {header:?}");
            assert_eq!(rest.last().map(|event| event.name.as_str()), Some("end"));
        }
    }
}

#[tokio::test]
async fn unknown_position_is_answered_with_reset_and_a_full_replay() {
    let server = Server::start().await;
    let (debate, _) = create_closed_debate(&server).await;
    let other = Debate::open(&server).await;
    for position in ["nonsense", "-1", "5", "4294967296", &new_id(), &other.motion, "%F0%9F%92%A9"]
    {
        for by_header in [false, true] {
            let path = debate.path("/events");
            let (path, header) = if by_header {
                (path, Some(position))
            } else {
                (format!("{path}?after={position}"), None)
            };
            let mut events = Events::open(&server, &path, header).await;
            let all = events.rest().await;
            assert_eq!(all[0].name, "reset", "{position}");
            assert_eq!(all[0].data, json!({ "reason": "unknown_position" }));
            assert_eq!(all[1..5].iter().map(Event::seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
        }
    }
}

#[tokio::test]
async fn live_events_equal_replayed_events() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut live = Events::open(&server, &debate.path("/events"), None).await;
    let mut seen = live.take(1).await;
    let claim = debate.claim("opponent", &debate.motion, "c1").await;
    seen.extend(live.take(1).await);
    debate.intervene().await;
    debate.rule(false).await;
    seen.extend(live.take(2).await);
    debate.ask("resolution", &argument_id(&claim), "r").await;
    seen.extend(live.rest().await);
    let states: Vec<_> = seen.iter().map(|event| event.data["debate"]["state"].clone()).collect();
    assert_eq!(
        states,
        [
            json!("AWAITING_OPPONENT"),
            json!("AWAITING_PROPOSER"),
            json!("INTERVENTION_PENDING"),
            json!("AWAITING_PROPOSER"),
            json!("AWAITING_ARBITRATOR"),
            json!("CLOSED"),
            Value::Null,
        ],
        "each event shows the debate as it stood then"
    );
    let replayed = Events::open(&server, &debate.path("/events"), None).await.rest().await;
    assert_eq!(seen, replayed);
}

#[tokio::test]
async fn any_content_is_sent_as_one_data_line() {
    let server = Server::start().await;
    let content = "a\rb\nc\r\nd\u{2028}e\u{85}f: data: x\n\nevent: end\n\n";
    let debate = Debate::open_with(&server, |body| body["motion_content"] = content.into()).await;
    let event = Events::open(&server, &debate.path("/events"), None).await.take(1).await.remove(0);
    assert_eq!(event.data["argument"]["content"], content);
}

#[tokio::test]
async fn stream_of_an_unknown_debate_is_refused_in_the_envelope() {
    let server = Server::start().await;
    let reply = server.get(&format!("/debates/{}/events", new_id())).await;
    assert_eq!((reply.status, reply.code().as_str()), (404, "DEBATE_NOT_FOUND"));
    let reply = server.get(&format!("/debates/{}/events?after=7", new_id())).await;
    assert_eq!((reply.status, reply.code().as_str()), (404, "DEBATE_NOT_FOUND"));
    for invalid in ["x", "%20"] {
        let reply = server.get(&format!("/debates/{invalid}/events")).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"));
    }
}

#[tokio::test]
async fn stream_ends_with_the_reason_when_the_debate_is_deleted() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut events = Events::open(&server, &debate.path("/events"), None).await;
    events.take(1).await;
    server.delete(&debate.path("")).await;
    let rest = events.rest().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(
        (rest[0].name.as_str(), &rest[0].data),
        ("end", &json!({ "reason": "debate_deleted" }))
    );
}

#[tokio::test]
async fn shutdown_ends_streams_and_the_next_server_continues_them() {
    let setup = Setup::new();
    let mut server = setup.start().await;
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    let mut events = Events::open(&server, &debate.path("/events"), None).await;
    events.take(1).await;
    server.terminate();
    assert_eq!(events.next().await, None, "the stream ends without a word");
    assert!(server.wait_for_exit().await.success());

    let server = setup.start().await;
    let debate = Debate { server: &server, id, motion };
    let mut events = Events::open(&server, &debate.path("/events"), Some(&debate.motion)).await;
    debate.claim("opponent", &debate.motion, "c").await;
    assert_eq!(events.take(1).await[0].seq(), 2);
}

#[tokio::test]
async fn stream_over_the_limit_gets_a_retry_time_instead_of_an_error() {
    let server = Setup::new().env("DEBATE_MAX_WAITERS", "1").start().await;
    let debate = Debate::open(&server).await;
    let mut first = Events::open(&server, &debate.path("/events"), None).await;
    first.take(1).await;
    let mut second = Events::open(&server, &debate.path("/events"), None).await;
    assert_eq!(second.status, 200);
    assert_eq!(second.next().await, None);
    assert!(second.raw.starts_with("retry: 5000\n"), "{}", second.raw);
    drop(first);
    until("there is room", || async { server.metric("aw_waiters").await == 0.0 }).await;
    let mut third = Events::open(&server, &debate.path("/events"), None).await;
    assert_eq!(third.take(1).await[0].seq(), 1);
}
