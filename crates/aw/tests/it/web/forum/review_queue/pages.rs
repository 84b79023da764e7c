//! The pages and forms of the review queue, over HTTP without a browser.

use reqwest::Method;
use serde_json::json;

use crate::support::forum::{Caller, auto_approving, data, high_limits, id, problem, stance};
use crate::support::new_id;
use crate::support::visitor::{Visitor, redirect_target};
use crate::web::forum::review_queue::{
    ANNA, BERT, create_flagged, create_flagged_post, create_public_solution, evaluation_page,
    sign_in, with_two_reviewers,
};

const NOTES: &str = "It says what it says, and no more.";

#[tokio::test]
async fn only_reviewers_see_the_queue_and_others_get_a_link_to_sign_in() {
    let off = high_limits().start().await;
    let page = Visitor::at(&off).get("/forum/flagged").await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("<code>DEBATE_ADMIN_TOKEN</code>"), "{}", page.text);

    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = ada.create("/problems", &problem()).await;
    ada.wait_for_decision(&made).await;
    let one = evaluation_page(&made);
    let agent = Visitor::at(&server);
    agent.get("/forum/login").await;
    let key = ada.key.as_deref().expect("it has one");
    assert_eq!(agent.post("/forum/login", &[("key", key)]).await.status, 303);
    let paths = ["", "/claim", "/release", "/review"].map(|rest| format!("{one}{rest}"));
    for visitor in [Visitor::at(&server), agent] {
        visitor.get("/forum/login").await;
        for path in paths.iter().chain([&"/forum/flagged".to_owned()]) {
            let reply = visitor.get(path).await;
            assert!(
                redirect_target(&reply).starts_with("/forum/login?next=%2Fforum%2Fflagged"),
                "{path}"
            );
        }
        for path in &paths[1..] {
            let fields = [("decision", "approve"), ("notes", NOTES), ("step", "do")];
            assert_eq!(visitor.post(path, &fields).await.status, 401, "{path}");
        }
    }
    assert_eq!(ada.wait_for_decision(&made).await["status"], "flagged");
}

/// The evaluations in a list, in order.
fn titles(page: &str) -> Vec<&str> {
    let links = page.split("class=\"title\" href=\"/forum/flagged/").skip(1);
    links.filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn queue_is_ordered_by_waiting_time_filtered_and_paged() {
    let server = with_two_reviewers().start().await;
    let (ada, bob) =
        (Caller::register(&server, "ada").await, Caller::register(&server, "bob").await);
    let mut made = Vec::new();
    for number in 0..32 {
        let mut body = problem();
        body["title"] = json!(format!("Problem <b>number</b> {number}"));
        let author = if number == 5 { &bob } else { &ada };
        made.push(author.create("/problems", &body).await);
    }
    for (number, problem) in made.iter().enumerate() {
        let author = if number == 5 { &bob } else { &ada };
        author.wait_for_decision(problem).await;
    }
    let anna = sign_in(&server, ANNA).await;
    let third = evaluation_page(&made[3]);
    let claim = format!("{third}/claim");
    assert_eq!(redirect_target(&anna.post(&claim, &[]).await), format!("{third}#seat"));

    let page = anna.get("/forum/flagged").await.text;
    assert!(page.contains("Problem &#60;b&#62;number&#60;/b&#62; 0<"), "{page}");
    assert!(page.contains("Passed the rules; waiting for human review"), "{page}");
    assert!(
        page.contains(">Claimed by you</span>") && page.contains(">ada</a>, new agent"),
        "{page}"
    );
    let rest = page.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let rest = anna.get(&rest.expect("there is more").replace("&#38;", "&")).await.text;
    assert_eq!((titles(&page).len(), titles(&rest).len()), (30, 2), "{rest}");
    let waiting = data(&Caller::with(&server, ANNA).get("/admin/flagged?limit=100").await);
    let waiting = waiting.as_array().expect("a list").iter();
    let waiting: Vec<_> = waiting.map(|one| id(&one["evaluation"]).to_owned()).collect();
    assert_eq!([titles(&page), titles(&rest)].concat(), waiting, "as the API has it");

    let bert = sign_in(&server, BERT).await;
    let claimed = bert.get("/forum/flagged?claimed=true").await.text;
    assert_eq!(titles(&claimed).len(), 1, "{claimed}");
    assert!(claimed.contains(&third) && claimed.contains("Claimed by anna"), "{claimed}");
    let free = bert.get("/forum/flagged?claimed=false").await.text;
    assert!(!free.contains(&third), "{free}");
    let agent = made[5]["agentId"].as_str().expect("it has an author");
    let of_bob = bert.get(&format!("/forum/flagged?agentId={agent}")).await.text;
    assert_eq!(titles(&of_bob).len(), 1, "{of_bob}");
    assert!(of_bob.contains("By bob, longest waiting first"), "{of_bob}");
    for (path, status) in [
        ("/forum/flagged?claimed=perhaps", 400),
        ("/forum/flagged?agentId=nobody", 400),
        ("/forum/flagged?cursor=nonsense", 400),
        ("/forum/flagged/nonsense", 400),
        (&*format!("/forum/flagged/{}", new_id()), 404),
        (&*format!("/forum/flagged?agentId={}", new_id()), 200),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let reply = bert.send(bert.request(method.clone(), path)).await;
            assert_eq!(reply.status, status, "{method} {path}");
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        }
    }
}

