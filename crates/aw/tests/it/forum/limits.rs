//! Rate limits of networks, of pages and of streams.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::forum::{Caller, auto_approving, data, failure};
use crate::support::{Events, Reply, Server, Setup, new_id, until};
use crate::web::forum::sign_in;

const FORWARDED: &str = "x-forwarded-for";

async fn register(caller: &Caller<'_>, number: usize) -> Reply {
    let body = json!({ "username": format!("agent_{number}") });
    caller.post("/auth/agents/register", &body).await
}

/// Registers agents until one is refused; returns their callers and the refusal.
async fn register_all(server: &Server, most: usize) -> (Vec<Caller<'_>>, Option<Reply>) {
    let mut agents = vec![Caller::anonymous(server)];
    for number in 0..most {
        let by = agents.last().expect("there is one");
        let reply = register(by, number).await;
        if reply.status != 201 {
            agents.remove(0);
            return (agents, Some(reply));
        }
        agents.push(Caller::with(server, data(&reply)["apiKey"].as_str().expect("a key")));
    }
    agents.remove(0);
    (agents, None)
}

fn assert_refused(reply: &Reply, limit: u32, window: u32) {
    let (status, code, _) = failure(reply);
    assert_eq!((status, code.as_str()), (429, "RATE_LIMIT_EXCEEDED"), "{}", reply.text);
    let wait = reply.header("retry-after").expect("it says when").parse::<u32>().expect("seconds");
    assert!((1..=window).contains(&wait), "{wait}");
    let details = json!({ "retryAfter": wait, "limit": limit, "window": window });
    assert_eq!(reply.json()["error"]["details"], details);
    assert_eq!(reply.header("x-ratelimit-limit"), Some(limit.to_string().as_str()));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    assert!(reply.header("x-ratelimit-reset").is_some());
}

/// H2: each agent registered the next one, and no network was ever refused.
#[tokio::test]
async fn registrations_count_against_the_network_whatever_key_they_carry() {
    let server = Setup::new().default_limits().start().await;
    // An invalid request does not count as a registration.
    let invalid = Caller::anonymous(&server).post("/auth/agents/register", &json!({})).await;
    assert_eq!(invalid.status, 400);
    let (agents, refused) = register_all(&server, 100).await;
    assert_eq!(agents.len(), 5);
    assert_refused(&refused.expect("a network is limited"), 5, 60);
    for by in agents.iter().chain([&Caller::anonymous(&server)]) {
        assert_refused(&register(by, 6).await, 5, 60);
    }
    assert_eq!(agents[0].get("/agents/me").await.status, 200, "other requests go on");
}

#[tokio::test]
async fn registrations_are_limited_by_the_day_too() {
    let setup = Setup::new().default_limits().env("FORUM_REGISTRATIONS_PER_MINUTE", "1000000");
    let server = setup.env("FORUM_REGISTRATIONS_PER_DAY", "7").start().await;
    let (agents, refused) = register_all(&server, 100).await;
    assert_eq!(agents.len(), 7);
    assert_refused(&refused.expect("a network is limited"), 7, 86_400);
}

#[tokio::test]
async fn registrations_are_limited_to_fifty_a_day_by_default() {
    let setup = Setup::new().default_limits().env("FORUM_REGISTRATIONS_PER_MINUTE", "1000000");
    let server = setup.env("FORUM_RATE_LIMIT_ANONYMOUS", "1000000").start().await;
    let (agents, refused) = register_all(&server, 100).await;
    assert_eq!(agents.len(), 50);
    assert_refused(&refused.expect("a network is limited"), 50, 86_400);
}

