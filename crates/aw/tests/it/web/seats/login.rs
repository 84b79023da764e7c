//! Login with each secret, one-time codes, and the end of sessions.

use reqwest::Method;

use super::write_token;
use super::{ARBITRATOR, SeatedDebate, make_code, sign_in, with_arbitrator, with_both_tokens};
use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Server, Setup};
use crate::web::access::TOKEN;

/// Whether the visitor may rule on a debate with seats.
async fn can_arbitrate(visitor: &Visitor<'_>, debate: &SeatedDebate<'_>) -> bool {
    let page = visitor.get(&debate.page()).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text.contains("Pause the debate</button>")
}

/// Opens the link with a code, and presses its button.
async fn use_code(visitor: &Visitor<'_>, code: &str) -> crate::support::Reply {
    let page = visitor.get(&format!("/login?code={code}&next=/arena")).await.text;
    let (code, next) = (hidden_field(&page, "code"), hidden_field(&page, "next"));
    visitor.post("/login", &[("code", &code), ("next", &next)]).await
}

#[tokio::test]
async fn each_secret_gives_the_rights_of_its_session() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let stranger = Visitor::at(&server);
    assert_eq!(stranger.get(&debate.page()).await.status, 303, "the pages need a session");

    let reader = sign_in(&server, TOKEN).await;
    assert!(!can_arbitrate(&reader, &debate).await, "the server's token gives no such rights");
    assert!(reader.cookie("aw_arbitrator").is_empty());

    let code = make_code(&server).await;
    for secret in [ARBITRATOR, &format!(" {ARBITRATOR}\n"), &code] {
        let arbitrator = sign_in(&server, secret).await;
        assert!(can_arbitrate(&arbitrator, &debate).await, "{secret}");
        assert!(arbitrator.cookie("aw_session").is_empty());
        for page in ["/", "/arena", "/runs", "/guide", "/debates", "/docs"] {
            assert_eq!(arbitrator.get(page).await.status, 200, "{page}");
        }
    }
}

#[tokio::test]
async fn login_cookie_contains_no_secret_and_is_for_this_server_only() {
    let server = with_arbitrator().start().await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    let reply = visitor.post("/login", &[("token", ARBITRATOR), ("next", "//evil.test")]).await;
    assert_eq!(redirect_target(&reply), "/");
    let cookie = reply.header("set-cookie").expect("a session").to_owned();
    for part in ["aw_arbitrator_", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    assert!(!cookie.contains(ARBITRATOR), "{cookie}");
}

#[tokio::test]
async fn code_is_used_up_by_its_form_and_not_by_its_link() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let code = make_code(&server).await;
    let link = format!("/login?code={code}&next={}", debate.page());
    for method in [Method::GET, Method::HEAD, Method::GET] {
        let visitor = Visitor::at(&server);
        let reply = visitor.send(visitor.request(method, &link)).await;
        assert_eq!(reply.status, 200, "a program that loads the link");
        assert!(visitor.cookie("aw_arbitrator").is_empty());
    }

    let visitor = Visitor::at(&server);
    let page = visitor.get(&link).await.text;
    assert!(page.contains("<h1>Sign in as the arbitrator</h1>"), "{page}");
    assert!(!page.contains("type=\"password\""), "one button: {page}");
    let fields = [("code", &*code), ("next", &hidden_field(&page, "next"))];
    let reply = visitor.post("/login", &fields).await;
    assert_eq!(redirect_target(&reply), debate.page(), "the clean address");
    assert!(can_arbitrate(&visitor, &debate).await);

    let late = Visitor::at(&server);
    let reply = use_code(&late, &code).await;
    assert_eq!(reply.status, 403);
    assert!(reply.text.contains("This code has expired or was already used."), "{}", reply.text);
    assert!(reply.text.contains("type=\"password\""), "the form follows: {}", reply.text);
    assert_eq!(hidden_field(&reply.text, "next"), "/arena");
    assert!(!can_arbitrate(&late, &debate).await);
    assert!(can_arbitrate(&visitor, &debate).await, "the first session stays");
}