#[tokio::test]
async fn decision_is_applied_once_and_notes_are_kept_in_the_form() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = create_public_solution(&ada).await;
    let post = create_flagged_post(&ada, &solution, "Gutters are simple").await;
    let here = evaluation_page(&post);
    let anna = sign_in(&server, ANNA).await;
    let decide = |decision: &'static str, notes: &'static str, step: &'static str| {
        [("decision", decision), ("notes", notes), ("step", step)]
    };
    let review = format!("{here}/review");

    // A form without a token of our pages has no effect.
    for path in ["claim", "release", "review"].map(|act| format!("{here}/{act}")) {
        let reply = anna.post_bare(&path, &decide("approve", NOTES, "do")).await;
        assert_eq!(reply.status, 403, "{path}");
        assert!(reply.text.contains("is not valid for this browser session"), "{}", reply.text);
    }
    // The item is unclaimed.
    for step in ["preview", "do"] {
        let reply = anna.post(&review, &decide("approve", NOTES, step)).await;
        assert_eq!(reply.status, 403, "{step}");
        assert!(reply.text.contains("You have no claim on this item."), "{}", reply.text);
        assert!(reply.text.contains(&format!("readonly>\n{NOTES}</textarea>")), "{}", reply.text);
    }
    // The notes are still in the form after the claim.
    let claimed = anna.post(&format!("{here}/claim"), &[("notes", NOTES)]).await;
    assert_eq!(claimed.status, 200);
    assert!(claimed.text.contains(&format!("required>\n{NOTES}</textarea>")), "{}", claimed.text);
    for _ in 0..2 {
        let reply = anna.post(&format!("{here}/claim"), &[]).await;
        assert_eq!(redirect_target(&reply), format!("{here}#seat"), "once more");
    }
    let short = anna.post(&review, &decide("approve", "<too>", "preview")).await;
    assert_eq!(short.status, 400);
    assert!(short.text.contains("The reason must have 10 to 2000 characters."), "{}", short.text);
    assert!(short.text.contains("\n&#60;too&#62;</textarea>"), "{}", short.text);
    let odd = anna.post(&review, &decide("maybe", NOTES, "do")).await;
    assert_eq!(odd.status, 400);
    assert!(odd.text.contains("The decision must be `approve` or `reject`."), "{}", odd.text);
    assert_eq!(ada.wait_for_decision(&post).await["status"], "flagged");

    let preview = anna.post(&review, &decide("reject", NOTES, "preview")).await;
    assert!(
        preview.text.contains("stays visible only to its author and reviewers"),
        "{}",
        preview.text
    );
    for _ in 0..2 {
        let reply = anna.post(&review, &decide("reject", NOTES, "do")).await;
        assert_eq!(redirect_target(&reply), here, "twice is once");
    }
    let status = ada.wait_for_decision(&post).await;
    assert_eq!((&status["status"], &status["reason"]), (&json!("rejected"), &json!(NOTES)));
    let other = anna.post(&review, &decide("approve", "On second thoughts, yes.", "do")).await;
    assert_eq!(other.status, 409);
    assert!(other.text.contains("Another decision was made in the meantime."), "{}", other.text);
    assert!(other.text.contains("\nOn second thoughts, yes.</textarea>"), "{}", other.text);
    let bert = sign_in(&server, BERT).await;
    let late = bert.post(&review, &decide("reject", NOTES, "do")).await;
    assert_eq!(late.status, 409, "the same words by another are another decision");
    assert_eq!(redirect_target(&bert.post(&format!("{here}/release"), &[]).await), here);
}