#[tokio::test]
async fn loopback_exemption_applies_to_network_limits_only() {
    let setup = Setup::new().default_limits().env("FORUM_LIMIT_LOOPBACK", "false");
    let server = setup.env("TRUSTED_PROXIES", "127.0.0.1").start().await;
    let (agents, refused) = register_all(&server, 20).await;
    assert_eq!((agents.len(), refused.is_none()), (20, true));
    let anonymous = Caller::anonymous(&server);
    until("the limit of requests without a key holds", || async {
        anonymous.get("/problems").await.status == 429
    })
    .await;
    for number in 100..105 {
        let body = json!({ "username": format!("agent_{number}") });
        let request = agents[0].request(Method::POST, "/auth/agents/register");
        let reply = Reply::receive(request.header(FORWARDED, "192.0.2.1").json(&body)).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
    let request = agents[0].request(Method::POST, "/auth/agents/register");
    let request = request.header(FORWARDED, "192.0.2.1").json(&json!({ "username": "agent_x" }));
    assert_refused(&Reply::receive(request).await, 5, 60);
}

/// H2: one address with any number of keys stays within its network's window.
#[tokio::test]
async fn requests_with_many_keys_stay_within_the_window_of_their_network() {
    let setup = Setup::new().env("FORUM_LIMIT_LOOPBACK", "true");
    let setup = setup.env("FORUM_RATE_LIMIT_NETWORK", "60").env("TRUSTED_PROXIES", "127.0.0.1");
    let server = setup.start().await;
    let (agents, _) = register_all(&server, 20).await;
    assert_eq!(agents.len(), 20);
    let mut accepted = 0;
    for agent in agents.iter().cycle().take(200) {
        let reply = agent.get("/agents/me").await;
        if reply.status == 200 {
            accepted += 1;
        } else {
            assert_refused(&reply, 60, 60);
        }
    }
    assert_eq!(accepted, 40, "20 registrations count as well");
    // Pages of the same network count in the same window; another network has its own.
    assert_eq!(server.get("/forum").await.status, 429);
    let elsewhere = agents[0].request(Method::GET, "/agents/me").header(FORWARDED, "192.0.2.1");
    assert_eq!(Reply::receive(elsewhere).await.status, 200);
}

#[tokio::test]
async fn limits_of_up_to_a_million_are_accepted() {
    for variable in [
        "FORUM_RATE_LIMIT_ANONYMOUS",
        "FORUM_RATE_LIMIT_AGENT",
        "FORUM_RATE_LIMIT_VERIFIED",
        "FORUM_RATE_LIMIT_ADMIN",
        "FORUM_RATE_LIMIT_NETWORK",
        "FORUM_REGISTRATIONS_PER_MINUTE",
        "FORUM_REGISTRATIONS_PER_DAY",
        "DEBATE_WRONG_TOKENS_PER_MINUTE",
    ] {
        for value in ["1000001", "0", "many"] {
            let (status, output) = Setup::new().env(variable, value).start_refused().await;
            assert!(!status.success() && output.contains(variable), "{output}");
            assert!(output.contains("from 1 to 1000000"), "{output}");
        }
    }
    // The tests' own servers have limits of a million.
    let reply = Caller::anonymous(&Server::start().await).get("/problems").await;
    assert_eq!(reply.header("x-ratelimit-limit"), Some("1000000"));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("999999"));
}

/// H3: pages count in the same windows as the API.
#[tokio::test]
async fn pages_and_requests_without_a_key_share_a_window() {
    let server = auto_approving().env("FORUM_RATE_LIMIT_ANONYMOUS", "4").start().await;
    let page = server.get("/forum").await;
    assert_eq!((page.status, page.header("x-ratelimit-remaining")), (200, Some("3")));
    assert_eq!(Caller::anonymous(&server).get("/problems").await.status, 200);
    assert_eq!(server.get(&format!("/forum/problems/{}", new_id())).await.status, 404);
    let style = page.text.split("href=\"").find(|rest| rest.starts_with("/assets/"));
    let style = style.and_then(|rest| rest.split('"').next()).expect("the page has a style");
    for _ in 0..10 {
        assert_eq!(server.get(style).await.status, 200, "assets do not count");
    }
    assert_eq!(server.get("/forum/flagged").await.status, 404, "reviewing is off");
    let refused = server.get("/forum").await;
    assert_eq!(refused.status, 429);
    assert!(refused.text.contains("Too many requests"), "{}", refused.text);
    assert!(refused.header("retry-after").is_some(), "{:?}", refused.headers);
    assert_eq!(refused.header("x-ratelimit-limit"), Some("4"));
    assert_refused(&Caller::anonymous(&server).get("/problems").await, 4, 60);
    assert_eq!(server.get("/forum/login").await.status, 200, "signing in is not counted");
}

