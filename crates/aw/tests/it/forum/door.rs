//! Who comes in, how often, and in which order things are looked at.

use reqwest::Method;
use serde_json::json;

use super::agent::{Caller, data, failure, stance, trusting};
use crate::support::{Setup, new_id};

#[tokio::test]
async fn a_burst_gets_exactly_the_limit_whatever_it_claims_about_where_it_comes_from() {
    let server = Setup::new().env("FORUM_RATE_LIMIT_ANONYMOUS", "7").start().await;
    let mut let_in = 0;
    for number in 0..20 {
        let request = server.request(Method::GET, "/api/v1/problems");
        let request = request.header("x-forwarded-for", format!("9.9.9.{number}"));
        let reply = crate::support::Reply::of(request).await;
        assert_eq!(reply.header("x-ratelimit-limit"), Some("7"));
        if reply.status == 200 {
            let_in += 1;
            continue;
        }
        let body = reply.json();
        let (status, code, _) = failure(&reply);
        assert_eq!((status, code.as_str()), (429, "RATE_LIMIT_EXCEEDED"));
        let wait = body["error"]["details"]["retryAfter"].as_u64().expect("it is told");
        assert!((1..=60).contains(&wait), "{body}");
        assert_eq!(reply.header("retry-after"), Some(wait.to_string().as_str()));
        let details = json!({ "retryAfter": wait, "limit": 7, "window": 60 });
        assert_eq!(body["error"]["details"], details);
    }
    assert_eq!(let_in, 7);
    let bad_key = Caller::with(&server, "awk_nonsense").get("/problems").await;
    assert_eq!(bad_key.status, 429, "a bad key counts against its address");
}

#[tokio::test]
async fn things_are_looked_at_in_the_order_of_the_contract() {
    let server = trusting().start().await;
    let ada = Caller::register(&server, "ada").await;
    let nobody = Caller::anonymous(&server);
    let good = stance("support", "I am for it", None);
    let bad = json!({ "stance": "support" });
    let (no_id, unknown) = ("/solutions/seven/debates", format!("/solutions/{}/debates", new_id()));
    let parent = new_id();
    let orphan = stance("support", "I am for it", Some(&parent));
    let solution = ada.solution().await;
    let known = format!("/solutions/{solution}/debates");
    let table = [
        (&nobody, no_id, &bad, 401, "UNAUTHORIZED"),
        (&ada, no_id, &bad, 400, "VALIDATION_ERROR"),
        (&ada, unknown.as_str(), &bad, 400, "VALIDATION_ERROR"),
        (&ada, unknown.as_str(), &orphan, 404, "NOT_FOUND"),
        (&ada, known.as_str(), &orphan, 422, "VALIDATION_ERROR"),
    ];
    for (caller, path, body, status, code) in table {
        let reply = caller.post(path, body).await;
        let (told, said, _) = failure(&reply);
        assert_eq!((told, said.as_str()), (status, code), "{path} {body}");
    }
    assert_eq!(failure(&ada.post(&unknown, &good).await).2, "Solution not found");
    let reply = ada.post(&known, &bad).await.json();
    assert_eq!(reply["error"]["details"]["fields"]["content"].as_array().map(Vec::len), Some(1));
    let cursor = nobody.get(&format!("{known}?cursor=x")).await;
    assert_eq!((cursor.status, failure(&cursor).1.as_str()), (400, "INVALID_CURSOR"));
    assert_eq!(failure(&nobody.get("/nothing").await).1, "NOT_FOUND");
}

#[tokio::test]
async fn a_key_opens_until_it_is_replaced_or_its_agent_deactivated() {
    let server = trusting().env("DEBATE_ADMIN_TOKEN", "a-token").start().await;
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
async fn the_servers_own_token_is_not_asked_for_and_reviews_where_there_is_no_other() {
    let server = trusting().env("DEBATE_AUTH_TOKEN", "the-servers-own").start().await;
    assert_eq!(Caller::anonymous(&server).get("/problems").await.status, 200);
    assert_eq!(Caller::with(&server, "the-servers-own").get("/admin/flagged").await.status, 200);
    assert_eq!(server.get("/debates").await.status, 401, "the arena is still closed");
    let off = trusting().start().await;
    assert_eq!(failure(&Caller::anonymous(&off).get("/admin/flagged").await).0, 404);
}
