//! Slugs in paths and queries, and the filters of the list by name.

use reqwest::Method;
use serde_json::json;

use crate::support::visitor::Visitor;
use crate::support::{Debate, Events, Server, Ws, argument_id, new_id};

async fn slug(debate: &Debate<'_>) -> String {
    debate.read().await["debate"]["slug"].as_str().expect("it has one").to_owned()
}

#[tokio::test]
async fn every_path_accepts_a_slug() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let name = slug(&debate).await;
    assert!(name.starts_with("cache-the-index-"), "{name}");
    let by_slug = Debate { server: &server, id: name.clone(), motion: debate.motion.clone() };
    assert_eq!(by_slug.read().await, debate.read().await);
    let claim = by_slug.claim("opponent", &debate.motion, "c-1").await;
    assert_eq!(claim.data()["argument"]["debate_id"], debate.id, "answers have the UUID");
    let appeal = by_slug.ask("appeal", &argument_id(&claim), "a-1").await;
    assert_eq!(appeal.status, 201, "{}", appeal.text);
    assert_eq!(by_slug.rule(false).await.status, 201);
    assert_eq!(by_slug.intervene().await.status, 201);
    assert_eq!(by_slug.rule(false).await.status, 201);
    for rest in ["/poll?role=proposer", "/wait?role=proposer", "/seats"] {
        assert_eq!(server.get(&by_slug.path(rest)).await.status, 200, "{rest}");
    }
    let nothing = format!("/wait?role=proposer&timeout_ms=0&argument_id={}", {
        let arguments = debate.read().await["arguments"].clone();
        let newest = arguments.as_array().and_then(|list| list.last()).expect("there are some");
        newest["id"].as_str().expect("it is text").to_owned()
    });
    assert_eq!(server.get(&by_slug.path(&nothing)).await.data()["debate_id"], debate.id);
    let mut events = Events::open(&server, &by_slug.path("/events"), None).await;
    assert_eq!(events.next().await.expect("the motion").seq(), 1);
    let mut ws = Ws::open(&server, &format!("?debate_id={name}")).await;
    assert_eq!(ws.next().await["data"]["debate"]["id"], debate.id);
    ws.send("submit_intervention", json!({ "debate_id": name })).await;
    assert_eq!(ws.next().await["data"]["argument"]["type"], "INTERVENTION");
    assert_eq!(by_slug.rule(false).await.status, 201);
    let visitor = Visitor::at(&server);
    for rest in ["", "/entries?after=1", "/rule", "/delete", "/export.json", "/export.md"] {
        let page = visitor.get(&format!("/arena/{name}{rest}")).await;
        assert_eq!(page.status, 200, "{rest}");
    }
    let last = argument_id(&claim);
    assert_eq!(by_slug.ask("resolution", &last, "r-1").await.status, 201);
    assert_eq!(server.delete(&by_slug.path("")).await.status, 200);
    let reply = server.get(&by_slug.path("")).await;
    assert_eq!((reply.status, reply.code().as_str()), (404, "DEBATE_NOT_FOUND"));
}

#[tokio::test]
async fn unknown_slug_is_not_found_and_other_text_is_invalid() {
    let server = Server::start().await;
    let routes = [
        (Method::GET, ""),
        (Method::DELETE, ""),
        (Method::POST, "/intervention"),
        (Method::GET, "/poll?role=opponent"),
        (Method::GET, "/wait?role=opponent"),
        (Method::GET, "/events"),
        (Method::GET, "/seats"),
        (Method::DELETE, "/seats/opponent"),
    ];
    let unknown = [new_id(), "cache-the-index-k3f7".to_owned(), "a-0000".to_owned()];
    let invalid = ["not-a-uuid", "nonsense", "Cache-the-index-k3f7", "a-k3f", "a--k3f7", "a-kfff"];
    for (method, rest) in routes {
        for (name, expected) in unknown
            .iter()
            .map(|name| (name.as_str(), (404, "DEBATE_NOT_FOUND")))
            .chain(invalid.map(|name| (name, (400, "INVALID_INPUT"))))
        {
            let path = format!("/debates/{name}{rest}");
            let reply = server.send(method.clone(), &path, None, &[]).await;
            assert_eq!((reply.status, reply.code().as_str()), expected, "{method} {path}");
        }
    }
    assert_eq!(Ws::refusal(&server, "?debate_id=cache-the-index-k3f7").await, 404);
    assert_eq!(Ws::refusal(&server, "?debate_id=not-a-uuid").await, 400);
}

#[tokio::test]
async fn list_is_filtered_by_slug_and_by_the_beginning_of_the_id() {
    let server = Server::start().await;
    let debates = [Debate::open(&server).await, Debate::open(&server).await];
    let ids = |query: String| {
        let server = &server;
        async move {
            let data = server.get(&format!("/debates?{query}")).await.data();
            let list = data["debates"].as_array().expect("it is a list").clone();
            assert_eq!(data["total"], list.len());
            let id = |debate: &serde_json::Value| debate["id"].as_str().expect("text").to_owned();
            list.iter().map(id).collect::<Vec<_>>()
        }
    };
    for debate in &debates {
        let only = vec![debate.id.clone()];
        assert_eq!(ids(format!("slug={}", slug(debate).await)).await, only);
        for length in [8, 9, 13, 20, 36] {
            let found = ids(format!("id_prefix={}", &debate.id[..length])).await;
            assert_eq!(found, only, "{length}");
        }
        let state = format!("id_prefix={}&state=CLOSED", debate.id);
        assert_eq!(ids(state).await, Vec::<String>::new(), "filters combine");
    }
    assert_eq!(ids("slug=cache-the-index-0000".to_owned()).await, Vec::<String>::new());
    assert_eq!(ids("slug=&id_prefix=".to_owned()).await.len(), 2, "empty values count as absent");
    for (query, field) in [
        ("slug=not-a-slug", "slug"),
        ("slug=Cache-the-index-k3f7", "slug"),
        ("id_prefix=abc", "id_prefix"),
        ("id_prefix=ghij", "id_prefix"),
        ("id_prefix=0000-0000", "id_prefix"),
        ("id_prefix=00000000-0000-0000-0000-0000000000000", "id_prefix"),
        ("id_prefix=0000&slug=cache-the-index-k3f7", "id_prefix"),
    ] {
        let reply = server.get(&format!("/debates?{query}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"), "{query}");
        assert_eq!(reply.error()["field"], field, "{query}");
    }
}
