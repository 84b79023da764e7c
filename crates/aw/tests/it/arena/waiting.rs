//! Polling and long polling of a debate.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{
    Connection, Debate, Record, Server, Setup, argument_id, create_body, new_id, until,
};

#[tokio::test]
async fn poll_returns_the_action_for_each_role_in_every_state() {
    let server = Server::start().await;
    let mut record = Record::default();
    for state in [
        "AWAITING_OPPONENT",
        "AWAITING_PROPOSER",
        "AWAITING_ARBITRATOR",
        "INTERVENTION_PENDING",
        "CLOSED",
    ] {
        let debate = Debate::open(&server).await;
        debate.advance_to(state).await;
        for role in ["proposer", "opponent"] {
            let reply = server.get(&debate.path(&format!("/poll?role={role}"))).await;
            record.note(&format!("the {role} polls while {state}"), &reply);
        }
    }
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    let ruling = debate.rule(false).await;
    for role in ["proposer", "opponent"] {
        let reply = server.get(&debate.path(&format!("/poll?role={role}"))).await;
        record.note(&format!("the {role} polls after a ruling"), &reply);
    }
    let seen = format!("/poll?role=proposer&argument_id={}", argument_id(&ruling));
    record.note("nothing is newer", &server.get(&debate.path(&seen)).await);
    let missed = format!("/poll?role=proposer&argument_id={}", debate.motion);
    record.note(
        "an intervention is not hidden by the ruling",
        &server.get(&debate.path(&missed)).await,
    );
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn invalid_queries_are_refused_by_poll_and_wait_alike() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let other = Debate::open(&server).await;
    let mut record = Record::default();
    for endpoint in ["poll", "wait"] {
        for query in [
            String::new(),
            "?role=".to_owned(),
            "?role=arbitrator".to_owned(),
            "?role=proposer&argument_id=nonsense".to_owned(),
            format!("?role=proposer&argument_id={}", new_id()),
            format!("?role=proposer&argument_id={}", other.motion),
            "?role=proposer&role=opponent".to_owned(),
        ] {
            let reply = server.get(&debate.path(&format!("/{endpoint}{query}"))).await;
            record.note(&format!("{endpoint}{query}"), &reply);
        }
        let path = format!("/debates/{}/{endpoint}?role=proposer", new_id());
        record.note(&format!("{endpoint} on no debate"), &server.get(&path).await);
    }
    for timeout in ["-1", "x", "99999999999"] {
        let path = debate.path(&format!("/wait?role=proposer&timeout_ms={timeout}"));
        record.note(&format!("wait for {timeout}"), &server.get(&path).await);
    }
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn empty_position_means_the_beginning() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let reply = server.get(&debate.path("/wait?argument_id=&role=opponent")).await;
    assert_eq!(reply.data()["argument"]["type"], "MOTION");
}

#[tokio::test]
async fn wait_without_a_change_succeeds_at_its_timeout() {
    let server = Setup::new().env("DEBATE_POLL_TIMEOUT_MS", "50").start().await;
    let debate = Debate::open(&server).await;
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let reply = server.get(&path).await;
    let nothing = json!({ "has_new_argument": false, "debate_id": debate.id, "last_seen_seq": 1 });
    assert_eq!((reply.status, reply.data()), (200, nothing.clone()));
    // A longer timeout than the server's maximum is cut to the maximum.
    assert_eq!(server.get(&format!("{path}&timeout_ms=3600000")).await.data(), nothing);
}