#[tokio::test]
async fn pages_of_a_signed_in_visitor_count_against_the_limit_of_its_tier() {
    let setup = auto_approving().env("FORUM_RATE_LIMIT_ANONYMOUS", "2");
    let setup = setup.env("FORUM_RATE_LIMIT_AGENT", "5").env("FORUM_RATE_LIMIT_ADMIN", "7");
    let server = setup.env("DEBATE_ADMIN_TOKEN", "a-token-of-reviewers").start().await;
    let agent = Caller::register(&server, "ada").await;
    let ada = sign_in(&server, agent.key.as_deref().expect("a key")).await;
    let admin = sign_in(&server, "a-token-of-reviewers").await;
    for (person, limit) in [(&ada, 5), (&admin, 7)] {
        for remaining in (0..limit).rev() {
            let page = person.get("/forum").await;
            assert_eq!(page.status, 200);
            let expected = remaining.to_string();
            assert_eq!(page.header("x-ratelimit-remaining"), Some(expected.as_str()));
        }
        assert_eq!(person.get("/forum").await.status, 429);
    }
    assert_refused(&agent.get("/agents/me").await, 5, 60);
    assert_eq!(server.get("/forum").await.status, 200, "anonymous visitors have another window");
}

/// The response to a stream request: its status, and the complete body.
async fn stream(request: reqwest::RequestBuilder) -> (u16, String) {
    let mut events = Events::receive(request).await;
    if events.status == 200 {
        assert_eq!(events.next().await, None, "it ends at once");
    }
    (events.status, events.raw)
}

/// An error would stop a browser's `EventSource` for good.
#[tokio::test]
async fn resumed_stream_over_the_limit_ends_with_a_retry_time() {
    let server = auto_approving().env("FORUM_RATE_LIMIT_ANONYMOUS", "1").start().await;
    let solution = Caller::register(&server, "ada").await.solution().await;
    let api = format!("/api/v1/solutions/{solution}/debates/events");
    let page = format!("/forum/solutions/{solution}/events");
    let get = |path: &str| server.request(Method::GET, path);
    for request in [
        get(&api).header("last-event-id", "1"),
        get(&page).header("last-event-id", "1"),
        get(&format!("{page}?after=1")),
    ] {
        let (status, raw) = stream(request).await;
        assert_eq!(status, 200);
        let retry = raw.strip_prefix("retry: ").and_then(|rest| rest.split('\n').next());
        let retry = retry.and_then(|ms| ms.parse::<u32>().ok()).expect("it says when");
        assert!((1000..=60_000).contains(&retry), "{raw}");
    }
    assert_eq!(stream(get(&api)).await.0, 429, "one that begins is refused like any request");
    assert_eq!(stream(get(&page)).await.0, 429);
}

/// M4: streams without a key used to occupy the waiters of clients with the server's token.
#[tokio::test]
async fn anonymous_streams_do_not_use_the_waiters_of_token_holders() {
    let setup = auto_approving().without_wait_timeout().env("DEBATE_MAX_WAITERS", "8");
    let server = setup.env("TRUSTED_PROXIES", "127.0.0.1").start().await;
    let solution = Caller::register(&server, "ada").await.solution().await;
    let path = format!("/api/v1/solutions/{solution}/debates/events");
    let follow = |key: Option<String>, address: &str| {
        let request = server.client.request(Method::GET, format!("{}{path}", server.url));
        let request = request.header(FORWARDED, address);
        Events::receive(match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        })
    };
    let mut open = Vec::new();
    for address in ["192.0.2.1", "192.0.2.2"] {
        open.push(follow(None, address).await);
    }
    until("two follow", || async { server.metric("aw_waiters").await >= 2.0 }).await;
    let mut third = follow(None, "192.0.2.3").await;
    assert_eq!((third.status, third.next().await), (200, None), "a quarter of the places is taken");
    assert!(third.raw.starts_with("retry: 5000"), "{}", third.raw);
    let bob = Caller::register(&server, "bob").await;
    open.push(follow(bob.key.clone(), "192.0.2.1").await);
    until("an agent follows", || async { server.metric("aw_waiters").await >= 3.0 }).await;

    let debate = crate::support::Debate::open(&server).await;
    let path = debate.path("/events?after=1");
    for _ in 0..8 {
        open.push(Events::open(&server, &path, None).await);
    }
    until("all token holders wait", || async { server.metric("aw_waiters").await >= 11.0 }).await;
    let waited = server.get(&debate.path("/wait?role=opponent&timeout_ms=1")).await;
    let body: Value = waited.json();
    assert_eq!(body["error"]["code"], "OVERLOADED", "a ninth finds no place: {body}");
}
