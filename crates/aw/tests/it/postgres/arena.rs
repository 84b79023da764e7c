//! Two servers on one database: clients of one server receive the changes made through the other.

use std::collections::HashMap;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use crate::support::{Debate, Event, Events, Reply, Server, Setup, Ws, argument_id, until};

/// Two servers on one database.
async fn start_two(setup: &Setup) -> (Server, Server) {
    (setup.start().await, setup.start().await)
}

/// The same debate through another server.
fn at<'s>(server: &'s Server, debate: &Debate<'_>) -> Debate<'s> {
    Debate { server, id: debate.id.clone(), motion: debate.motion.clone() }
}

/// A long poll, a stream and a socket that have seen the motion and wait for more.
struct Followers {
    wait: tokio::task::JoinHandle<Reply>,
    events: Events,
    ws: Ws,
}

impl Followers {
    async fn open(debate: &Debate<'_>) -> Self {
        let server = debate.server;
        let path = debate.path(&format!("/wait?role=proposer&argument_id={}", debate.motion));
        let wait = tokio::spawn(Reply::receive(server.request(Method::GET, &path)));
        let mut events = Events::open(server, &debate.path("/events"), None).await;
        assert_eq!(events.take(1).await[0].seq(), 1);
        let mut ws = Ws::open(server, &format!("?debate_id={}", debate.id)).await;
        assert_eq!(ws.next().await["event"], "initial_state");
        until("all three wait", || async { server.metric("aw_waiters").await >= 3.0 }).await;
        Self { wait, events, ws }
    }
}

#[tokio::test]
async fn wait_stream_and_socket_receive_a_write_made_through_the_other_server() {
    let setup = Setup::postgres();
    let (here, there) = start_two(&setup).await;
    let debate = Debate::open(&here).await;
    let mut followers = Followers::open(&debate).await;
    let claim = at(&there, &debate).claim("opponent", &debate.motion, "k").await;
    assert_eq!(claim.status, 201, "{}", claim.text);

    let response = followers.wait.await.expect("it is answered").data();
    assert_eq!(
        (&response["argument"]["id"], &response["has_new_argument"]),
        (&json!(argument_id(&claim)), &json!(true))
    );
    let event = followers.events.next().await.expect("the stream goes on");
    assert_eq!((event.seq(), event.id), (2, Some(argument_id(&claim))));
    let frame = followers.ws.next().await;
    assert_eq!(frame["event"], "new_argument");
    assert_eq!(frame["data"]["argument"]["id"], argument_id(&claim));
}

#[tokio::test]
async fn wait_stream_and_socket_end_after_a_deletion_through_the_other_server() {
    let setup = Setup::postgres();
    let (here, there) = start_two(&setup).await;
    let debate = Debate::open(&here).await;
    let mut followers = Followers::open(&debate).await;
    assert_eq!(there.delete(&debate.path("")).await.status, 200);

    let response = followers.wait.await.expect("it is answered");
    assert_eq!((response.status, response.code().as_str()), (404, "DEBATE_NOT_FOUND"));
    let rest = followers.events.rest().await;
    assert_eq!(rest.len(), 1);
    assert_eq!((rest[0].name.as_str(), &rest[0].data["reason"]), ("end", &json!("debate_deleted")));
    assert_eq!(followers.ws.next().await["event"], "debate_deleted");
    assert_eq!(followers.ws.close_code().await, 1000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_at_two_servers_get_distinct_seqs_or_a_refusal() {
    const WRITERS: usize = 8;
    const TRIES: usize = 12;
    let setup = Setup::postgres();
    let (here, there) = start_two(&setup).await;
    let debate = Debate::open(&here).await;
    let writers = (0..WRITERS).map(|writer| {
        let debate = at(if writer % 2 == 0 { &here } else { &there }, &debate);
        async move {
            let mut places = HashMap::new();
            for number in 0..TRIES {
                let role = if number % 2 == 0 { "opponent" } else { "proposer" };
                let key = format!("{writer}-{number}");
                let reply = debate.claim(role, &debate.motion, &key).await;
                match reply.status {
                    201 => {
                        let seq = reply.data()["argument"]["seq"].as_u64().expect("a number");
                        places.insert(seq, key);
                    }
                    403 => assert_eq!(reply.code(), "ACTION_NOT_ALLOWED"),
                    other => panic!("{other} {}", reply.text),
                }
            }
            places
        }
    });
    let written: Vec<(u64, String)> = join_all(writers).await.into_iter().flatten().collect();
    let places: HashMap<_, _> = written.iter().cloned().collect();
    assert_eq!(places.len(), written.len(), "no place was given twice");
    assert!(!places.is_empty(), "no write succeeded");

    let kept = debate.read().await;
    assert_eq!(kept, at(&there, &debate).read().await, "both show the same");
    let arguments = kept["arguments"].as_array().expect("a list");
    assert_eq!(arguments.len(), places.len(), "nothing more and nothing less");
    for (argument, seq) in arguments.iter().zip(2..) {
        assert_eq!(argument["seq"], seq, "dense");
        assert_eq!(argument["client_request_id"].as_str(), places.get(&seq).map(String::as_str));
    }
}

#[tokio::test]
async fn request_sent_to_two_servers_at_once_is_written_once() {
    let setup = Setup::postgres();
    let (here, there) = start_two(&setup).await;
    let debate = Debate::open(&here).await;
    let elsewhere = at(&there, &debate);
    for number in 0..20 {
        let role = if number % 2 == 0 { "opponent" } else { "proposer" };
        let key = format!("k-{number}");
        let (one, other) = tokio::join!(
            debate.claim(role, &debate.motion, &key),
            elsewhere.claim(role, &debate.motion, &key),
        );
        assert_eq!(argument_id(&one), argument_id(&other), "request {number}");
        let (fresh, replayed) = if one.status == 201 { (one, other) } else { (other, one) };
        assert_eq!((fresh.status, replayed.status), (201, 200), "request {number}");
        assert_eq!(fresh.header("idempotent-replayed"), None);
        assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    }
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(20));
}

#[tokio::test]
async fn stream_of_a_killed_server_is_resumed_at_the_other() {
    let setup = Setup::postgres();
    let (here, there) = start_two(&setup).await;
    let debate = Debate::open(&here).await;
    let path = debate.path("/events");
    let mut events = Events::open(&here, &path, None).await;
    let motion = events.take(1).await.remove(0);
    let debate = at(&there, &debate);
    here.kill().await;
    // The stream may end in the middle of an event, but no event may follow.
    assert_eq!(events.next().await, None);

    let claim = debate.claim("opponent", &debate.motion, "k1").await;
    let mut events = Events::open(&there, &path, motion.id.as_deref()).await;
    let second = events.take(1).await.remove(0);
    assert_eq!((second.seq(), second.id.as_deref()), (2, Some(argument_id(&claim).as_str())));

    let again = setup.start().await;
    debate.claim("proposer", &argument_id(&claim), "k2").await;
    let mut events = Events::open(&again, &path, second.id.as_deref()).await;
    let rest: Vec<_> = events.take(1).await.iter().map(Event::seq).collect();
    assert_eq!(rest, [3]);
}
