//! The log names the actor of each ruling, intervention and deletion, and contains no secret.

use reqwest::Method;
use reqwest::header::USER_AGENT;
use serde_json::{Value, json};

use crate::support::seats::{Action, SeatedDebate};
use crate::support::visitor::Visitor;
use crate::support::{Debate, Reply, Server, Setup, Ws, until};

const TOKEN: &str = "a-token-nobody-would-guess-0123456789";

async fn start_with_log_level(level: &str) -> Server {
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).env("AW_LOG", level);
    setup.start().await.with_token(TOKEN)
}

/// The accepted writes in the log, each as its level and its fields.
fn writes(server: &Server) -> Vec<(String, Value)> {
    let log = server.log();
    assert!(!log.contains(TOKEN), "the token is in no log");
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let writes = lines.filter(|line| line["fields"]["message"] == "write accepted");
    let level = |line: &Value| line["level"].as_str().expect("a line has a level").to_owned();
    writes.map(|line| (level(&line), line["fields"].clone())).collect()
}

/// The paths of the accepted writes that were logged at this level.
fn paths(server: &Server, level: &str) -> Vec<String> {
    let of_level = writes(server).into_iter().filter(|(found, _)| found == level);
    let path = |fields: Value| fields["write.path"].as_str().expect("it has a path").to_owned();
    of_level.map(|(_, fields)| path(fields)).collect()
}

#[tokio::test]
async fn rulings_interventions_and_deletions_are_logged_by_default_with_their_actor() {
    let server = start_with_log_level("info").await;
    let debate = Debate::open(&server).await;
    debate.claim("opponent", &debate.motion, "claim").await;
    let intervene = server.request(Method::POST, &debate.path("/intervention"));
    let intervened =
        Reply::receive(intervene.header(USER_AGENT, "arbiter/7").json(&json!({}))).await;
    assert_eq!(intervened.status, 201, "{}", intervened.text);
    assert_eq!(debate.rule(false).await.status, 201);
    assert_eq!(debate.rule(false).await.status, 403, "and a refused one is not logged");
    assert_eq!(server.delete(&debate.path("")).await.status, 200);
    let expected = ["/intervention", "/ruling", ""].map(|rest| debate.path(rest));
    assert_eq!(paths(&server, "INFO"), expected);
    let found = writes(&server);
    let marks: Vec<_> = found.iter().map(|(_, fields)| &fields["actor.token"]).collect();
    let mark = marks[0].as_str().expect("a mark is text");
    assert!(mark.starts_with("token-") && mark.len() == 14, "{mark}");
    assert!(marks.iter().all(|other| *other == mark), "the same token, the same mark");
    let (_, intervention) = &found[0];
    assert_eq!(intervention["actor.peer"], "127.0.0.1");
    assert_eq!(intervention["actor.user_agent"], "arbiter/7");
    assert_eq!(intervention["request.id"], intervened.header("x-request-id").expect("it has one"));
}

#[tokio::test]
async fn replays_and_claims_are_logged_at_debug_level() {
    let server = start_with_log_level("debug").await;
    let debate = Debate::open(&server).await;
    debate.advance_to("AWAITING_ARBITRATOR").await;
    let ruling = json!({ "content": "go on", "client_request_id": "ruling-1" });
    for status in [201, 200] {
        let reply = server.post(&debate.path("/ruling"), &ruling).await;
        assert_eq!(reply.status, status, "{}", reply.text);
    }
    assert_eq!(paths(&server, "INFO"), [debate.path("/ruling")], "once");
    let others = paths(&server, "DEBUG");
    assert_eq!(others.first().map(String::as_str), Some("/debates"));
    assert!(others.contains(&debate.path("/arguments")), "{others:?}");
    assert!(others.contains(&debate.path("/ruling")), "{others:?}");
}

#[tokio::test]
async fn ruling_over_a_socket_or_a_page_is_logged_with_its_actor() {
    let server = start_with_log_level("info").await;
    let debate = Debate::open(&server).await;
    let mut socket = Ws::open(&server, &format!("?debate_id={}&token={TOKEN}", debate.id)).await;
    socket.next().await;
    socket.send("submit_intervention", json!({ "debate_id": debate.id })).await;
    assert_eq!(socket.next().await["event"], "new_argument");
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    visitor.post("/login", &[("token", TOKEN)]).await;
    let page = format!("/arena/{}/rule", debate.id);
    let asked = [("content", "go on"), ("close", "false")];
    assert_eq!(visitor.post(&page, &asked).await.status, 200, "asked before it is done");
    let done = [("content", "go on"), ("close", "false"), ("step", "do")];
    assert_eq!(visitor.post(&page, &done).await.status, 303);
    until("both are logged", || async { writes(&server).len() >= 2 }).await;
    let found = writes(&server);
    let shown: Vec<_> = found
        .iter()
        .map(|(_, fields)| {
            let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
            let kind = text("actor.token").split('-').next().unwrap_or_default().to_owned();
            (text("write.method"), text("write.path"), kind)
        })
        .collect();
    let over_socket = ("submit_intervention".to_owned(), debate.path(""), "token".to_owned());
    let by_page = ("POST".to_owned(), page, "session".to_owned());
    assert_eq!(shown, [over_socket, by_page]);
}

#[tokio::test]
async fn changes_of_seats_are_logged_with_the_credential_that_allowed_them() {
    let setup = Setup::new().with_seats();
    let server = setup.start().await;
    let debate = SeatedDebate::start(&server).await;
    let path = debate.path("/seats/opponent");
    assert_eq!(debate.take("opponent", "bob", &[debate.own("opponent")]).await.status, 200);
    assert_eq!(debate.release("opponent", &[debate.own("arbitrator")]).await.status, 200);
    assert_eq!(debate.take("opponent", "eve", &[]).await.status, 201);
    let intervened = debate.act(Action::Intervention, "", "i-1", &[debate.own("arbitrator")]).await;
    assert_eq!(intervened.status, 201, "{}", intervened.text);
    let shown: Vec<_> = writes(&server)
        .iter()
        .map(|(level, fields)| {
            let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
            let kind = text("actor.role").split('-').next().unwrap_or_default().to_owned();
            (level.clone(), text("write.method"), text("write.path"), kind)
        })
        .collect();
    let info = |method: &str, path: &str, kind: &str| {
        ("INFO".to_owned(), method.to_owned(), path.to_owned(), kind.to_owned())
    };
    let expected = [
        info("POST", &path, "seat"),
        info("DELETE", &path, "arbitrator"),
        info("POST", &path, "none"),
        info("POST", &debate.path("/intervention"), "arbitrator"),
    ];
    assert_eq!(shown, expected, "a repeat is not logged");
}
