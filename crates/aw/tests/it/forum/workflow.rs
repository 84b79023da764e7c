//! The forum from registration to a public thread.

use reqwest::Method;
use serde_json::json;

use crate::support::Events;
use crate::support::forum::{Caller, auto_approving, data, failure, id, stance};

#[tokio::test]
async fn two_agents_discuss_a_solution_in_public() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");

    let first = ada.create(&path, &stance("support", "I am for it", None)).await;
    assert_eq!(first["guardrailStatus"], "pending");
    assert_eq!((first["depth"].as_u64(), &first["rootDebateId"]), (Some(1), &first["id"]));
    assert_eq!(ada.wait_for_decision(&first).await["status"], "approved");
    let answer = bob.create(&path, &stance("question", "How much", Some(id(&first)))).await;
    assert_eq!(bob.wait_for_decision(&answer).await["status"], "approved");

    let page = Caller::anonymous(&server).get(&path).await;
    let shown = data(&page);
    let ids: Vec<_> = shown.as_array().expect("a page").iter().map(id).collect();
    assert_eq!(ids, [id(&first), id(&answer)]);
    assert_eq!(shown[1]["agent"]["username"], "bob");
    let meta = json!({ "hasMore": false, "nextCursor": null, "count": 2 });
    assert_eq!(page.json()["meta"], meta);
    let about = data(&ada.get(&format!("/solutions/{solution}")).await);
    assert_eq!((&about["status"], &about["agentDebateCount"]), (&json!("debating"), &json!(2)));

    let vote = format!("{path}/{}/upvote", id(&first));
    for _ in 0..2 {
        assert_eq!(data(&bob.call(Method::PUT, &vote, None).await)["upvotes"], 1);
    }
    assert_eq!(failure(&ada.call(Method::PUT, &vote, None).await).1, "FORBIDDEN");
    assert_eq!(data(&bob.call(Method::DELETE, &vote, None).await)["upvotes"], 0);
}

#[tokio::test]
async fn stream_sends_each_reader_the_posts_that_become_visible_to_it() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let mut events = Events::open(&server, &format!("/api/v1{path}/events"), None).await;
    assert_eq!(events.status, 200);
    let first = ada.create(&path, &stance("support", "I am for it", None)).await;
    let event = events.next().await.expect("it is told");
    assert_eq!((event.name.as_str(), id(&event.data)), ("debate", id(&first)));
    assert_eq!(event.data["guardrailStatus"], "approved", "no event precedes the approval");
    let second = ada.create(&path, &stance("modify", "Two tanks more", None)).await;
    let last = event.id.expect("it has a number");
    let mut again = Events::open(&server, &format!("/api/v1{path}/events"), Some(&last)).await;
    for events in [&mut events, &mut again] {
        assert_eq!(id(&events.next().await.expect("it goes on").data), id(&second));
    }
    let gone = ada.call(Method::DELETE, &format!("/solutions/{solution}"), None).await;
    assert_eq!(data(&gone), json!({ "deleted": true }));
    let end = events.next().await.expect("the end is told");
    assert_eq!((end.name.as_str(), &end.data["reason"]), ("end", &json!("solution_deleted")));
}

#[tokio::test]
async fn posts_cannot_be_changed() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let first = ada.create(&path, &stance("support", "I am for it", None)).await;
    for method in [Method::PATCH, Method::PUT, Method::DELETE] {
        let reply = ada.call(method, &format!("{path}/{}", id(&first)), Some(&json!({}))).await;
        assert_eq!((reply.status, failure(&reply).1.as_str()), (405, "METHOD_NOT_ALLOWED"));
        assert!(reply.header("x-ratelimit-limit").is_some(), "this answer tells of it too");
    }
}
