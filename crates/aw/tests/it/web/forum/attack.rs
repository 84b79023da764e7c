//! Injection: every text field of the forum is filled with known attack strings.

use serde_json::{Value, json};

use super::super::Browser;
use super::super::attack::{WITNESS, attempts, called_nobody, is_harmless};
use super::{ANNA, reviewed};
use crate::forum::agent::{Caller, data, id};

/// Pads or cuts an attack string to a field's length.
fn padded(attempt: &str, least: usize, most: usize) -> String {
    let text: String = attempt.chars().take(most).collect();
    let missing = least.saturating_sub(text.chars().count());
    text + &" and so on".repeat(missing.div_ceil(10))
}

/// Registers an agent whose name contains an attack string.
async fn registered<'s>(nobody: &Caller<'s>, number: usize, attempt: &str) -> Caller<'s> {
    let body = json!({
        "username": format!("agent_{number}"),
        "displayName": padded(attempt, 1, 100),
        "description": padded(attempt, 1, 1000),
    });
    let made = data(&nobody.post("/auth/agents/register", &body).await);
    Caller::with(nobody.server, made["apiKey"].as_str().expect("a key is text"))
}

fn post(attempt: &str, parent: Option<&str>) -> Value {
    json!({
        "stance": "question",
        "content": padded(attempt, 50, 10_000),
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
const TOGETHER: usize = 6;

/// A problem whose every field is an attack string, and the agent that is named after one. Its text
/// has this and the previous attack strings.
async fn raised<'s>(nobody: &Caller<'s>, number: usize, several: &[String]) -> (Caller<'s>, Value) {
    let attempt = several.last().expect("there is one");
    let agent = registered(nobody, number, attempt).await;
    let all = several.join("\n\n");
    let problem = json!({
        "title": padded(attempt, 10, 500), "description": padded(&all, 50, 10_000),
        "domain": padded(attempt, 1, 50), "severity": "low",
    });
    let made = agent.make("/problems", &problem).await;
    (agent, made)
}

/// Creates a solution from several attack strings with a post and a reply; returns its page.
async fn debated(agent: &Caller<'_>, problem: &Value, attempts: &[String]) -> String {
    let all = attempts.join("\n\n");
    let solution = json!({
        "problemId": id(problem), "title": padded(&attempts.join(" "), 10, 500),
        "description": padded(&all, 50, 10_000), "approach": padded(&all, 50, 20_000),
    });
    let solution = agent.make("/solutions", &solution).await;
    let path = format!("/solutions/{}/debates", id(&solution));
    let first = agent.make(&path, &post(&all, None)).await;
    agent.make(&path, &post(&all, Some(id(&first)))).await;
    format!("/forum/solutions/{}", id(&solution))
}

/// Rejects an item. The author sees the reviewer's notes.
async fn rejected(anna: &Caller<'_>, author: &Caller<'_>, made: &Value, notes: &str) {
    // A rule has already rejected the item, with its own reason.
    if author.decided(made).await["status"] != "flagged" {
        return;
    }
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/admin/flagged/{evaluation}");
    assert_eq!(anna.post(&format!("{path}/claim"), &json!({})).await.status, 200);
    let review = json!({ "decision": "reject", "notes": padded(notes, 10, 2000) });
    assert_eq!(anna.post(&format!("{path}/review"), &review).await.status, 200);
}

/// The width of a phone.
const NARROW: u32 = 390;

/// Asserts that no script runs and that the page does not scroll horizontally.
async fn holds(browser: &Browser, page: &str) {
    is_harmless(browser, page).await;
    let across = browser.eval("document.documentElement.scrollWidth").await;
    assert!(across.as_u64() <= Some(NARROW.into()), "{page} is {across} wide");
}

#[tokio::test]
async fn nothing_that_an_agent_writes_runs_or_calls_home() {
    let server = reviewed().start().await;
    let (nobody, anna) = (Caller::anonymous(&server), Caller::with(&server, ANNA));
    let mut pages = vec!["/".to_owned()];
    let mut agents = Vec::new();
    for (number, several) in attempts().chunks(TOGETHER).enumerate() {
        for place in 0..several.len() {
            let number = number * TOGETHER + place;
            agents.push(raised(&nobody, number, &several[..=place]).await);
        }
        let (agent, problem) = agents.last().expect("there is one");
        pages.push(debated(agent, problem, several).await);
        rejected(&anna, agent, problem, &several.join(" ")).await;
        pages.push(format!("/forum/problems/{}", id(problem)));
    }

    // A text without a break opportunity.
    let wide = ["W".repeat(500)];
    let (agent, problem) = raised(&nobody, agents.len(), &wide).await;
    pages.push(debated(&agent, &problem, &wide).await);
    agents.push((agent, problem));

    let browser = Browser::open().await;
    browser.width(NARROW).await;
    let witness = json!({ "source": WITNESS });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.visit(&format!("{}/forum/login", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.rows .title') !== null").await;
    browser.complaints().await;
    browser.requested().await;
    let mut listed = 0;
    loop {
        holds(&browser, "the list").await;
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
        holds(&browser, page).await;
    }

    // Live: as an event, and then as part of the page.
    let page = pages.get(1).expect("there is one");
    browser.visit(&format!("{}{page}", server.url)).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    let path = page.replace("/forum", "") + "/debates";
    let (author, _) = agents.get(TOGETHER - 1).expect("there are some");
    for (number, several) in attempts().chunks(TOGETHER).enumerate() {
        let words = several.join("\n\n");
        author.make(&path, &post(&format!("{words} {number}"), None)).await;
    }
    let all = attempts().chunks(TOGETHER).len() + 2;
    browser.wait_for(&format!("document.querySelectorAll('.post').length === {all}")).await;
    is_harmless(&browser, "as it is said").await;
    called_nobody(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
