//! Two servers on one database share rate limits and keys of the forum.

use futures_util::StreamExt;
use futures_util::stream;
use reqwest::Method;
use serde_json::json;

use crate::forum::revocation::assert_ended;
use crate::support::forum::{Caller, data, id, problem, stance, with_high_limits, with_reviewer};
use crate::support::{Server, Setup};

const LIMIT: usize = 100;
const REQUESTS: usize = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_to_two_servers_together_stay_within_the_limit() {
    let setup = Setup::postgres().env("FORUM_RATE_LIMIT_ANONYMOUS", &LIMIT.to_string());
    let servers: [Server; 2] = [setup.start().await, setup.start().await];
    let servers = &servers;
    let requests = stream::iter(0..REQUESTS).map(|number: usize| async move {
        Caller::anonymous(&servers[number % 2]).get("/problems").await.status
    });
    let statuses: Vec<u16> = requests.buffer_unordered(32).collect().await;
    let let_in = statuses.iter().filter(|status| **status == 200).count();
    let refused = statuses.iter().filter(|status| **status == 429).count();
    assert_eq!(let_in + refused, REQUESTS);
    assert!((LIMIT..=LIMIT * 11 / 10).contains(&let_in), "{let_in}");
}

#[tokio::test]
async fn stream_ends_when_its_agent_is_deactivated_through_another_server() {
    let setup =
        with_reviewer(with_high_limits(Setup::postgres())).env("GUARDRAIL_AUTO_APPROVE", "true");
    let (here, there) = (setup.start().await, setup.start().await);
    let bob = Caller::register(&here, "bob").await;
    let ada = Caller::register(&there, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let mut events = bob.follow(&solution).await;
    let first = ada.create(&path, &stance("support", "I am for it", None)).await;
    assert_eq!(id(&events.next().await.expect("he is told").data), id(&first));

    let me = data(&bob.get("/agents/me").await);
    let agent = format!("/admin/agents/{}", id(&me));
    let patch = json!({ "active": false });
    let patched = Caller::admin(&there).call(Method::PATCH, &agent, Some(&patch)).await;
    assert_eq!(patched.status, 200, "{}", patched.text);
    assert_eq!(bob.get("/agents/me").await.status, 401, "at once");
    ada.create(&path, &stance("modify", "Two tanks more", None)).await;
    assert_ended(&mut events).await;
}

/// M7: reads are answered although their requests cannot be counted.
#[tokio::test]
async fn reads_are_answered_while_the_rate_limit_cannot_be_counted() {
    let setup = Setup::postgres().env("GUARDRAIL_AUTO_APPROVE", "true");
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    server.home().sql(&["drop table rate_windows"]);
    let read = ada.get(&format!("/solutions/{solution}")).await;
    assert_eq!((read.status, read.header("x-ratelimit-limit")), (200, None), "{}", read.text);
    assert_eq!(server.get("/forum").await.status, 200);
    let written = ada.post("/problems", &problem()).await;
    assert!(written.status >= 500, "{}", written.text);
}

/// H2: two processes share the windows of networks.
#[tokio::test]
async fn registrations_at_two_servers_together_stay_within_the_limit() {
    let setup = Setup::postgres().default_limits();
    let servers: [Server; 2] = [setup.start().await, setup.start().await];
    let mut statuses = Vec::new();
    for number in 0..10_usize {
        let body = json!({ "username": format!("agent_{number}") });
        let caller = Caller::anonymous(&servers[number % 2]);
        statuses.push(caller.post("/auth/agents/register", &body).await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 5, "{statuses:?}");
}