#[tokio::test]
async fn code_needs_the_token_of_the_form() {
    let server = with_arbitrator().start().await;
    let code = make_code(&server).await;
    let visitor = Visitor::at(&server);
    visitor.get(&format!("/login?code={code}")).await;
    assert_eq!(visitor.post_bare("/login", &[("code", &code)]).await.status, 403);
    assert_eq!(redirect_target(&use_code(&visitor, &code).await), "/arena", "it was not used up");
}

#[tokio::test]
async fn wrong_secrets_and_codes_count_as_wrong_tokens() {
    let setup = with_arbitrator().env("DEBATE_WRONG_TOKENS_PER_MINUTE", "3");
    let server = setup.start().await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    let unknown = "0".repeat(32);
    for fields in [("token", "awa_wrong"), ("code", &*unknown), ("token", &*unknown)] {
        let reply = visitor.post("/login", &[fields]).await;
        assert_eq!(reply.status, 403, "{fields:?}");
        assert!(reply.text.contains("role=\"alert\""), "{}", reply.text);
    }
    assert_eq!(visitor.post("/login", &[("token", "wrong")]).await.status, 429);
    let reply = visitor.post("/login", &[("token", ARBITRATOR)]).await;
    assert_eq!(redirect_target(&reply), "/", "the right one is always accepted");
}

#[tokio::test]
async fn session_ends_with_the_secret_that_signed_it() {
    let first = with_both_tokens().start().await;
    let (reader, arbitrator) = (sign_in(&first, TOKEN).await, sign_in(&first, ARBITRATOR).await);

    let other = "awa_AnotherArbitratorTokenOfTheTests-0123456789";
    let setup = write_token(Setup::new(), other).env("DEBATE_AUTH_TOKEN", TOKEN);
    let server = setup.start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    assert_eq!(reader.copy_to(&server).get("/arena").await.status, 200, "the same token");
    let copy = arbitrator.copy_to(&server);
    assert_eq!(copy.get("/arena").await.status, 303, "another arbitrator token");
    copy.get("/login").await;
    copy.post("/login", &[("token", TOKEN)]).await;
    assert!(!can_arbitrate(&copy, &debate).await, "the old cookie gives no rights");

    let server = with_arbitrator().env("DEBATE_AUTH_TOKEN", "another").start().await;
    assert_eq!(reader.copy_to(&server).get("/arena").await.status, 303, "another token");
    let copy = arbitrator.copy_to(&server);
    assert_eq!(copy.get("/arena").await.status, 200, "the same arbitrator token");
}

#[tokio::test]
async fn arbitrator_cookie_cannot_be_forged_from_a_server_session() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let arbitrator = sign_in(&server, ARBITRATOR).await;
    let session = sign_in(&server, TOKEN).await.cookie("aw_session");
    let good = arbitrator.cookie("aw_arbitrator");
    for forged in [&*session, "", "x", &good[..good.len() - 1], &format!("9{good}")] {
        arbitrator.set_cookie("aw_arbitrator", forged);
        assert_eq!(arbitrator.get(&debate.page()).await.status, 303, "{forged}");
    }
    arbitrator.set_cookie("aw_arbitrator", &good);
    assert!(can_arbitrate(&arbitrator, &debate).await);
}

#[tokio::test]
async fn logout_ends_both_sessions_and_their_copies() {
    let setup = with_both_tokens();
    let server = setup.start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let person = sign_in(&server, TOKEN).await;
    person.post("/login", &[("token", ARBITRATOR)]).await;
    assert!(can_arbitrate(&person, &debate).await);
    let copy = person.copy_to(&server);
    assert_eq!(redirect_target(&person.post("/logout", &[]).await), "/login");
    for visitor in [&person, &copy] {
        assert_eq!(visitor.get("/arena").await.status, 303);
    }
    copy.set_cookie("aw_session", "");
    assert_eq!(copy.get("/arena").await.status, 303, "the arbitrator session alone");
    assert_eq!(copy.post(&format!("{}/delete", debate.page()), &[]).await.status, 401);
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT");
}

