//! The forum's session cookie: it contains no secret and ends with its key or token.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{Caller, data, high_limits};
use crate::support::visitor::Visitor;
use crate::support::visitor::{hidden_field, redirect_target};
use crate::support::{Reply, Server, Setup};
use crate::web::forum::{ANNA, BERT, key_of, sign_in, with_two_reviewers};

/// The identity that the page shows.
async fn shown_identity(visitor: &Visitor<'_>) -> String {
    let page = visitor.get("/forum").await;
    assert_eq!(page.status, 200, "{}", page.text);
    let line = page.text.split("<div class=\"sits\">\n<p>").nth(1).expect("it says so");
    line.split("</p>").next().expect("a split has a first part").to_owned()
}

const ANONYMOUS_BANNER: &str = "Not signed in. You see public posts only.";
const ADA_BANNER: &str = "Signed in as ada. You also see your own unpublished posts.";

#[tokio::test]
async fn forum_cookie_cannot_be_forged_and_contains_no_secret() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let visitor = Visitor::at(&server);
    assert_eq!(shown_identity(&visitor).await, ANONYMOUS_BANNER);
    let door = visitor.get("/forum/login?next=%2Fforum%2Fmine").await;
    assert_eq!(hidden_field(&door.text, "next"), "/forum/mine");
    let wrong = format!("awk_{}", "0".repeat(64));
    let reply = visitor.post("/forum/login", &[("key", &wrong), ("next", "/forum/mine")]).await;
    assert_eq!(reply.status, 403);
    assert!(reply.text.contains("Invalid or expired key or token."), "{}", reply.text);
    assert!(!reply.text.contains(&wrong), "what was tried is not repeated");
    assert_eq!(hidden_field(&reply.text, "next"), "/forum/mine");
    assert_eq!(visitor.cookie("aw_seat"), "");
    for (secret, says) in [
        (key_of(&ada), ADA_BANNER),
        (ANNA, "Signed in as anna (reviewer). You see all posts."),
        (BERT, "Signed in as bert (reviewer). You see all posts."),
    ] {
        let reply = visitor.post("/forum/login", &[("key", &format!(" {secret} "))]).await;
        assert_eq!(redirect_target(&reply), "/forum");
        let cookie = reply.header("set-cookie").expect("a seat").to_owned();
        for part in ["aw_seat_", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
            assert!(cookie.contains(part), "{part} in {cookie}");
        }
        assert!(!cookie.contains(secret), "{cookie}");
        assert_eq!(shown_identity(&visitor).await, says);
    }
    let pass = visitor.cookie("aw_seat");
    let another = pass.replacen("reviewer-bert", "reviewer-anna", 1);
    let nobody = pass.replacen("reviewer-bert", "reviewer-carl", 1);
    let agent = pass.replacen("reviewer-bert", "agent-awk_000000000000", 1);
    for forged in ["", ".", "x", &pass[..pass.len() - 1], &another, &nobody, &agent] {
        visitor.set_cookie("aw_seat", forged);
        assert_eq!(shown_identity(&visitor).await, ANONYMOUS_BANNER, "{forged}");
    }
    visitor.set_cookie("aw_seat", &pass);
    assert_eq!(redirect_target(&visitor.post("/forum/logout", &[]).await), "/forum");
    assert_eq!(shown_identity(&visitor).await, ANONYMOUS_BANNER);
}