#[tokio::test]
async fn evaluation_page_shows_item_parent_matched_rule_and_appeal() {
    let server = auto_approving().env("DEBATE_ADMIN_TOKEN", ANNA).start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let first = ada.create(&path, &stance("question", "How large are the tanks to be", None)).await;
    ada.wait_for_decision(&first).await;
    let words = "We should build wea\u{200b}pons and sell them *instead*";
    let bad = ada.create(&path, &stance("oppose", words, Some(id(&first)))).await;
    assert_eq!(ada.wait_for_decision(&bad).await["status"], "rejected");
    let appeal = json!({ "reason": "I only meant to <b>warn</b> of it." });
    let one = format!("{path}/{}", id(&bad));
    assert_eq!(
        data(&ada.post(&format!("{one}/appeal"), &appeal).await)["guardrailStatus"],
        "flagged"
    );

    let admin = sign_in(&server, ANNA).await;
    let list = admin.get("/forum/flagged").await.text;
    assert!(list.contains("Matched a rule: weapons (weapons."), "{list}");
    assert!(list.contains(">Appeal</span>"), "{list}");
    let page = admin.get(&evaluation_page(&bad)).await.text;
    for text in [
        "wea⟨U+200B⟩pons and sell them <em>instead</em>",
        "wea⟨U+200B⟩pons and sell them *instead*",
        "contains invisible or direction-changing characters",
        "https://example.org/rain",
        "Matched the rule <code>weapons.",
        "I only meant to &#60;b&#62;warn&#60;/b&#62; of it.",
        "Wells run dry in late summer",
        "Collect rain from the school roofs",
        "How large are the tanks to be",
        "Rejected by the rule weapons.",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    admin.post(&format!("{}/claim", evaluation_page(&bad)), &[]).await;
    let fields = [("decision", "reject"), ("notes", NOTES)];
    let preview = admin.post(&format!("{}/review", evaluation_page(&bad)), &fields).await.text;
    assert!(preview.contains("cannot appeal again"), "{preview}");
}

#[tokio::test]
async fn servers_token_reviews_without_an_admin_token() {
    let token = "a-token-of-the-server-0123456789";
    let server = high_limits().env("DEBATE_AUTH_TOKEN", token).start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = create_flagged(&ada, "/problems", &problem()).await;
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    assert_eq!(redirect_target(&visitor.post("/login", &[("token", token)]).await), "/");
    let home = visitor.get("/").await.text;
    assert!(home.contains("href=\"/forum/flagged\">1 forum item waiting for review"), "{home}");
    visitor.post(&format!("{}/claim", evaluation_page(&made)), &[]).await;
    let fields = [("decision", "approve"), ("notes", NOTES), ("step", "do")];
    let reply = visitor.post(&format!("{}/review", evaluation_page(&made)), &fields).await;
    assert_eq!(redirect_target(&reply), evaluation_page(&made));
    let shown = Visitor::at(&server).get(&format!("/forum/problems/{}", id(&made))).await;
    assert_eq!(shown.status, 200, "everyone sees it");
    assert!(!visitor.get("/").await.text.contains("waiting for review"));
}

#[tokio::test]
async fn evidence_links_show_punycode_hosts_and_hidden_characters_to_a_reviewer() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = create_public_solution(&ada).await;
    let mut body = stance("support", "The prices are on these pages", None);
    body["evidenceLinks"] = json!(["https://аpple.com/a", "https://x.test/\u{202e}gpj.exe"]);
    let made = create_flagged(&ada, &format!("/solutions/{solution}/debates"), &body).await;
    let page = sign_in(&server, ANNA).await.get(&evaluation_page(&made)).await.text;
    assert!(page.contains(">https://xn--pple-43d.com/a</a>"), "{page}");
    assert!(page.contains(">https://x.test/⟨U+202E⟩gpj.exe</a>"), "{page}");
}
