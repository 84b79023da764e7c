//! The pages and forms of the review queue, over HTTP without a browser.

use reqwest::Method;
use serde_json::json;

use super::super::super::person::{Person, leads_to};
use super::{ANNA, BERT, flagged, flagged_post, place, public_solution, reviewed, seated};
use crate::forum::agent::{Caller, data, id, problem, roomy, stance, trusting};
use crate::support::new_id;

const NOTES: &str = "It says what it says, and no more.";

#[tokio::test]
async fn only_reviewers_see_what_waits_and_others_are_shown_the_way() {
    let off = roomy().start().await;
    let page = Person::at(&off).get("/forum/flagged").await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("<code>DEBATE_ADMIN_TOKEN</code>"), "{}", page.text);

    let server = reviewed().start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = ada.make("/problems", &problem()).await;
    ada.decided(&made).await;
    let one = place(&made);
    let agent = Person::at(&server);
    agent.get("/forum/login").await;
    let key = ada.key.as_deref().expect("it has one");
    assert_eq!(agent.post("/forum/login", &[("key", key)]).await.status, 303);
    let paths = ["", "/claim", "/release", "/review"].map(|rest| format!("{one}{rest}"));
    for person in [Person::at(&server), agent] {
        person.get("/forum/login").await;
        for path in paths.iter().chain([&"/forum/flagged".to_owned()]) {
            let reply = person.get(path).await;
            assert!(leads_to(&reply).starts_with("/forum/login?next=%2Fforum%2Fflagged"), "{path}");
        }
        for path in &paths[1..] {
            let fields = [("decision", "approve"), ("notes", NOTES), ("step", "do")];
            assert_eq!(person.post(path, &fields).await.status, 401, "{path}");
        }
    }
    assert_eq!(ada.decided(&made).await["status"], "flagged");
}

