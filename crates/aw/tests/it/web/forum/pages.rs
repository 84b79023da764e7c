//! The forum's pages for each kind of reader, over HTTP without a browser.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{Caller, auto_approving, data, id, problem, solution, stance};
use crate::support::visitor::Visitor;
use crate::support::visitor::redirect_target;
use crate::web::forum::{ANNA, create_flagged, decide, key_of, sign_in, with_two_reviewers};

const NOTES: &str = "Read <twice> & decided.";

/// Whether each of these readers gets the page.
async fn is_visible_to(readers: &[&Visitor<'_>], path: &str) -> Vec<bool> {
    let mut seen = Vec::new();
    for reader in readers {
        let status = reader.get(path).await.status;
        assert!([200, 404].contains(&status), "{path}: {status}");
        seen.push(status == 200);
    }
    seen
}

#[tokio::test]
async fn unpublished_items_are_visible_to_their_author_and_reviewers_only() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let bob = Caller::register(&server, "bob").await;
    let readers = [
        &Visitor::at(&server),
        &sign_in(&server, key_of(&bob)).await,
        &sign_in(&server, key_of(&ada)).await,
        &sign_in(&server, ANNA).await,
    ];
    let [anyone, _, own, _] = readers;
    let (withheld, public) = ([false, false, true, true], [true; 4]);

    let raised = create_flagged(&ada, "/problems", &problem()).await;
    let page = format!("/forum/problems/{}", id(&raised));
    assert_eq!(is_visible_to(&readers, &page).await, withheld);
    for (reader, sees) in readers.iter().zip(withheld) {
        let list = reader.get("/forum").await.text;
        assert_eq!(list.contains("Wells run dry in late summer"), sees);
        assert_eq!(list.contains("chip arbitrator\">Waiting for review<"), sees);
    }
    let mine = own.get("/forum/mine").await.text;
    assert!(mine.contains("Wells run dry in late summer"), "{mine}");
    assert!(mine.contains("Passed the rules; waiting for human review."), "{mine}");
    for (reader, is_told) in readers.iter().zip([false, false, false, true]) {
        let home = reader.get("/").await.text;
        assert_eq!(home.contains("1 forum item waiting for review"), is_told, "{home}");
    }
    assert_eq!(
        redirect_target(&anyone.get("/forum/mine").await),
        "/forum/login?next=%2Fforum%2Fmine"
    );
    decide(&server, &raised, "approve", NOTES).await;
    assert_eq!(is_visible_to(&readers, &page).await, public);

    let proposed = create_flagged(&ada, "/solutions", &solution(id(&raised))).await;
    let page = format!("/forum/solutions/{}", id(&proposed));
    assert_eq!(is_visible_to(&readers, &page).await, withheld);
    assert_eq!(is_visible_to(&readers, &format!("{page}/news?after=0")).await, withheld);
    decide(&server, &proposed, "approve", NOTES).await;
    assert_eq!(is_visible_to(&readers, &page).await, public);

    let path = format!("/solutions/{}/debates", id(&proposed));
    let post = create_flagged(&ada, &path, &stance("support", "For it", None)).await;
    decide(&server, &post, "reject", NOTES).await;
    assert_eq!(is_visible_to(&readers, &format!("{page}/debates/{}", id(&post))).await, withheld);
    for (reader, sees) in readers.iter().zip(withheld) {
        let status = reader.get(&format!("{page}?at={}", id(&post))).await.status;
        assert_eq!(status, if sees { 303 } else { 404 });
    }
    for path in [page.clone(), format!("{page}?stance=support"), format!("{page}/news?after=0")] {
        for (reader, sees) in readers.iter().zip(withheld) {
            let text = reader.get(&path).await.text;
            assert_eq!(text.contains("For it: the tanks hold"), sees, "{path}");
            assert_eq!(text.contains("Rejected"), sees, "{path}");
            assert_eq!(text.contains("Read &#60;twice&#62; &#38; decided."), sees, "{path}");
        }
    }
}

/// The sequence numbers of a page's posts with their depth, in order.
fn seqs_with_depth(page: &str) -> Vec<(u32, u32)> {
    let number = |text: &str, name: &str| {
        let start = format!("data-{name}=\"");
        let rest = text.split(&start).nth(1).expect("an entry has it");
        rest.split('"').next().and_then(|text| text.parse().ok()).expect("it is a number")
    };
    let entries = page.split("<li class=\"post ").skip(1);
    entries.map(|entry| (number(entry, "seq"), number(entry, "depth"))).collect()
}

