//! Access to pages and forms. The list of pages is read from the router's source.

use std::collections::BTreeSet;

use reqwest::Method;
use reqwest::header::ORIGIN;

use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Connection, Debate, Server, Setup};

pub(crate) const TOKEN: &str = "a-token-nobody-would-guess-0123456789";
const ROUTER: &str = include_str!("../../../../debate-http/src/router.rs");

/// Every page: its template, a path that fits it, whether it takes a form, and its status for
/// visitors without a session, where it is open to them.
const PAGES: [(&str, &str, bool, Option<u16>); 48] = [
    ("/", "/", false, None),
    ("/login", "/login", true, Some(200)),
    ("/logout", "/logout", true, None),
    ("/arena", "/arena", false, None),
    ("/arena/new", "/arena/new", true, None),
    ("/arena/{id}", "/arena/ID", false, None),
    ("/arena/{id}/entries", "/arena/ID/entries?after=0", false, None),
    ("/arena/{id}/intervene", "/arena/ID/intervene", true, None),
    ("/arena/{id}/rule", "/arena/ID/rule", true, None),
    ("/arena/{id}/delete", "/arena/ID/delete", true, None),
    ("/arena/{id}/export.html", "/arena/ID/export.html", false, None),
    ("/arena/{id}/export.json", "/arena/ID/export.json", false, None),
    ("/arena/{id}/export.md", "/arena/ID/export.md", false, None),
    ("/runs", "/runs", false, None),
    ("/runs/new", "/runs/new", true, None),
    ("/runs/{id}", "/runs/ID", false, None),
    ("/runs/{id}/turns", "/runs/ID/turns?after=0", false, None),
    ("/runs/{id}/start", "/runs/ID/start", true, None),
    ("/runs/{id}/resume", "/runs/ID/resume", true, None),
    ("/runs/{id}/retry", "/runs/ID/retry", true, None),
    ("/runs/{id}/stop", "/runs/ID/stop", true, None),
    ("/runs/{id}/cancel", "/runs/ID/cancel", true, None),
    ("/runs/{id}/delete", "/runs/ID/delete", true, None),
    ("/runs/{id}/export.html", "/runs/ID/export.html", false, None),
    ("/runs/{id}/export.json", "/runs/ID/export.json", false, None),
    ("/runs/{id}/export.md", "/runs/ID/export.md", false, None),
    ("/forum", "/forum", false, Some(200)),
    ("/forum/mine", "/forum/mine", false, Some(303)),
    ("/forum/problems/{problemId}", "/forum/problems/ID", false, Some(404)),
    ("/forum/solutions/{solutionId}", "/forum/solutions/ID", false, Some(404)),
    ("/forum/solutions/{solutionId}/news", "/forum/solutions/ID/news?after=0", false, Some(404)),
    ("/forum/solutions/{solutionId}/events", "/forum/solutions/ID/events", false, Some(404)),
    (
        "/forum/solutions/{solutionId}/debates/{debateId}",
        "/forum/solutions/ID/debates/ID",
        false,
        Some(404),
    ),
    ("/forum/flagged", "/forum/flagged", false, Some(303)),
    ("/forum/flagged/{evaluationId}", "/forum/flagged/ID", false, Some(303)),
    ("/forum/flagged/{evaluationId}/claim", "/forum/flagged/ID/claim", true, Some(303)),
    ("/forum/flagged/{evaluationId}/release", "/forum/flagged/ID/release", true, Some(303)),
    ("/forum/flagged/{evaluationId}/review", "/forum/flagged/ID/review", true, Some(303)),
    ("/forum/login", "/forum/login", true, Some(200)),
    ("/forum/logout", "/forum/logout", true, Some(405)),
    ("/debate", "/debate", false, None),
    ("/debate/", "/debate/", false, None),
    ("/debate/debates", "/debate/debates", false, None),
    ("/debate/debates/{id}", "/debate/debates/ID", false, None),
    ("/guide", "/guide", false, None),
    ("/guide/{name}", "/guide/agents", false, None),
    ("/guide/images/{name}", "/guide/images/run-light.png", false, None),
    ("/assets/{name}", "/assets/style.css", false, Some(200)),
];

pub(crate) fn with_token() -> Setup {
    Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN)
}

pub(crate) async fn log_in(server: &Server) -> Visitor<'_> {
    let visitor = Visitor::at(server);
    visitor.get("/login").await;
    let reply = visitor.post("/login", &[("token", TOKEN), ("next", "/arena")]).await;
    assert_eq!(redirect_target(&reply), "/arena");
    visitor
}

