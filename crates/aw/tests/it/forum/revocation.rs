//! A revoked key or a deactivated agent ends open streams.

use reqwest::Method;
use serde_json::json;

use crate::support::Events;
use crate::support::forum::{Caller, auto_approving, data, id, stance, with_reviewer};
use crate::web::forum::sign_in;

/// Asserts that the stream ends and that nothing follows its last event.
pub(crate) async fn assert_ended(events: &mut Events) {
    let end = events.next().await.expect("the end is told");
    let reason = json!({ "reason": "key_not_valid" });
    assert_eq!((end.name.as_str(), &end.data), ("end", &reason));
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn stream_ends_when_its_agent_is_deactivated() {
    let server = with_reviewer(auto_approving()).start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let (mut bobs, mut adas) = (bob.follow(&solution).await, ada.follow(&solution).await);
    let seat = sign_in(&server, bob.key.as_deref().expect("he registered")).await;
    let page = seat.request(Method::GET, &format!("/forum/solutions/{solution}/events"));
    let mut page = Events::receive(page).await;
    let first = ada.create(&path, &stance("support", "I am for it", None)).await;
    for events in [&mut bobs, &mut page] {
        assert_eq!(id(&events.next().await.expect("he is told").data), id(&first));
    }

    let me = data(&bob.get("/agents/me").await);
    let patch = json!({ "active": false });
    let agent = format!("/admin/agents/{}", id(&me));
    let patched = Caller::admin(&server).call(Method::PATCH, &agent, Some(&patch)).await;
    assert_eq!(patched.status, 200, "{}", patched.text);
    let second = ada.create(&path, &stance("modify", "Two tanks more", None)).await;
    assert_ended(&mut bobs).await;
    assert_ended(&mut page).await;
    while id(&adas.next().await.expect("she is still told").data) != id(&second) {}
}

#[tokio::test]
async fn idle_stream_ends_when_its_key_is_revoked() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let mut events = ada.follow(&solution).await;
    let key = ada.key.as_deref().expect("she has one");
    let seat = sign_in(&server, key).await;
    let page = seat.request(Method::GET, &format!("/forum/solutions/{solution}/events"));
    let mut on_a_page = Events::receive(page).await;
    assert_eq!(on_a_page.status, 200);
    let rotated = ada.post("/auth/agents/rotate-key", &json!({ "revokeNow": true })).await;
    let fresh = data(&rotated)["apiKey"].as_str().expect("a key").to_owned();
    let mut anew = Caller::with(&server, &fresh).follow(&solution).await;
    // The server checks the key again with every keep-alive comment.
    assert_ended(&mut events).await;
    assert_ended(&mut on_a_page).await;
    let path = format!("/solutions/{solution}/debates");
    let post = Caller::with(&server, &fresh);
    let post = post.create(&path, &stance("support", "I am for it", None)).await;
    assert_eq!(id(&anew.next().await.expect("the new key opens").data), id(&post));
}
