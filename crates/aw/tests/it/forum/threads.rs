//! Threads over HTTP: pages that end inside a thread, permitted parents of a reply, and the
//! limit on undecided posts.

use serde_json::{Value, json};

use crate::forum::long_thread::{add_replies, publish_root};
use crate::support::forum::{
    Caller, auto_approving, data, failure, high_limits, id, problem, solution, stance,
    with_reviewer,
};
use crate::support::visitor::Visitor;
use crate::support::visitor::redirect_target;
use crate::support::{Server, new_id};

const CONTENT: &str = "The tanks hold what the roofs give, and that is enough for the village.";

/// The sequence numbers of the posts on an HTML page.
fn seqs(page: &str) -> Vec<u32> {
    let parts = page.split("data-seq=\"").skip(1);
    parts.filter_map(|part| part.split('"').next()?.parse().ok()).collect()
}

/// The target of the link with this text.
fn link<'p>(page: &'p str, text: &str) -> Option<&'p str> {
    let before = page.split(&format!(">{text}</a>")).next().filter(|start| *start != page)?;
    before.rsplit("href=\"").next()?.split('#').next()
}

#[tokio::test]
async fn page_ends_inside_a_thread_and_the_next_one_continues_there() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let root = publish_root(&ada, &solution, "At first").await;
    add_replies(&ada, &root, 1, 230, CONTENT);
    let expected: Vec<u32> = (1..=231).collect();

    let (mut sizes, mut ids) = (Vec::new(), Vec::<String>::new());
    let mut path = format!("/solutions/{solution}/debates");
    loop {
        let reply = Caller::anonymous(&server).get(&path).await;
        let page = data(&reply);
        let page = page.as_array().expect("a page is a list");
        sizes.push(page.len());
        ids.extend(page.iter().map(|post| id(post).to_owned()));
        let Some(cursor) = reply.json()["meta"]["nextCursor"].as_str().map(str::to_owned) else {
            break;
        };
        path = format!("/solutions/{solution}/debates?cursor={cursor}");
    }
    assert_eq!(sizes, [100, 100, 31]);
    assert_eq!(ids[0], root);

    let visitor = Visitor::at(&server);
    let mut path = format!("/forum/solutions/{solution}");
    let mut shown = Vec::new();
    loop {
        let page = visitor.get(&path).await.text;
        shown.extend(seqs(&page));
        match link(&page, "Next posts") {
            Some(next) => path = next.replace("&amp;", "&").replace("&#38;", "&"),
            None => break,
        }
    }
    assert_eq!(shown, expected);

    // The address of a post leads to a page that shows it, with its thread if the page has room.
    for (number, first) in [(0, 1), (60, 1), (99, 1), (100, 101), (230, 231)] {
        let reply = visitor.get(&format!("/forum/solutions/{solution}?at={}", ids[number])).await;
        let place = redirect_target(&reply);
        let (path, anchor) = place.split_once('#').expect("it names the post");
        let page = visitor.get(path).await.text;
        assert_eq!(seqs(&page).first(), Some(&first), "{place}");
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{place}");
    }
}

#[tokio::test]
async fn cursor_of_an_earlier_server_is_refused() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let path = format!("/solutions/{}/debates", ada.solution().await);
    for cursor in ["t1", "t.", "t.1.x", "t.1.2.3.4.5.6", "t.-1", "p1", "p1.2", "1.2"] {
        let (status, code, _) = failure(&ada.get(&format!("{path}?cursor={cursor}")).await);
        assert_eq!((status, code.as_str()), (400, "INVALID_CURSOR"), "{cursor}");
    }
    for accepted in ["cursor=t.1", "cursor=t.1.2.3.4.5", "stance=support&cursor=p1"] {
        assert_eq!(ada.get(&format!("{path}?{accepted}")).await.status, 200, "{accepted}");
    }
}

/// The response to a reply to `parent`, without the request id.
async fn reply_to(by: &Caller<'_>, path: &str, parent: &str) -> Value {
    let reply = by.post(path, &stance("question", "Is it", Some(parent))).await;
    assert_eq!(reply.status, 422, "{}", reply.text);
    reply.json()["error"].clone()
}

/// L10: a refusal does not reveal whether a post exists.
#[tokio::test]
async fn hidden_and_absent_parents_are_refused_with_one_message() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let path = format!("/solutions/{}/debates", ada.solution().await);
    let elsewhere = format!("/solutions/{}/debates", ada.solution().await);
    let absent = reply_to(&ada, &path, &new_id()).await;
    let message = "`parentDebateId` names a post that does not exist or is not visible to you";
    assert_eq!(absent["message"], message);
    for at in [&path, &elsewhere] {
        let words = "We should build weapons and sell them instead";
        let hidden = bob.create(at, &stance("oppose", words, None)).await;
        assert_eq!(bob.wait_for_decision(&hidden).await["status"], "rejected");
        assert_eq!(reply_to(&ada, &path, id(&hidden)).await, absent);
    }
}

#[tokio::test]
async fn refusal_of_a_deep_reply_names_the_depth_and_its_limit() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let path = format!("/solutions/{}/debates", ada.solution().await);
    let mut parent = None;
    for level in 1..=5 {
        let post = stance("support", &format!("Level {level}"), parent.as_deref());
        parent = Some(id(&ada.create(&path, &post).await).to_owned());
    }
    let refused = reply_to(&ada, &path, &parent.expect("there are five")).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
    let message = "`parentDebateId` exceeds the maximum depth of 5 levels";
    assert_eq!(refused["message"], message);
    assert_eq!(refused["details"], json!({ "fields": { "parentDebateId": [message] } }));
}

/// Creates an item and approves it as a reviewer.
async fn create_approved(server: &Server, by: &Caller<'_>, path: &str, body: &Value) -> Value {
    let made = by.create(path, body).await;
    assert_eq!(by.wait_for_decision(&made).await["status"], "flagged");
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is evaluated");
    Caller::admin(server).review(evaluation, "approve").await;
    made
}

/// M1: the undecided posts of one agent have a limit that does not affect other agents.
#[tokio::test]
async fn agent_with_20_undecided_posts_in_a_thread_gets_429() {
    let server = with_reviewer(high_limits()).start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let raised = create_approved(&server, &ada, "/problems", &problem()).await;
    let proposed = create_approved(&server, &ada, "/solutions", &solution(id(&raised))).await;
    let path = format!("/solutions/{}/debates", id(&proposed));
    let root = create_approved(&server, &ada, &path, &stance("support", "For it", None)).await;
    let reply = |number: u32| stance("question", &format!("Question {number}"), Some(id(&root)));
    let mut waiting = Vec::new();
    for number in 1..=20 {
        waiting.push(bob.create(&path, &reply(number)).await);
    }
    let refused = bob.post(&path, &reply(21)).await;
    let (status, code, message) = failure(&refused);
    assert_eq!((status, code.as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    assert!(message.contains("20 posts in this thread"), "{message}");
    assert_eq!(refused.header("retry-after"), Some("60"));
    let details = json!({ "retryAfter": 60, "limit": 20, "window": 0 });
    assert_eq!(refused.json()["error"]["details"], details);

    ada.create(&path, &reply(22)).await;
    bob.create(&path, &stance("question", "A thread of my own", None)).await;
    let evaluation = waiting[0]["guardrailEvaluationId"].as_str().expect("it is evaluated");
    bob.wait_for_decision(&waiting[0]).await;
    Caller::admin(&server).review(evaluation, "reject").await;
    bob.create(&path, &reply(21)).await;
    assert_eq!(bob.post(&path, &reply(23)).await.status, 429);
}