#[tokio::test]
async fn posts_are_in_thread_order_and_every_post_has_an_address() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let body = json!({ "username": "bob", "displayName": "Bob <b>" });
    let bob = data(&Caller::anonymous(&server).post("/auth/agents/register", &body).await);
    let bob = Caller::with(&server, bob["apiKey"].as_str().expect("a key is text"));
    let about = ada.solution().await;
    let (path, page) = (format!("/solutions/{about}/debates"), format!("/forum/solutions/{about}"));
    let mut posts = Vec::new();
    // The parent of each post, by sequence number.
    let answers = [None, None, Some(1), Some(3), Some(1), Some(4), Some(6), Some(2)];
    for (place, parent) in answers.into_iter().enumerate() {
        let parent = parent.map(|seq: usize| id(&posts[seq - 1]).to_owned());
        let kind = ["support", "oppose", "modify", "question"][place % 4];
        let body = stance(kind, &format!("Words {place}"), parent.as_deref());
        let made = bob.create(&path, &body).await;
        assert_eq!(bob.wait_for_decision(&made).await["status"], "approved");
        posts.push(made);
    }
    for number in 9..=30 {
        let made = ada.create(&path, &stance("support", &format!("Root {number}"), None)).await;
        ada.wait_for_decision(&made).await;
    }
    let vote = format!("{path}/{}/upvote", id(&posts[0]));
    assert_eq!(ada.call(Method::PUT, &vote, None).await.status, 200);

    let visitor = Visitor::at(&server);
    let first = visitor.get(&page).await.text;
    let order = [(1, 1), (3, 2), (4, 3), (6, 4), (7, 5), (5, 2), (2, 1), (8, 2)];
    let order = order.into_iter().chain((9..=26).map(|seq| (seq, 1)));
    assert_eq!(seqs_with_depth(&first), order.collect::<Vec<_>>());
    for shown in [
        "Support by Bob &#60;b&#62; (bob)",
        "Opposition by Bob",
        "Proposed change by Bob",
        "Question by Bob",
        "<span>1 upvote</span>",
        "reply to #6</a>",
        "<a href=\"https://example.org/rain\" rel=\"noopener noreferrer nofollow ugc\">",
        "30 posts",
    ] {
        assert!(first.contains(shown), "{shown}");
    }
    let next = first.split("rel=\"next\" href=\"").nth(1).expect("there is more");
    let next = next.split(['#', '"']).next().expect("a split has a first part");
    let second = visitor.get(&next.replace("&#38;", "&")).await.text;
    assert_eq!(seqs_with_depth(&second), (27..=30).map(|seq| (seq, 1)).collect::<Vec<_>>());
    assert!(!second.contains("rel=\"next\""), "that is all");

    let flat = visitor.get(&format!("{page}?stance=question")).await.text;
    assert_eq!(seqs_with_depth(&flat), [(4, 3), (8, 2)]);
    assert!(flat.contains("reply to #3</a>"), "also what is not on the page has its place");
    let place = visitor.get(&format!("{page}?at={}", id(&posts[7]))).await;
    let (place, anchor) = redirect_target(&place).split_once('#').expect("it names the entry");
    assert_eq!(anchor, "seq-8");
    let there = visitor.get(place).await.text;
    assert_eq!(seqs_with_depth(&there).first(), Some(&(2, 1)), "it begins with its thread");
    let alone = visitor.get(&format!("{page}/debates/{}", id(&posts[7]))).await.text;
    assert_eq!(seqs_with_depth(&alone), [(8, 2)]);
}

#[tokio::test]
async fn unknown_addresses_are_answered_with_a_404_page() {
    let server = auto_approving().start().await;
    let about = Caller::register(&server, "ada").await.solution().await;
    let (visitor, page) = (Visitor::at(&server), format!("/forum/solutions/{about}"));
    for (path, status, says) in [
        (format!("{page}?cursor=t"), 400, "Invalid request"),
        (format!("{page}?stance=neutral"), 400, "must be one of support"),
        (format!("{page}?cursor=p3"), 400, "nextCursor"),
        (format!("{page}/news?after=999"), 400, "a position (`seq`) in the solution"),
        ("/forum?cursor=x".to_owned(), 400, "Invalid request"),
        ("/forum/problems/x".to_owned(), 400, "Invalid request"),
        (format!("/forum/problems/{about}"), 404, "Page not found"),
        (format!("{page}/debates/{about}"), 404, "Page not found"),
        ("/forum/nowhere".to_owned(), 404, "Page not found"),
    ] {
        let reply = visitor.get(&path).await;
        assert_eq!(reply.status, status, "{path}");
        assert!(reply.text.contains(says) && reply.text.contains("<h1>"), "{path}: {}", reply.text);
        assert!(reply.text.contains(r#"href="/forum">Forum</a>"#), "a way back from {path}");
    }
}

#[tokio::test]
async fn lists_are_paged_and_an_empty_forum_explains_the_first_step() {
    let server = auto_approving().start().await;
    let visitor = Visitor::at(&server);
    let empty = visitor.get("/forum").await.text;
    assert!(empty.contains("No problems yet."), "{empty}");
    let line = format!("{}/api/v1/auth/agents/register", server.url);
    assert!(empty.contains("aw forum register") && empty.contains(&line), "{empty}");
    assert!(!visitor.get("/").await.text.contains("New problems in the forum"));
    let ada = Caller::register(&server, "ada").await;
    let mut raised = json!(null);
    for number in 1..=21 {
        let mut body = problem();
        body["title"] = format!("Problem number {number}").into();
        raised = ada.create("/problems", &body).await;
        assert_eq!(ada.wait_for_decision(&raised).await["status"], "approved");
    }
    let first = visitor.get("/forum").await.text;
    assert!(first.contains("Problem number 21<") && !first.contains("Problem number 1<"));
    for shown in ["high severity", "water", "0 solutions", "by ada"] {
        assert!(first.contains(shown), "{shown}");
    }
    let next = first.split("rel=\"next\" href=\"").nth(1).expect("there is more");
    let next = next.split('"').next().expect("a split has a first part");
    let second = visitor.get(next).await.text;
    assert!(second.contains("Problem number 1<") && !second.contains("Problem number 21<"));
    assert!(visitor.get("/").await.text.contains("New problems in the forum"));

    let page = format!("/forum/problems/{}", id(&raised));
    assert!(visitor.get(&page).await.text.contains("No solutions yet."));
    let proposed = ada.create("/solutions", &solution(id(&raised))).await;
    ada.wait_for_decision(&proposed).await;
    let text = visitor.get(&page).await.text;
    assert!(text.contains("Collect rain from the school roofs") && text.contains(">Proposed<"));
    let own = sign_in(&server, key_of(&ada)).await;
    let mine = own.get("/forum/mine").await.text;
    assert!(mine.contains("Problem number 21<") && mine.contains("Collect rain from"), "{mine}");
    assert!(mine.contains("/forum/mine?problems="), "the problems go on");
}
