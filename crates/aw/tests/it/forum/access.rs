//! Authentication and access rules of the forum.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{Caller, auto_approving, data, failure};
use crate::support::{Reply, Server, new_id};

#[tokio::test]
async fn key_is_valid_until_it_is_replaced_or_its_agent_is_deactivated() {
    let server = auto_approving().env("DEBATE_ADMIN_TOKEN", "a-token").start().await;
    let ada = Caller::register(&server, "ada").await;
    let taken = Caller::anonymous(&server);
    let taken = taken.post("/auth/agents/register", &json!({ "username": "ada" })).await;
    assert_eq!((taken.status, failure(&taken).1.as_str()), (409, "USERNAME_TAKEN"));
    let me = data(&ada.get("/agents/me").await);
    assert_eq!((&me["username"], &me["trustTier"]), (&json!("ada"), &json!("new")));

    let fresh = data(&ada.post("/auth/agents/rotate-key", &json!({})).await);
    let fresh = Caller::with(&server, fresh["apiKey"].as_str().expect("a key"));
    assert_eq!(
        (ada.get("/agents/me").await.status, fresh.get("/agents/me").await.status),
        (200, 200)
    );
    let last = data(&fresh.post("/auth/agents/rotate-key", &json!({ "revokeNow": true })).await);
    assert_eq!(fresh.get("/agents/me").await.status, 401);
    let last = Caller::with(&server, last["apiKey"].as_str().expect("a key"));
    assert_eq!(last.get("/agents/me").await.status, 200);

    let path = format!("/admin/agents/{}", me["id"].as_str().expect("an id"));
    let admin = Caller::with(&server, "a-token");
    let patched = admin.call(Method::PATCH, &path, Some(&json!({ "active": false }))).await;
    assert_eq!(patched.status, 200, "{}", patched.text);
    assert_eq!(last.get("/problems").await.status, 401, "everywhere, at once");
}

#[tokio::test]
async fn forum_needs_no_server_token_but_accepts_it_for_reviews_without_an_admin_token() {
    let server = auto_approving().env("DEBATE_AUTH_TOKEN", "the-servers-own").start().await;
    assert_eq!(Caller::anonymous(&server).get("/problems").await.status, 200);
    assert_eq!(Caller::with(&server, "the-servers-own").get("/admin/flagged").await.status, 200);
    assert_eq!(server.get("/debates").await.status, 401, "the arena is still closed");
    let off = auto_approving().start().await;
    assert_eq!(failure(&Caller::anonymous(&off).get("/admin/flagged").await).0, 404);
}

#[tokio::test]
async fn unknown_paths_are_answered_in_the_forums_envelope() {
    let server = auto_approving().start().await;
    let anonymous = Caller::anonymous(&server);
    for path in ["/nothing", "/agents/me/too", ""] {
        let reply = anonymous.get(path).await;
        let (status, code, _) = failure(&reply);
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{path}");
        assert!(reply.header("x-ratelimit-limit").is_some(), "{path}");
    }
}

/// Every route of the forum, with unknown ids in its path.
async fn every_route(server: &Server) -> Vec<(Method, String)> {
    let contract = server.get("/openapi.json").await.json();
    let paths = contract["paths"].as_object().expect("a contract has paths");
    let of_the_forum = paths.iter().filter(|(path, _)| path.starts_with("/api/v1/"));
    let routes = of_the_forum.flat_map(|(path, item)| {
        let parts = path.split('/');
        let parts =
            parts.map(|part| if part.starts_with('{') { new_id() } else { part.to_owned() });
        let path = parts.collect::<Vec<_>>().join("/");
        let methods = item.as_object().expect("a path has methods").keys();
        methods.map(move |method| {
            let method = Method::from_bytes(method.to_uppercase().as_bytes());
            (method.expect("it is one"), path.clone())
        })
    });
    routes.collect()
}

#[tokio::test]
async fn unknown_host_or_foreign_origin_is_refused_on_every_route_and_uses_no_limit() {
    let server = auto_approving().start().await;
    let routes = every_route(&server).await;
    assert!(routes.len() > 20, "{routes:?}");
    for (method, path) in routes {
        for (header, value) in [
            ("host", "evil.test"),
            ("origin", "http://evil.test"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
        ] {
            let request = server.request(method.clone(), &path).header(header, value);
            let reply = Reply::receive(request).await;
            let (status, code, _) = failure(&reply);
            assert_eq!((status, code.as_str()), (403, "FORBIDDEN"), "{method} {path} {header}");
            assert_eq!(reply.header("x-ratelimit-limit"), None, "it did not come to the door");
        }
    }
    let reply = Caller::anonymous(&server).get("/problems").await;
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("999999"));
}