/// The evaluations in a list, in order.
fn titles(page: &str) -> Vec<&str> {
    let links = page.split("class=\"title\" href=\"/forum/flagged/").skip(1);
    links.filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn what_waits_is_listed_longest_first_filtered_and_in_pages() {
    let server = reviewed().start().await;
    let (ada, bob) =
        (Caller::register(&server, "ada").await, Caller::register(&server, "bob").await);
    let mut made = Vec::new();
    for number in 0..32 {
        let mut body = problem();
        body["title"] = json!(format!("Problem <b>number</b> {number}"));
        let author = if number == 5 { &bob } else { &ada };
        made.push(author.make("/problems", &body).await);
    }
    for (number, problem) in made.iter().enumerate() {
        if number == 5 {
            bob.decided(problem).await
        } else {
            ada.decided(problem).await
        };
    }
    let anna = seated(&server, ANNA).await;
    let claim = format!("{}/claim", place(&made[3]));
    assert_eq!(leads_to(&anna.post(&claim, &[]).await), format!("{}#seat", place(&made[3])));

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

    let bert = seated(&server, BERT).await;
    let claimed = bert.get("/forum/flagged?claimed=true").await.text;
    assert_eq!(titles(&claimed).len(), 1, "{claimed}");
    assert!(claimed.contains(&place(&made[3])) && claimed.contains("Claimed by anna"), "{claimed}");
    let free = bert.get("/forum/flagged?claimed=false").await.text;
    assert!(!free.contains(&place(&made[3])), "{free}");
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
async fn a_decision_counts_once_and_what_was_written_is_never_lost() {
    let server = reviewed().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = public_solution(&ada).await;
    let post = flagged_post(&ada, &solution, "Gutters are simple").await;
    let here = place(&post);
    let anna = seated(&server, ANNA).await;
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
        assert_eq!(leads_to(&reply), format!("{here}#seat"), "once more");
    }
    let short = anna.post(&review, &decide("approve", "<too>", "preview")).await;
    assert_eq!(short.status, 400);
    assert!(short.text.contains("The reason must have 10 to 2000 characters."), "{}", short.text);
    assert!(short.text.contains("\n&#60;too&#62;</textarea>"), "{}", short.text);
    let odd = anna.post(&review, &decide("maybe", NOTES, "do")).await;
    assert_eq!(odd.status, 400);
    assert!(odd.text.contains("The decision must be `approve` or `reject`."), "{}", odd.text);
    assert_eq!(ada.decided(&post).await["status"], "flagged");

    let preview = anna.post(&review, &decide("reject", NOTES, "preview")).await;
    assert!(
        preview.text.contains("stays visible only to its author and reviewers"),
        "{}",
        preview.text
    );
    for _ in 0..2 {
        let reply = anna.post(&review, &decide("reject", NOTES, "do")).await;
        assert_eq!(leads_to(&reply), here, "twice is once");
    }
    let status = ada.decided(&post).await;
    assert_eq!((&status["status"], &status["reason"]), (&json!("rejected"), &json!(NOTES)));
    let other = anna.post(&review, &decide("approve", "On second thoughts, yes.", "do")).await;
    assert_eq!(other.status, 409);
    assert!(other.text.contains("Another decision was made in the meantime."), "{}", other.text);
    assert!(other.text.contains("\nOn second thoughts, yes.</textarea>"), "{}", other.text);
    let bert = seated(&server, BERT).await;
    let late = bert.post(&review, &decide("reject", NOTES, "do")).await;
    assert_eq!(late.status, 409, "the same words by another are another decision");
    assert_eq!(leads_to(&bert.post(&format!("{here}/release"), &[]).await), here);
}

#[tokio::test]
async fn a_reviewer_is_told_all_there_is_to_know() {
    let server = trusting().env("DEBATE_ADMIN_TOKEN", ANNA).start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    let path = format!("/solutions/{solution}/debates");
    let first = ada.make(&path, &stance("question", "How large are the tanks to be", None)).await;
    ada.decided(&first).await;
    let words = "We should build wea\u{200b}pons and sell them *instead*";
    let bad = ada.make(&path, &stance("oppose", words, Some(id(&first)))).await;
    assert_eq!(ada.decided(&bad).await["status"], "rejected");
    let appeal = json!({ "reason": "I only meant to <b>warn</b> of it." });
    let one = format!("{path}/{}", id(&bad));
    assert_eq!(
        data(&ada.post(&format!("{one}/appeal"), &appeal).await)["guardrailStatus"],
        "flagged"
    );

    let admin = seated(&server, ANNA).await;
    let list = admin.get("/forum/flagged").await.text;
    assert!(list.contains("Matched a rule: weapons (weapons."), "{list}");
    assert!(list.contains(">Appeal</span>"), "{list}");
    let page = admin.get(&place(&bad)).await.text;
    for told in [
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
        assert!(page.contains(told), "{told}: {page}");
    }
    admin.post(&format!("{}/claim", place(&bad)), &[]).await;
    let fields = [("decision", "reject"), ("notes", NOTES)];
    let preview = admin.post(&format!("{}/review", place(&bad)), &fields).await.text;
    assert!(preview.contains("cannot appeal again"), "{preview}");
}

#[tokio::test]
async fn whoever_has_the_servers_token_reviews_where_there_is_no_other() {
    let token = "a-token-of-the-server-0123456789";
    let server = roomy().env("DEBATE_AUTH_TOKEN", token).start().await;
    let ada = Caller::register(&server, "ada").await;
    let made = flagged(&ada, "/problems", &problem()).await;
    let person = Person::at(&server);
    person.get("/login").await;
    assert_eq!(leads_to(&person.post("/login", &[("token", token)]).await), "/");
    let home = person.get("/").await.text;
    assert!(home.contains("href=\"/forum/flagged\">1 forum item waiting for review"), "{home}");
    person.post(&format!("{}/claim", place(&made)), &[]).await;
    let fields = [("decision", "approve"), ("notes", NOTES), ("step", "do")];
    let reply = person.post(&format!("{}/review", place(&made)), &fields).await;
    assert_eq!(leads_to(&reply), place(&made));
    let shown = Person::at(&server).get(&format!("/forum/problems/{}", id(&made))).await;
    assert_eq!(shown.status, 200, "everyone sees it");
    assert!(!person.get("/").await.text.contains("waiting for review"));
}

#[tokio::test]
async fn evidence_links_show_punycode_hosts_and_hidden_characters_to_a_reviewer() {
    let server = reviewed().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = public_solution(&ada).await;
    let mut body = stance("support", "The prices are on these pages", None);
    body["evidenceLinks"] = json!(["https://аpple.com/a", "https://x.test/\u{202e}gpj.exe"]);
    let made = flagged(&ada, &format!("/solutions/{solution}/debates"), &body).await;
    let page = seated(&server, ANNA).await.get(&place(&made)).await.text;
    assert!(page.contains(">https://xn--pple-43d.com/a</a>"), "{page}");
    assert!(page.contains(">https://x.test/⟨U+202E⟩gpj.exe</a>"), "{page}");
}
