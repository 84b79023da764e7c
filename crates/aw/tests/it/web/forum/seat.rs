//! The forum's session cookie: it contains no secret and ends with its key or token.

use reqwest::Method;
use serde_json::json;

use super::super::Person;
use super::super::person::{hidden, leads_to};
use super::{ANNA, BERT, key_of, reviewed, seated};
use crate::forum::agent::{Caller, data, roomy};
use crate::support::{Reply, Server, Setup};

/// The identity that the page shows.
async fn sits(person: &Person<'_>) -> String {
    let page = person.get("/forum").await;
    assert_eq!(page.status, 200, "{}", page.text);
    let line = page.text.split("<div class=\"sits\">\n<p>").nth(1).expect("it says so");
    line.split("</p>").next().expect("a split has a first part").to_owned()
}

const NOBODY: &str = "Not signed in. You see public posts only.";
const ADA: &str = "Signed in as ada. You also see your own unpublished posts.";

#[tokio::test]
async fn a_seat_is_a_cookie_that_only_the_server_can_make_and_that_holds_no_secret() {
    let server = reviewed().start().await;
    let ada = Caller::register(&server, "ada").await;
    let person = Person::at(&server);
    assert_eq!(sits(&person).await, NOBODY);
    let door = person.get("/forum/login?next=%2Fforum%2Fmine").await;
    assert_eq!(hidden(&door.text, "next"), "/forum/mine");
    let wrong = format!("awk_{}", "0".repeat(64));
    let reply = person.post("/forum/login", &[("key", &wrong), ("next", "/forum/mine")]).await;
    assert_eq!(reply.status, 403);
    assert!(reply.text.contains("Invalid or expired key or token."), "{}", reply.text);
    assert!(!reply.text.contains(&wrong), "what was tried is not repeated");
    assert_eq!(hidden(&reply.text, "next"), "/forum/mine");
    assert_eq!(person.cookie("aw_seat"), "");
    for (secret, says) in [
        (key_of(&ada), ADA),
        (ANNA, "Signed in as anna (reviewer). You see all posts."),
        (BERT, "Signed in as bert (reviewer). You see all posts."),
    ] {
        let reply = person.post("/forum/login", &[("key", &format!(" {secret} "))]).await;
        assert_eq!(leads_to(&reply), "/forum");
        let cookie = reply.header("set-cookie").expect("a seat").to_owned();
        for part in ["aw_seat_", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
            assert!(cookie.contains(part), "{part} in {cookie}");
        }
        assert!(!cookie.contains(secret), "{cookie}");
        assert_eq!(sits(&person).await, says);
    }
    let pass = person.cookie("aw_seat");
    let another = pass.replacen("reviewer-bert", "reviewer-anna", 1);
    let nobody = pass.replacen("reviewer-bert", "reviewer-carl", 1);
    let agent = pass.replacen("reviewer-bert", "agent-awk_000000000000", 1);
    for forged in ["", ".", "x", &pass[..pass.len() - 1], &another, &nobody, &agent] {
        person.set_cookie("aw_seat", forged);
        assert_eq!(sits(&person).await, NOBODY, "{forged}");
    }
    person.set_cookie("aw_seat", &pass);
    assert_eq!(leads_to(&person.post("/forum/logout", &[]).await), "/forum");
    assert_eq!(sits(&person).await, NOBODY);
}

#[tokio::test]
async fn a_seat_outlives_a_restart_and_ends_with_its_key_or_its_agent() {
    let setup = reviewed();
    let mut server = setup.start().await;
    let ada = key_of(&Caller::register(&server, "ada").await).to_owned();
    let pass = seated(&server, &ada).await.cookie("aw_seat");
    server.terminate();
    assert!(server.ended().await.success());
    let server = setup.start().await;
    let carrying = async |pass: &str| {
        let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
        let person = Person::at(&server);
        let request = person.request(Method::GET, "/forum");
        let page = person.send(request.header("cookie", format!("aw_seat_{port}={pass}"))).await;
        assert_eq!(page.status, 200);
        page.text.contains(ADA)
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
    let newer = seated(&server, new).await.cookie("aw_seat");
    let revoke = json!({ "revokeNow": true });
    assert_eq!(
        Caller::with(&server, new).post("/auth/agents/rotate-key", &revoke).await.status,
        200
    );
    assert!(!carrying(&pass).await && !carrying(&newer).await, "both keys are gone");
}

#[tokio::test]
async fn a_reviewers_seat_ends_with_the_token() {
    let setup = reviewed();
    let server = setup.start().await;
    let pass = seated(&server, ANNA).await.cookie("aw_seat");
    drop(server);
    let other = Setup::new().env("DEBATE_ADMIN_TOKEN", "anna:another-token-0123456789");
    let other = other.start().await;
    let person = Person::at(&other);
    let port = other.address().rsplit(':').next().expect("it has a port").to_owned();
    let request = person.request(Method::GET, "/forum");
    let page = person.send(request.header("cookie", format!("aw_seat_{port}={pass}"))).await;
    assert!(page.text.contains(NOBODY), "{}", page.text);
}

#[tokio::test]
async fn a_seat_counts_for_nothing_on_the_api() {
    let server = reviewed().start().await;
    let ada = Caller::register(&server, "ada").await;
    let me = async |person: &Person<'_>, path: &str| -> Reply {
        person.send(person.request(Method::GET, path)).await
    };
    let agent = seated(&server, key_of(&ada)).await;
    assert_eq!(me(&agent, "/api/v1/agents/me").await.status, 401);
    let reviewer = seated(&server, ANNA).await;
    assert_eq!(me(&reviewer, "/api/v1/admin/flagged").await.status, 401);
}

#[tokio::test]
async fn the_forum_is_open_where_the_rest_is_not_and_a_session_reviews_if_its_token_does() {
    const TOKEN: &str = "a-token-nobody-would-guess-0123456789";
    let logged_in = async |server: &'_ Server| {
        let person = Person::at(server);
        assert_eq!(leads_to(&person.get("/").await), "/login?next=%2F");
        assert_eq!(sits(&person).await, NOBODY);
        assert!(!person.get("/forum").await.text.contains("Sign out"), "there is no session");
        person.post("/login", &[("token", TOKEN)]).await;
        assert!(person.get("/forum").await.text.contains("Sign out"));
        sits(&person).await
    };
    let server = roomy().env("DEBATE_AUTH_TOKEN", TOKEN).start().await;
    assert_eq!(logged_in(&server).await, "Signed in as admin (reviewer). You see all posts.");
    let apart = roomy().env("DEBATE_AUTH_TOKEN", TOKEN).env("DEBATE_ADMIN_TOKEN", ANNA);
    let apart = apart.start().await;
    assert_eq!(logged_in(&apart).await, NOBODY, "reviewers have a token of their own");
}
