//! Logging out ends the session itself: copies of its cookie, open streams and open sockets.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{Caller, auto_approving};
use crate::support::visitor::Visitor;
use crate::support::visitor::redirect_target;
use crate::support::{Debate, Events, Reply, Server, Ws, until};
use crate::web::access::{TOKEN, log_in, with_token};
use crate::web::forum::sign_in;

/// A socket that sends only this visitor's cookies.
async fn open_socket(person: &Visitor<'_>, server: &Server, debate: &str) -> Ws {
    let (query, cookies) = (format!("?debate_id={debate}"), person.cookies());
    let ws = Ws::try_open_with(server, &query, &[("cookie", &cookies)]).await;
    let mut ws = ws.expect("a session may read");
    assert_eq!(ws.next().await["event"], "initial_state");
    ws
}

/// A stream that sends this visitor's cookies, after its first event.
async fn open_stream(person: &Visitor<'_>, path: &str) -> Events {
    let mut events = Events::receive(person.request(Method::GET, path)).await;
    assert_eq!(events.status, 200);
    events.next().await.expect("the motion is there");
    events
}

#[tokio::test]
async fn copied_session_cookie_is_refused_everywhere_after_logout() {
    let setup = with_token();
    let server = setup.start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let (person, other) = (log_in(&server).await, log_in(&server).await);
    let copy = person.copy_to(&server);
    assert_eq!(copy.get("/arena").await.status, 200);
    assert_eq!(redirect_target(&person.post("/logout", &[]).await), "/login");

    let query = format!("?debate_id={}", debate.id);
    let cookies = copy.cookies();
    assert_eq!(redirect_target(&copy.get("/arena").await), "/login?next=%2Farena");
    assert_eq!(copy.post("/arena/new", &[("title", "x")]).await.status, 401);
    for path in [debate.path(""), debate.path("/events"), debate.path("/wait?role=opponent")] {
        let reply = copy.get(&path).await;
        assert_eq!((reply.status, reply.code().as_str()), (401, "AUTH_FAILED"), "{path}");
    }
    assert_eq!(Ws::refusal_with(&server, &query, &[("cookie", &cookies)]).await, 401);
    assert!(!copy.get("/forum").await.text.contains("Log out"), "open pages show no session");
    assert_eq!(other.get("/arena").await.status, 200, "another session of the same token");

    let copy = copy.cookie("aw_session");
    drop(server);
    let server = setup.start().await;
    let person = log_in(&server).await;
    person.set_cookie("aw_session", &copy);
    assert_eq!(person.get("/arena").await.status, 303, "revoked sessions outlive a restart");
}

#[tokio::test]
async fn open_stream_socket_and_wait_end_when_their_session_logs_out() {
    let server = with_token().without_wait_timeout().start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let (person, other) = (log_in(&server).await, log_in(&server).await);
    let mut events = open_stream(&person, &debate.path("/events")).await;
    let mut ws = open_socket(&person, &server, &debate.id).await;
    let path = debate.path(&format!("/wait?role=proposer&argument_id={}", debate.motion));
    let wait = tokio::spawn(Reply::receive(person.request(Method::GET, &path)));
    let mut other_events = open_stream(&other, &debate.path("/events")).await;
    let mut other_ws = open_socket(&other, &server, &debate.id).await;
    until("all five wait", || async { server.metric("aw_waiters").await >= 5.0 }).await;

    assert_eq!(redirect_target(&person.post("/logout", &[]).await), "/login");
    assert_eq!(events.next().await, None);
    assert_eq!(ws.close_code().await, 1008);
    let waited = wait.await.expect("it is answered");
    assert_eq!((waited.status, waited.code().as_str()), (401, "AUTH_FAILED"));

    debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!(other_events.next().await.expect("it goes on").seq(), 2, "another session");
    assert_eq!(other_ws.next().await["event"], "new_argument", "another session");
}