#[test]
fn every_page_has_an_access_case() {
    let listed = ROUTER.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    // The forum's 404 for programs is not a page.
    let listed = listed.filter(|path| !path.starts_with("/api/"));
    let cases = PAGES.map(|(template, ..)| template);
    assert_eq!(listed.collect::<BTreeSet<_>>(), BTreeSet::from(cases));
}

#[tokio::test]
async fn pages_redirect_to_the_login_and_forms_are_refused_without_a_session() {
    let server = with_token().start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    for (_, path, takes_form, open) in PAGES {
        let path = path.replace("ID", &debate.id);
        let reply = visitor.get(&path).await;
        if let Some(status) = open {
            assert_eq!(reply.status, status, "{path}");
            continue;
        }
        let place = redirect_target(&reply).to_owned();
        assert!(place.starts_with("/login?next=%2F"), "{path} leads to {place}");
        if takes_form {
            let reply = visitor.post(&path, &[("content", "x"), ("step", "do")]).await;
            assert_eq!(reply.status, 401, "{path}");
            assert!(reply.text.contains("You are signed out"), "{}", reply.text);
        }
    }
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn unknown_host_or_foreign_origin_is_refused_on_every_page() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    visitor.get("/arena/new").await;
    let token = visitor.cookie("aw_form");
    for (_, path, takes_form, _) in PAGES {
        let path = path.replace("ID", &debate.id);
        let request = format!("GET {path} HTTP/1.1\r\nHost: evil.test\r\n\r\n");
        let reply = Connection::exchange(&server, request.as_bytes()).await;
        assert_eq!(reply.status, 403, "{path}");
        assert!(!reply.body.contains("Cache the index"), "{path}");
        for page in ["http://evil.test", "null", "http://127.0.0.1:1"] {
            let method = if takes_form { Method::POST } else { Method::GET };
            let request = visitor.request(method, &path).header(ORIGIN, page);
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let body = format!("form_token={token}&content=x&step=do&close=true");
            let reply = visitor.send(request.body(body)).await;
            assert_eq!(reply.status, 403, "{path} from {page}");
        }
    }
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT");
}

#[tokio::test]
async fn form_without_a_valid_token_has_no_effect() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let path = format!("/arena/{}/intervene", debate.id);
    let fields = [("content", "stop"), ("step", "do")];
    let stranger = Visitor::at(&server);
    assert_eq!(stranger.post_bare(&path, &fields).await.status, 403, "no cookie, no token");
    let empty = [("content", "stop"), ("step", "do"), ("form_token", "")];
    assert_eq!(stranger.post_bare(&path, &empty).await.status, 403, "nothing equals nothing");
    let visitor = Visitor::at(&server);
    visitor.get(&format!("/arena/{}", debate.id)).await;
    assert_eq!(visitor.post_bare(&path, &fields).await.status, 403, "a cookie, no token");
    let wrong = [("content", "stop"), ("step", "do"), ("form_token", "0123456789abcdef")];
    let reply = visitor.post_bare(&path, &wrong).await;
    assert_eq!(reply.status, 403, "a cookie and another token");
    assert!(reply.text.contains("is not valid for this browser session"), "{}", reply.text);
    let request = visitor.request(Method::POST, &path).json(&serde_json::json!({}));
    assert_eq!(visitor.send(request).await.status, 415, "no form");
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT");
    assert_eq!(visitor.post(&path, &fields).await.status, 303, "and its own form is taken");
}

#[tokio::test]
async fn session_cookie_cannot_be_forged() {
    let setup = with_token();
    let server = setup.start().await.with_token(TOKEN);
    let visitor = Visitor::at(&server);
    let door = visitor.get("/login?next=%2Farena%2Fnew").await;
    assert_eq!(hidden_field(&door.text, "next"), "/arena/new");
    let wrong = visitor.post("/login", &[("token", "wrong"), ("next", "/arena")]).await;
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("Wrong token."), "{}", wrong.text);
    assert_eq!(
        hidden_field(&wrong.text, "next"),
        "/arena",
        "where one wanted to go is not forgotten"
    );
    assert_eq!(visitor.cookie("aw_session"), "");
    let right = visitor.post("/login", &[("token", TOKEN), ("next", "/arena")]).await;
    let cookie = right.header("set-cookie").expect("a session").to_owned();
    for part in ["aw_session_", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    assert!(!cookie.contains(TOKEN) && !cookie.contains("Secure"), "{cookie}");
    let session = visitor.cookie("aw_session");
    assert_eq!(visitor.get("/arena").await.status, 200);
    for forged in ["", "x", &session[..session.len() - 1], &format!("9{session}")] {
        visitor.set_cookie("aw_session", forged);
        assert_eq!(visitor.get("/arena").await.status, 303, "{forged}");
    }
}

