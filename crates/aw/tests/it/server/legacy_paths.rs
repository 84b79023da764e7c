//! Paths of earlier servers: trailing slashes, and addresses of the old pages.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;

use crate::server::access::ROUTES;
use crate::support::visitor::Visitor;
use crate::support::{Connection, Debate, Server, Setup, Ws, create_body, new_id};

const ROUTER: &str = include_str!("../../../../debate-http/src/router.rs");

/// The path with a slash before its query.
fn with_slash(path: &str) -> String {
    match path.split_once('?') {
        Some((path, query)) => format!("{path}/?{query}"),
        None => format!("{path}/"),
    }
}

#[tokio::test]
async fn api_path_with_a_slash_at_its_end_answers_like_the_path_without() {
    let server = Server::start().await;
    let host = format!("Host: {}\r\n", server.address());
    let forum = [
        ("get", "", "/api/v1/problems", true),
        ("post", "", "/api/v1/auth/agents/register", true),
        ("get", "", "/api/v1/nothing", true),
    ];
    // A long poll and a stream would block here; both are tested below.
    let held = ["/debates/{id}/wait", "/debates/{id}/events"];
    let routes = ROUTES.iter().filter(|(_, template, ..)| !held.contains(template));
    for (method, _, path, _) in routes.chain(&forum) {
        let (method, path) = (method.to_uppercase(), path.replace("ID", &new_id()));
        let mut answers = Vec::new();
        for path in [path.clone(), with_slash(&path)] {
            let request = format!("{method} {path} HTTP/1.1\r\n{host}Content-Length: 0\r\n\r\n");
            answers.push(Connection::exchange(&server, request.as_bytes()).await.status);
        }
        assert_eq!(answers[0], answers[1], "{method} {path}");
    }
}

#[tokio::test]
async fn debate_works_over_paths_with_a_slash_at_their_end() {
    let server = Server::start().await;
    let id = new_id();
    let created = server.post("/debates/", &create_body(&id)).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let motion = &created.data()["argument"]["id"];
    let claim = json!({
        "role": "opponent", "target_id": motion, "content": "no", "client_request_id": "1",
    });
    let claimed = server.post(&format!("/debates/{id}/arguments/"), &claim).await;
    assert_eq!(claimed.status, 201, "{}", claimed.text);
    let waited = server.get(&format!("/debates/{id}/wait/?role=proposer")).await;
    assert_eq!(waited.data()["argument"]["content"], "no");
    let mut socket = Ws::open(&server, &format!("/?debate_id={id}")).await;
    assert_eq!(socket.next().await["event"], "initial_state");
    let events = server.request(Method::GET, &format!("/debates/{id}/events/?after=1"));
    assert_eq!(events.send().await.expect("the server answers").status(), 200);
}

#[tokio::test]
async fn old_addresses_of_the_web_client_redirect_to_the_pages() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    for (old, page) in [
        ("/debate".to_owned(), "/arena".to_owned()),
        ("/debate/".to_owned(), "/arena".to_owned()),
        ("/debate/debates".to_owned(), "/arena".to_owned()),
        (format!("/debate/debates/{}", debate.id), format!("/arena/{}", debate.id)),
    ] {
        let reply = visitor.get(&old).await;
        assert_eq!((reply.status, reply.header("location")), (308, Some(&*page)), "{old}");
        assert_eq!(visitor.get(&page).await.status, 200);
    }
    let slashed = visitor.get("/debate/debates/").await;
    assert_eq!(slashed.header("location"), Some("/debate/debates"));
}

#[tokio::test]
async fn base_path_that_begins_with_the_first_segment_of_a_route_is_refused() {
    let server = Server::start().await;
    let contract = server.get("/openapi.json").await.json();
    let routes = contract["paths"].as_object().expect("a contract has paths").keys();
    let pages = ROUTER.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let parts: BTreeSet<&str> =
        routes.map(String::as_str).chain(pages).filter_map(|path| path.split('/').nth(1)).collect();
    assert!(parts.len() > 10, "{parts:?}");
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let setup = Setup::new().env("DEBATE_BASE_PATH", &format!("/{part}/below"));
        let (status, output) = setup.start_refused().await;
        assert!(!status.success() && output.contains("DEBATE_BASE_PATH"), "{part}: {output}");
    }
}