#[tokio::test]
async fn write_wakes_all_waiters_of_its_debate_only() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let other = Debate::open(&server).await;
    let waiting = debate.path(&format!("/wait?role=proposer&argument_id={}", debate.motion));
    let elsewhere = other.path(&format!("/wait?role=proposer&argument_id={}", other.motion));
    let waiters = futures_util::future::join_all((0..8).map(|_| server.get(&waiting)));
    let outsider = server.get(&elsewhere);
    let writer = async {
        until("nine wait", || async { server.metric("aw_waiters").await >= 9.0 }).await;
        debate.claim("opponent", &debate.motion, "c").await;
    };
    let wake_both = async {
        let (replies, ()) = tokio::join!(waiters, writer);
        for reply in replies {
            assert_eq!(reply.data()["argument"]["seq"], 2);
            assert_eq!(reply.data()["action"], "respond");
        }
        assert!(server.metric("aw_waiters").await >= 1.0, "the outsider still waits");
        other.claim("opponent", &other.motion, "c").await;
    };
    let (reply, ()) = tokio::join!(outsider, wake_both);
    assert_eq!(reply.data()["argument"]["debate_id"], serde_json::Value::Null);
    assert_eq!(reply.data()["arguments"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn wait_ends_when_the_debate_is_deleted() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let delete = async {
        until("one waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
        server.delete(&debate.path("")).await
    };
    let (reply, _) = tokio::join!(server.get(&path), delete);
    assert_eq!((reply.status, reply.code().as_str()), (404, "DEBATE_NOT_FOUND"));
}

#[tokio::test]
async fn disconnected_client_frees_its_waiter() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let mut connection = Connection::open(&server).await;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    connection.send(request.as_bytes()).await;
    until("it waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
    drop(connection);
    until("it is gone", || async { server.metric("aw_waiters").await == 0.0 }).await;
    assert!(server.metric("aw_waited_on_debates").await == 0.0, "and its room with it");
}

/// hyper stops reading while it has bytes of the next request.
#[tokio::test]
async fn client_that_disconnects_after_a_pipelined_request_frees_its_waiter() {
    let server = Setup::new().without_wait_timeout().start().await;
    let debate = Debate::open(&server).await;
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    for [at_once, later] in [
        ["\r\n".to_owned(), String::new()],
        [String::new(), "GET /hea".to_owned()],
        [request("/health"), request("/health")],
        [request(&path), "x".repeat(3000)],
    ] {
        let mut connection = Connection::open(&server).await;
        connection.send((request(&path) + &at_once).as_bytes()).await;
        until("it waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
        connection.send(later.as_bytes()).await;
        drop(connection);
        until("it is gone", || async { server.metric("aw_waiters").await == 0.0 }).await;
    }
}

#[tokio::test]
async fn pipelined_request_is_answered_after_the_wait() {
    let server = Server::start().await;
    let (debate, other) = (Debate::open(&server).await, Debate::open(&server).await);
    let path = debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion));
    let address = server.address();
    let wait = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let content = "long ".repeat(1500);
    let claim = json!({ "role": "opponent", "target_id": other.motion, "content": content,
                        "client_request_id": "behind" })
    .to_string();
    let claim = format!(
        "POST {} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{claim}",
        other.path("/arguments"),
        claim.len()
    );
    let (head, body) = claim.split_at(40);
    let mut connection = Connection::open(&server).await;
    connection.send((wait + head).as_bytes()).await;
    until("it waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
    for piece in body.as_bytes().chunks(1000) {
        connection.send(piece).await;
    }
    debate.intervene().await;
    let (first, second) = (connection.reply().await, connection.reply().await);
    assert_eq!((first.status, second.status), (200, 201), "{}", second.body);
    assert!(second.json()["data"]["argument"]["content"] == content, "every byte arrived");
}

#[tokio::test]
async fn waiters_over_the_limit_get_a_retry_time() {
    let setup =
        Setup::new().env("DEBATE_MAX_WAITERS", "2").env("DEBATE_MAX_WAITERS_PER_DEBATE", "1");
    let server = setup.start().await;
    let first = Debate::open(&server).await;
    let second = Debate::open(&server).await;
    let third = Debate::open(&server).await;
    let wait = |debate: &Debate<'_>| {
        debate.path(&format!("/wait?role=opponent&argument_id={}", debate.motion))
    };
    let (one, two) = (wait(&first), wait(&second));
    let crowd = async { tokio::join!(server.get(&one), server.get(&two)) };
    let refused = async {
        until("two wait", || async { server.metric("aw_waiters").await >= 2.0 }).await;
        for debate in [&first, &third] {
            let reply = server.get(&wait(debate)).await;
            assert_eq!((reply.status, reply.code().as_str()), (503, "OVERLOADED"));
            assert_eq!(reply.header("retry-after"), Some("1"));
        }
        first.intervene().await;
        second.intervene().await;
    };
    tokio::join!(crowd, refused);
}

#[tokio::test]
async fn wait_returns_as_many_bytes_as_one_response_holds_and_counts_the_remaining_arguments() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    for turn in 0..40 {
        let role = if turn % 2 == 0 { "opponent" } else { "proposer" };
        let body = json!({ "role": role, "target_id": debate.motion, "content": "x".repeat(10_240),
                           "client_request_id": format!("c{turn}") });
        server.post(&debate.path("/arguments"), &body).await;
    }
    let reply = server.get(&debate.path("/poll?role=opponent")).await;
    assert!(reply.text.len() < 512 * 1024, "{} bytes", reply.text.len());
    let news = reply.data();
    let arguments = news["arguments"].as_array().expect("a list");
    let omitted = news["arguments_omitted"].as_u64().expect("a count");
    assert!(omitted > 0);
    assert_eq!(u64::try_from(arguments.len()).unwrap() + omitted, 41);
    assert_eq!(arguments[0]["seq"], omitted + 1);
    assert_eq!(news["argument"]["seq"], 41);
}

#[tokio::test]
async fn wait_returns_the_newest_500_missed_arguments_and_counts_the_remaining_ones() {
    let server = Server::start().await;
    let id = new_id();
    let opened = server.post("/debates", &create_body(&id)).await;
    let debate = Debate { server: &server, motion: argument_id(&opened), id };
    let mut target = debate.motion.clone();
    for turn in 0..509 {
        let role = if turn % 2 == 0 { "opponent" } else { "proposer" };
        target = argument_id(&debate.claim(role, &target, &format!("c{turn}")).await);
    }
    let news = server.get(&debate.path("/poll?role=opponent")).await.data();
    assert_eq!(news["arguments"].as_array().map(Vec::len), Some(500));
    assert_eq!(news["arguments_omitted"], 10);
    assert_eq!(news["arguments"][0]["seq"], 11);
    assert_eq!(news["argument"]["seq"], 510);
    assert_eq!(news["arguments"][499], news["argument"]);
}
