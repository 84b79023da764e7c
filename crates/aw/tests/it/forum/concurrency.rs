//! Concurrent requests: counts are exact, and no caller exceeds its limit.

use std::collections::{BTreeSet, HashMap};

use futures_util::StreamExt;
use futures_util::future::{join, join_all};
use futures_util::stream;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::forum::{Caller, auto_approving, data, failure, id, stance};
use crate::support::{Reply, Setup};

const AGENTS: usize = 50;
const DEPTH: usize = 3;

/// A thread of its own, posted without pauses.
async fn post_thread(by: &Caller<'_>, path: &str) -> Vec<Value> {
    let mut thread: Vec<Value> = Vec::new();
    for level in 1..=DEPTH {
        let parent = thread.last().map(|post| id(post).to_owned());
        let body = stance("modify", &format!("Level {level}"), parent.as_deref());
        thread.push(by.create(path, &body).await);
    }
    thread
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_of_50_concurrent_agents_have_exact_counts_depths_and_roots() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let (path, about) =
        (format!("/solutions/{solution}/debates"), format!("/solutions/{solution}"));
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(Caller::register(&server, &format!("agent_{number}")).await);
    }
    let mut events = Caller::anonymous(&server).follow(&solution).await;
    assert_eq!(data(&ada.get(&about).await)["status"], "proposed");

    let writing = join_all(agents.iter().map(|agent| post_thread(agent, &path)));
    let watching = async {
        let mut statuses = Vec::new();
        let mut received = HashMap::new();
        while received.len() < AGENTS * DEPTH {
            let event = events.next().await.expect("the stream goes on");
            received.insert(id(&event.data).to_owned(), event.data);
            if received.len() % 10 == 1 {
                let status = data(&ada.get(&about).await)["status"].clone();
                statuses.push(status.as_str().expect("it is text").to_owned());
            }
        }
        (statuses, received)
    };
    let (threads, (statuses, received)) = join(writing, watching).await;

    assert!(statuses.iter().all(|status| status == "debating"), "{statuses:?}");
    let now = data(&ada.get(&about).await);
    assert_eq!(now["agentDebateCount"], AGENTS * DEPTH);
    assert_eq!(now["approvedDebateCount"], AGENTS * DEPTH);
    let mut ids = BTreeSet::new();
    for thread in &threads {
        for (post, level) in thread.iter().zip(1..) {
            assert!(ids.insert(id(post)), "given twice");
            for shown in [post, &received[id(post)]] {
                assert_eq!(shown["depth"], level);
                assert_eq!(shown["rootDebateId"], thread[0]["id"]);
            }
        }
    }
}

/// The number of `count` concurrent requests that are accepted. The others must carry Retry-After.
async fn count_accepted(by: &Caller<'_>, count: usize, limit: u32) -> usize {
    let requests = stream::iter(0..count).map(|number| async move {
        let request = by.request(Method::GET, "/problems");
        let claims = format!("9.9.{}.{}", number / 250, number % 250);
        Reply::receive(request.header("x-forwarded-for", claims)).await
    });
    let replies: Vec<Reply> = requests.buffer_unordered(32).collect().await;
    let mut let_in = 0;
    for reply in replies {
        assert_eq!(reply.header("x-ratelimit-limit"), Some(limit.to_string().as_str()));
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
        let details = json!({ "retryAfter": wait, "limit": limit, "window": 60 });
        assert_eq!(body["error"]["details"], details);
    }
    let_in
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn burst_of_1000_requests_gets_exactly_the_limit_whatever_address_it_forwards() {
    let setup = Setup::new().default_limits().env("FORUM_LIMIT_LOOPBACK", "false");
    let server = setup.start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    // Both registrations counted.
    assert_eq!(count_accepted(&Caller::anonymous(&server), 1000, 30).await, 28, "an address");
    let bad_key = Caller::with(&server, "awk_nonsense").get("/problems").await;
    assert_eq!(bad_key.status, 429, "a bad key counts against its address");
    assert_eq!(count_accepted(&ada, 1000, 30).await, 30, "an agent");
    assert_eq!(count_accepted(&bob, 40, 30).await, 30, "each agent has its own");
}