#[tokio::test]
async fn server_without_a_token_has_a_login_for_the_arbitrator() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let visitor = Visitor::at(&server);
    let page = visitor.get("/login?next=/arena").await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("aw open") && page.text.contains("Token or code"), "{}", page.text);
    assert!(!page.text.contains("DEBATE_AUTH_TOKEN"), "{}", page.text);
    assert!(!visitor.get("/arena").await.text.contains("Sign out"));
    let visitor = sign_in(&server, ARBITRATOR).await;
    assert!(visitor.get("/arena").await.text.contains("Sign out"));
    assert!(can_arbitrate(&visitor, &debate).await);
    assert_eq!(redirect_target(&visitor.post("/logout", &[]).await), "/");
    assert!(!can_arbitrate(&visitor, &debate).await);
    assert_eq!(visitor.get("/arena").await.status, 200, "the pages stay open");
}

#[tokio::test]
async fn server_without_any_secret_redirects_from_the_login() {
    // On PostgreSQL a server makes no arbitrator token of its own.
    let server = Setup::postgres().start().await;
    let visitor = Visitor::at(&server);
    for path in ["/login", "/login?code=0123"] {
        assert_eq!(redirect_target(&visitor.get(path).await), "/", "{path}");
    }
    visitor.get("/arena/new").await;
    assert_eq!(redirect_target(&visitor.post("/login", &[("token", ARBITRATOR)]).await), "/");
    assert!(visitor.cookie("aw_arbitrator").is_empty());
    assert!(!visitor.get("/").await.text.contains("Sign out"));
}

#[tokio::test]
async fn secrets_of_the_login_are_not_logged() {
    let mut server = with_both_tokens().traced().start().await.with_token(TOKEN);
    let code = make_code(&server).await;
    let visitor = Visitor::at(&server);
    use_code(&visitor, &code).await;
    use_code(&visitor, &code).await;
    visitor.post("/login", &[("token", ARBITRATOR)]).await;
    let session = visitor.cookie("aw_arbitrator");
    server.terminate();
    assert!(server.wait_for_exit().await.success());
    let log = server.trace_log();
    for secret in [ARBITRATOR, TOKEN, &code, &session] {
        assert!(!secret.is_empty() && !log.contains(secret), "{secret} is in the log");
    }
}

/// The reviewer whose token is also the server's token reviews with a session of it.
#[tokio::test]
async fn arbitrator_session_gives_no_reviewer_rights() {
    let setup = write_token(crate::support::forum::auto_approving(), ARBITRATOR);
    let server = setup.env("DEBATE_AUTH_TOKEN", TOKEN).start().await;
    let place = "/forum/login?next=%2Fforum%2Fflagged";
    assert_eq!(sign_in(&server, TOKEN).await.get("/forum/flagged").await.status, 200);
    let arbitrator = sign_in(&server, ARBITRATOR).await;
    assert_eq!(redirect_target(&arbitrator.get("/forum/flagged").await), place);
}

#[tokio::test]
async fn default_token_file_gives_arbitrator_rights() {
    let server = Setup::sqlite().start().await;
    let file = server.home().path().join(".aweave/arbitrator.token");
    let token = std::fs::read_to_string(file).expect("the first start makes it");
    let debate = SeatedDebate::open(&server, "claude-code").await;
    assert!(can_arbitrate(&sign_in(&server, token.trim()).await, &debate).await);
}

#[tokio::test]
async fn stream_of_an_arbitrator_session_ends_at_logout() {
    let server: Server = with_both_tokens().start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let person = sign_in(&server, ARBITRATOR).await;
    let path = format!("/debates/{}/events", debate.id);
    let mut events = crate::support::Events::receive(person.request(Method::GET, &path)).await;
    assert_eq!(events.status, 200);
    events.next().await.expect("the motion is there");
    person.post("/logout", &[]).await;
    assert_eq!(events.next().await, None);
}
