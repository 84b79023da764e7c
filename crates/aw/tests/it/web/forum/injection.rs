//! Injection: every text field of the forum is filled with known attack strings.

use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::forum::{Caller, data, id};
use crate::support::injection::{
    RECORDER, assert_harmless, assert_no_foreign_requests, attack_strings,
};
use crate::web::forum::{ANNA, with_two_reviewers};

/// Pads or cuts an attack string to a field's length.
fn fit_to_length(attempt: &str, least: usize, most: usize) -> String {
    let text: String = attempt.chars().take(most).collect();
    let missing = least.saturating_sub(text.chars().count());
    text + &" and so on".repeat(missing.div_ceil(10))
}

/// Registers an agent whose name contains an attack string.
async fn register_with_attack_name<'s>(
    anonymous: &Caller<'s>,
    number: usize,
    attempt: &str,
) -> Caller<'s> {
    let body = json!({
        "username": format!("agent_{number}"),
        "displayName": fit_to_length(attempt, 1, 100),
        "description": fit_to_length(attempt, 1, 1000),
    });
    let made = data(&anonymous.post("/auth/agents/register", &body).await);
    Caller::with(anonymous.server, made["apiKey"].as_str().expect("a key is text"))
}

fn post(attempt: &str, parent: Option<&str>) -> Value {
    json!({
        "stance": "question",
        "content": fit_to_length(attempt, 50, 10_000),
        "parentDebateId": parent,
        "evidenceLinks": [
            "https://example.org/%22onmouseover=alert(1)//",
            "https://example.org/'onclick='alert(1)",
            "https://example.org/?a=&quot;&lt;script&gt;alert(1)",
            "https://example.org/javascript:alert(1)",
        ],
    })
}

/// The number of attack strings in one text field: opening each page takes time.
const ATTACKS_PER_TEXT: usize = 6;

/// A problem whose every field is an attack string, and the agent that is named after one. Its text
/// has this and the previous attack strings.
async fn create_problem<'s>(
    anonymous: &Caller<'s>,
    number: usize,
    several: &[String],
) -> (Caller<'s>, Value) {
    let attempt = several.last().expect("there is one");
    let agent = register_with_attack_name(anonymous, number, attempt).await;
    let all = several.join("\n\n");
    let problem = json!({
        "title": fit_to_length(attempt, 10, 500), "description": fit_to_length(&all, 50, 10_000),
        "domain": fit_to_length(attempt, 1, 50), "severity": "low",
    });
    let made = agent.create("/problems", &problem).await;
    (agent, made)
}

/// Creates a solution from several attack strings with a post and a reply; returns its page.
async fn create_discussed_solution(
    agent: &Caller<'_>,
    problem: &Value,
    attempts: &[String],
) -> String {
    let all = attempts.join("\n\n");
    let solution = json!({
        "problemId": id(problem), "title": fit_to_length(&attempts.join(" "), 10, 500),
        "description": fit_to_length(&all, 50, 10_000), "approach": fit_to_length(&all, 50, 20_000),
    });
    let solution = agent.create("/solutions", &solution).await;
    let path = format!("/solutions/{}/debates", id(&solution));
    let first = agent.create(&path, &post(&all, None)).await;
    agent.create(&path, &post(&all, Some(id(&first)))).await;
    format!("/forum/solutions/{}", id(&solution))
}

/// Rejects an item. The author sees the reviewer's notes.
async fn reject(anna: &Caller<'_>, author: &Caller<'_>, made: &Value, notes: &str) {
    // A rule has already rejected the item, with its own reason.
    if author.wait_for_decision(made).await["status"] != "flagged" {
        return;
    }
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/admin/flagged/{evaluation}");
    assert_eq!(anna.post(&format!("{path}/claim"), &json!({})).await.status, 200);
    let review = json!({ "decision": "reject", "notes": fit_to_length(notes, 10, 2000) });
    assert_eq!(anna.post(&format!("{path}/review"), &review).await.status, 200);
}

/// The width of a phone.
const PHONE_WIDTH: u32 = 390;

/// Asserts that no script runs and that the page does not scroll horizontally.
async fn assert_page_is_safe(browser: &Browser, page: &str) {
    assert_harmless(browser, page).await;
    let across = browser.eval("document.documentElement.scrollWidth").await;
    assert!(across.as_u64() <= Some(PHONE_WIDTH.into()), "{page} is {across} wide");
}

#[tokio::test]
async fn attack_strings_in_the_forum_run_no_script_and_contact_no_other_host() {
    let server = with_two_reviewers().start().await;
    let (anonymous, anna) = (Caller::anonymous(&server), Caller::with(&server, ANNA));
    let mut pages = vec!["/".to_owned()];
    let mut agents = Vec::new();
    for (number, several) in attack_strings().chunks(ATTACKS_PER_TEXT).enumerate() {
        for place in 0..several.len() {
            let number = number * ATTACKS_PER_TEXT + place;
            agents.push(create_problem(&anonymous, number, &several[..=place]).await);
        }
        let (agent, problem) = agents.last().expect("there is one");
        pages.push(create_discussed_solution(agent, problem, several).await);
        reject(&anna, agent, problem, &several.join(" ")).await;
        pages.push(format!("/forum/problems/{}", id(problem)));
    }

    // A text without a break opportunity.
    let wide = ["W".repeat(500)];
    let (agent, problem) = create_problem(&anonymous, agents.len(), &wide).await;
    pages.push(create_discussed_solution(&agent, &problem, &wide).await);
    agents.push((agent, problem));

    let browser = Browser::open().await;
    browser.set_width(PHONE_WIDTH).await;
    let witness = json!({ "source": RECORDER });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.visit(&format!("{}/forum/login", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.rows .title') !== null").await;
    browser.console_messages().await;
    browser.requested_urls().await;
    let mut listed = 0;
    loop {
        assert_page_is_safe(&browser, "the list").await;
        listed += browser.count(".rows .title").await;
        if browser.count("[rel=next]").await == 0 {
            break;
        }
        let next = browser.eval("document.querySelector('[rel=next]').href").await;
        browser.visit(next.as_str().expect("an address is text")).await;
    }
    assert_eq!(usize::try_from(listed), Ok(agents.len()), "each was seen in a list");
    for page in &pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        assert_page_is_safe(&browser, page).await;
    }

    // Live: as an event, and then as part of the page.
    let page = pages.get(1).expect("there is one");
    browser.visit(&format!("{}{page}", server.url)).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    let path = page.replace("/forum", "") + "/debates";
    let (author, _) = agents.get(ATTACKS_PER_TEXT - 1).expect("there are some");
    for (number, several) in attack_strings().chunks(ATTACKS_PER_TEXT).enumerate() {
        let words = several.join("\n\n");
        author.create(&path, &post(&format!("{words} {number}"), None)).await;
    }
    let all = attack_strings().chunks(ATTACKS_PER_TEXT).len() + 2;
    browser.wait_for(&format!("document.querySelectorAll('.post').length === {all}")).await;
    assert_harmless(&browser, "as it is said").await;
    assert_no_foreign_requests(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