#[tokio::test]
async fn socket_opened_with_a_session_cookie_cannot_write() {
    let server = with_token().start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let person = log_in(&server).await;
    let mut ws = open_socket(&person, &server, &debate.id).await;
    for event in ["submit_intervention", "submit_ruling"] {
        ws.send(event, json!({ "debate_id": debate.id, "content": "so be it" })).await;
        let error = ws.next().await;
        assert_eq!(
            (&error["event"], &error["data"]["code"]),
            (&json!("error"), &json!("FORBIDDEN"))
        );
        assert!(error["data"]["suggestion"].is_string(), "{error}");
    }
    assert_eq!(debate.read().await["arguments"], json!([]), "nothing was written");

    let cookies = person.cookies();
    let (query, bearer) = (format!("?debate_id={}", debate.id), format!("Bearer {TOKEN}"));
    let in_query = format!("{query}&token={TOKEN}");
    for (query, headers, event) in [
        (&query, vec![("cookie", &*cookies), ("authorization", &*bearer)], "submit_intervention"),
        (&in_query, vec![("cookie", &*cookies)], "submit_ruling"),
    ] {
        let ws = Ws::try_open_with(&server, query, &headers).await;
        let mut ws = ws.expect("the token opens it");
        assert_eq!(ws.next().await["event"], "initial_state");
        ws.send(event, json!({ "debate_id": debate.id, "content": "so be it" })).await;
        assert_eq!(ws.next().await["event"], "new_argument", "the token writes");
    }
}

#[tokio::test]
async fn page_forms_still_write_with_a_session_and_not_after_logout() {
    let server = with_token().start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let person = log_in(&server).await;
    let copy = person.copy_to(&server);
    let path = format!("/arena/{}/intervene", debate.id);
    let fields = [("content", "Stop."), ("step", "do"), ("client_request_id", "i-1")];
    person.post("/logout", &[]).await;
    assert_eq!(copy.post(&path, &fields).await.status, 401);
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT");
    let again = log_in(&server).await;
    assert_eq!(again.post(&path, &fields).await.status, 303);
    assert_eq!(debate.read().await["debate"]["state"], "INTERVENTION_PENDING");
}

#[tokio::test]
async fn forum_cookie_and_its_open_stream_end_at_forum_logout() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let key = ada.key.as_deref().expect("it registered");
    let (person, other) = (sign_in(&server, key).await, sign_in(&server, key).await);
    let copy = person.copy_to(&server);
    let is_ada = async |person: &Visitor<'_>| person.get("/forum").await.text.contains("as ada");
    assert!(is_ada(&copy).await);
    let path = format!("/forum/solutions/{solution}/events");
    let mut events = Events::receive(copy.request(Method::GET, &path)).await;
    let mut other_events = Events::receive(other.request(Method::GET, &path)).await;
    assert_eq!((events.status, other_events.status), (200, 200));
    assert_eq!(redirect_target(&person.post("/forum/logout", &[]).await), "/forum");

    assert_eq!(events.next().await, None, "the stream of the revoked identity ends");
    assert!(!is_ada(&copy).await, "a copied cookie counts as absent");
    assert!(is_ada(&other).await, "another session with the same key");
    let posts = format!("/solutions/{solution}/debates");
    ada.create(&posts, &crate::support::forum::stance("support", "Yes", None)).await;
    assert_eq!(other_events.next().await.expect("it goes on").name, "debate");
}

#[tokio::test]
async fn session_that_reviews_stops_reviewing_after_logout() {
    let server = auto_approving().env("DEBATE_AUTH_TOKEN", TOKEN).start().await;
    let person = log_in(&server).await;
    let copy = person.copy_to(&server);
    assert_eq!(copy.get("/forum/flagged").await.status, 200);
    person.post("/logout", &[]).await;
    assert_eq!(
        redirect_target(&copy.get("/forum/flagged").await),
        "/forum/login?next=%2Fforum%2Fflagged"
    );
}

#[tokio::test]
async fn valid_session_is_found_beside_a_revoked_one() {
    let server = with_token().start().await;
    let (gone, person) = (log_in(&server).await, log_in(&server).await);
    let (revoked, valid) = (gone.cookies(), person.cookies());
    gone.post("/logout", &[]).await;
    for cookies in [format!("{revoked}; {valid}"), format!("{valid}; {revoked}")] {
        let visitor = Visitor::at(&server);
        let request = visitor.request(Method::GET, "/arena").header("cookie", &cookies);
        assert_eq!(visitor.send(request).await.status, 200, "{cookies}");
    }
}