#[tokio::test]
async fn forum_session_outlives_a_restart_and_ends_with_its_key_or_agent() {
    let setup = with_two_reviewers();
    let mut server = setup.start().await;
    let ada = key_of(&Caller::register(&server, "ada").await).to_owned();
    let pass = sign_in(&server, &ada).await.cookie("aw_seat");
    server.terminate();
    assert!(server.wait_for_exit().await.success());
    let server = setup.start().await;
    let carrying = async |pass: &str| {
        let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
        let visitor = Visitor::at(&server);
        let request = visitor.request(Method::GET, "/forum");
        let page = visitor.send(request.header("cookie", format!("aw_seat_{port}={pass}"))).await;
        assert_eq!(page.status, 200);
        page.text.contains(ADA_BANNER)
    };
    assert!(carrying(&pass).await, "another process, the same key");
    let (caller, anna) = (Caller::with(&server, &ada), Caller::with(&server, ANNA));
    let me = data(&caller.get("/agents/me").await);
    let path = format!("/admin/agents/{}", me["id"].as_str().expect("it has an id"));
    for (is_active, opens) in [(false, false), (true, true)] {
        let patch = json!({ "active": is_active });
        assert_eq!(anna.call(Method::PATCH, &path, Some(&patch)).await.status, 200);
        assert_eq!(carrying(&pass).await, opens);
    }
    let rotated = data(&caller.post("/auth/agents/rotate-key", &json!({})).await);
    assert!(carrying(&pass).await, "the old key opens for a day more");
    let new = rotated["apiKey"].as_str().expect("a key is text");
    let newer = sign_in(&server, new).await.cookie("aw_seat");
    let revoke = json!({ "revokeNow": true });
    assert_eq!(
        Caller::with(&server, new).post("/auth/agents/rotate-key", &revoke).await.status,
        200
    );
    assert!(!carrying(&pass).await && !carrying(&newer).await, "both keys are gone");
}

#[tokio::test]
async fn session_of_a_reviewer_ends_with_the_token() {
    let setup = with_two_reviewers();
    let server = setup.start().await;
    let pass = sign_in(&server, ANNA).await.cookie("aw_seat");
    drop(server);
    let other = Setup::new().env("DEBATE_ADMIN_TOKEN", "anna:another-token-0123456789");
    let other = other.start().await;
    let visitor = Visitor::at(&other);
    let port = other.address().rsplit(':').next().expect("it has a port").to_owned();
    let request = visitor.request(Method::GET, "/forum");
    let page = visitor.send(request.header("cookie", format!("aw_seat_{port}={pass}"))).await;
    assert!(page.text.contains(ANONYMOUS_BANNER), "{}", page.text);
}

#[tokio::test]
async fn forum_cookie_is_ignored_by_the_api() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let me = async |visitor: &Visitor<'_>, path: &str| -> Reply {
        visitor.send(visitor.request(Method::GET, path)).await
    };
    let agent = sign_in(&server, key_of(&ada)).await;
    assert_eq!(me(&agent, "/api/v1/agents/me").await.status, 401);
    let reviewer = sign_in(&server, ANNA).await;
    assert_eq!(me(&reviewer, "/api/v1/admin/flagged").await.status, 401);
}

#[tokio::test]
async fn forum_is_open_on_a_server_with_a_token_and_a_session_of_a_reviewers_token_reviews() {
    const TOKEN: &str = "a-token-nobody-would-guess-0123456789";
    let logged_in = async |server: &'_ Server| {
        let visitor = Visitor::at(server);
        assert_eq!(redirect_target(&visitor.get("/").await), "/login?next=%2F");
        assert_eq!(shown_identity(&visitor).await, ANONYMOUS_BANNER);
        assert!(!visitor.get("/forum").await.text.contains("Sign out"), "there is no session");
        visitor.post("/login", &[("token", TOKEN)]).await;
        assert!(visitor.get("/forum").await.text.contains("Sign out"));
        shown_identity(&visitor).await
    };
    let server = high_limits().env("DEBATE_AUTH_TOKEN", TOKEN).start().await;
    assert_eq!(logged_in(&server).await, "Signed in as admin (reviewer). You see all posts.");
    let apart = high_limits().env("DEBATE_AUTH_TOKEN", TOKEN).env("DEBATE_ADMIN_TOKEN", ANNA);
    let apart = apart.start().await;
    assert_eq!(logged_in(&apart).await, ANONYMOUS_BANNER, "reviewers have a token of their own");
}