#[tokio::test]
async fn session_cookie_allows_reads_but_no_api_writes() {
    let server = with_token().start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let visitor = log_in(&server).await;
    let events = visitor.request(Method::GET, &debate.path("/events"));
    let response = events.send().await.expect("the server answers");
    assert_eq!(response.status(), 200, "the stream that the page follows");
    assert_eq!(visitor.get("/debates").await.status, 200);
    assert_eq!(visitor.get("/docs").await.status, 200);
    for (method, path) in
        [(Method::DELETE, debate.path("")), (Method::POST, debate.path("/intervention"))]
    {
        let request = visitor.request(method.clone(), &path).header(ORIGIN, &server.url);
        assert_eq!(visitor.send(request).await.status, 401, "{method} {path}");
    }
    for path in ["/arena", "/debates"] {
        let request = visitor.request(Method::GET, path).header(ORIGIN, "http://evil.test");
        assert_eq!(visitor.send(request).await.status, 403, "{path} from a foreign page");
        let request = visitor.request(Method::GET, path).header("host", "evil.test");
        assert_eq!(visitor.send(request).await.status, 403, "{path} at a foreign name");
    }
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT");
}

#[tokio::test]
async fn session_outlives_a_restart_and_ends_at_logout_or_with_another_token() {
    let setup = with_token().env("DEBATE_ALLOWED_HOSTS", "debates.test");
    let first = setup.start().await;
    let session = log_in(&first).await.cookie("aw_session");
    first.kill().await;
    let second = setup.start().await;
    let visitor = Visitor::at(&second);
    let enter = |session: String| {
        let port = second.address().rsplit(':').next().expect("it has a port").to_owned();
        visitor
            .request(Method::GET, "/arena")
            .header("cookie", format!("aw_session_{port}={session}"))
    };
    assert_eq!(visitor.send(enter(session.clone())).await.status, 200, "the same token");
    let other = Setup::new().env("DEBATE_AUTH_TOKEN", "another").start().await;
    let stranger = Visitor::at(&other);
    let port = other.address().rsplit(':').next().expect("it has a port").to_owned();
    let request = stranger.request(Method::GET, "/arena");
    let request = request.header("cookie", format!("aw_session_{port}={session}"));
    assert_eq!(stranger.send(request).await.status, 303, "another token");
    let leaver = log_in(&second).await;
    assert_eq!(leaver.get("/arena").await.status, 200);
    assert_eq!(redirect_target(&leaver.post("/logout", &[]).await), "/login");
    assert_eq!(leaver.get("/arena").await.status, 303);
}

#[tokio::test]
async fn login_redirects_to_this_server_only_and_sets_a_secure_cookie_behind_https() {
    let server = with_token().env("DEBATE_ALLOWED_ORIGINS", "https://debates.test").start().await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    for outside in ["//evil.test", "https://evil.test", "/\\evil.test", "/arena\r\nx: y", "/logout"]
    {
        let reply = visitor.post("/login", &[("token", TOKEN), ("next", outside)]).await;
        assert_eq!(redirect_target(&reply), "/", "{outside}");
    }
    let token = visitor.cookie("aw_form");
    let request = visitor
        .request(Method::POST, "/login")
        .header(ORIGIN, "https://debates.test")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("form_token={token}&token={TOKEN}"));
    let reply = visitor.send(request).await;
    let cookie = reply.header("set-cookie").expect("a session");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let stranger = Visitor::at(&server);
    let proxied = stranger.request(Method::GET, "/login").header("x-forwarded-proto", "https");
    let reply = stranger.send(proxied).await;
    let cookie = reply.header("set-cookie").expect("a form's cookie");
    assert!(cookie.starts_with("aw_form_") && cookie.ends_with("; Secure"), "{cookie}");
}

#[tokio::test]
async fn content_of_forms_is_not_logged() {
    let mut server = with_token().traced().start().await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    visitor.post("/login", &[("token", "canary-wrong-token")]).await;
    visitor.post("/login", &[("token", TOKEN)]).await;
    let fields = [("title", "canary-title"), ("motion_content", "canary-motion")];
    visitor.post("/arena/new", &fields).await;
    visitor.get("/arena?q=canary-search").await;
    let secrets = [visitor.cookie("aw_session"), visitor.cookie("aw_form"), TOKEN.to_owned()];
    server.terminate();
    assert!(server.wait_for_exit().await.success());
    let log = server.trace_log();
    assert!(log.contains("/arena/new"), "the log names the route");
    assert!(!log.contains("canary"));
    for secret in secrets {
        assert!(!secret.is_empty() && !log.contains(&secret), "{secret} is in the log");
    }
}
