//! M5: wrong tokens are limited for each network, and the right token is never delayed.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures_util::future::{join, join_all};
use reqwest::Method;

use crate::support::visitor::Visitor;
use crate::support::{Reply, Server, Setup, Ws};

const TOKEN: &str = "a-token-nobody-would-guess-0123456789";
const REVIEWER: &str = "a-token-of-reviewers-0123456789";

fn with_tokens() -> Setup {
    Setup::new().default_limits().env("DEBATE_AUTH_TOKEN", TOKEN)
}

async fn bearer(server: &Server, token: &str) -> Reply {
    Reply::receive(server.request(Method::GET, "/debates").bearer_auth(token)).await
}

/// Sends a login form with the token of its page.
async fn log_in(visitor: &Visitor<'_>, path: &str, field: &str, secret: &str) -> Reply {
    visitor.post(path, &[(field, secret)]).await
}

async fn open_login_page(server: &Server) -> Visitor<'_> {
    let visitor = Visitor::at(server);
    visitor.get("/login").await;
    visitor
}

fn assert_limited(reply: &Reply) {
    assert_eq!((reply.status, reply.code().as_str()), (429, "RATE_LIMITED"), "{}", reply.text);
    let wait = reply.header("retry-after").expect("it says when").parse::<u32>().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
}

#[tokio::test]
async fn wrong_tokens_of_a_network_are_limited_by_bearer_query_and_form_together() {
    let server = with_tokens().start().await;
    let visitor = open_login_page(&server).await;
    for number in 0..4 {
        assert_eq!(bearer(&server, &format!("wrong-{number}")).await.status, 401);
    }
    for _ in 0..3 {
        assert_eq!(Ws::refusal(&server, "?debate_id=x&token=wrong").await, 401);
    }
    for _ in 0..3 {
        assert_eq!(log_in(&visitor, "/login", "token", "wrong").await.status, 403);
    }
    assert_limited(&bearer(&server, "wrong").await);
    assert_eq!(Ws::refusal(&server, "?debate_id=x&token=wrong").await, 429);
    let page = log_in(&visitor, "/login", "token", "wrong").await;
    assert_eq!(page.status, 429);
    assert!(page.text.contains("Too many wrong tokens"), "{}", page.text);
    let runner = server.request(Method::GET, "/runner/debates").bearer_auth("wrong");
    assert_limited(&Reply::receive(runner).await);

    // A request without a token is not a wrong token, and the right token is always accepted.
    assert_eq!(server.get("/debates").await.status, 401);
    assert_eq!(bearer(&server, TOKEN).await.status, 200);
    assert_eq!(log_in(&visitor, "/login", "token", TOKEN).await.status, 303);
    let query = format!("?debate_id=x&token={TOKEN}");
    assert_eq!(Ws::refusal(&server, &query).await, 400, "past the token");
}

#[tokio::test]
async fn wrong_tokens_of_one_network_do_not_limit_another() {
    let setup = with_tokens().env("TRUSTED_PROXIES", "127.0.0.1");
    let server = setup.env("DEBATE_WRONG_TOKENS_PER_MINUTE", "2").start().await;
    let wrong = async |address: &str| {
        let request = server.request(Method::GET, "/debates").bearer_auth("wrong");
        Reply::receive(request.header("x-forwarded-for", address)).await.status
    };
    let table = [
        ("192.0.2.1", 401),
        ("192.0.2.1", 401),
        ("192.0.2.1", 429),
        ("192.0.2.2", 401),
        ("2001:db8::1", 401),
        ("2001:db8::2", 401),
        ("2001:db8::3", 429),
        ("2001:db8:0:1::1", 401),
    ];
    for (address, status) in table {
        assert_eq!(wrong(address).await, status, "{address}");
    }
}

#[tokio::test]
async fn wrong_secrets_at_the_forums_form_are_limited_and_right_ones_are_not() {
    let setup = with_tokens().env("DEBATE_ADMIN_TOKEN", REVIEWER);
    let server = setup.env("FORUM_RATE_LIMIT_ANONYMOUS", "12").start().await;
    let visitor = Visitor::at(&server);
    visitor.get("/forum/login").await;
    // Tokens count as tokens, keys as the API's.
    for _ in 0..10 {
        assert_eq!(log_in(&visitor, "/forum/login", "key", "wrong").await.status, 403);
    }
    assert_eq!(log_in(&visitor, "/forum/login", "key", "wrong").await.status, 429);
    let key = format!("awk_{}", "0".repeat(64));
    for _ in 0..12 {
        assert_eq!(log_in(&visitor, "/forum/login", "key", &key).await.status, 403);
    }
    assert_eq!(log_in(&visitor, "/forum/login", "key", &key).await.status, 429);
    assert_eq!(visitor.get("/forum/login").await.status, 200);
    assert_eq!(log_in(&visitor, "/forum/login", "key", REVIEWER).await.status, 303);
}

/// Eight wrong logins a second used to lock the owner out: none of 48 right ones succeeded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_logs_in_while_a_flood_of_wrong_guesses_runs() {
    let server = with_tokens().env("AW_LOG", "info").start().await;
    let (is_over, guesses) = (AtomicBool::new(false), AtomicU32::new(0));
    let flood = join_all((0..16).map(async |number| {
        let visitor = open_login_page(&server).await;
        while !is_over.load(Ordering::Relaxed) {
            let reply = if number % 2 == 0 {
                log_in(&visitor, "/login", "token", "wrong").await
            } else {
                bearer(&server, "wrong").await
            };
            assert!([401, 403, 429].contains(&reply.status), "{}", reply.text);
            guesses.fetch_add(1, Ordering::Relaxed);
        }
    }));
    let owner = async {
        for _ in 0..48 {
            let owner = open_login_page(&server).await;
            assert_eq!(log_in(&owner, "/login", "token", TOKEN).await.status, 303);
            assert_eq!(owner.get("/arena").await.status, 200);
            assert_eq!(bearer(&server, TOKEN).await.status, 200);
        }
        is_over.store(true, Ordering::Relaxed);
    };
    join(flood, owner).await;
    let guesses = guesses.load(Ordering::Relaxed);
    assert!(guesses > 48, "{guesses}");
    let counted = Reply::receive(server.request(Method::GET, "/metrics").bearer_auth(TOKEN)).await;
    let counted = counted.text.lines().find_map(|line| line.strip_prefix("aw_wrong_tokens_total "));
    assert_eq!(counted.map(str::to_owned), Some(guesses.to_string()));
    // The limit is logged once a minute, regardless of the test's duration.
    let log = server.log();
    let lines = log.lines().filter(|line| line.contains("wrong tokens received"));
    assert!((1..=3).contains(&lines.count()), "{log}");
    assert!(log.contains("127.0.0.1") && !log.contains(TOKEN), "{log}");
}
