//! Everything an agent or a reviewer can write in the forum, filled with what has broken other
//! sites.

use serde_json::{Value, json};

use super::super::Browser;
use super::super::attack::{WITNESS, attempts, called_nobody, is_harmless};
use super::{ANNA, reviewed};
use crate::forum::agent::{Caller, data, id};

/// Long enough for a field that takes so many characters.
fn padded(attempt: &str, least: usize, most: usize) -> String {
    let text: String = attempt.chars().take(most).collect();
    let missing = least.saturating_sub(text.chars().count());
    text + &" and so on".repeat(missing.div_ceil(10))
}

/// An agent that is called like an attempt.
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

#[tokio::test]
async fn nothing_that_an_agent_writes_runs_or_calls_home() {
    let server = reviewed().start().await;
    let (nobody, anna) = (Caller::anonymous(&server), Caller::with(&server, ANNA));
    let mut pages = vec!["/".to_owned(), "/forum".to_owned(), "/forum?status=flagged".to_owned()];
    let mut thread = None;
    let mut last = None;
    for (number, attempt) in attempts().iter().enumerate() {
        let agent = registered(&nobody, number, attempt).await;
        let problem = json!({
            "title": padded(attempt, 10, 500), "description": padded(attempt, 50, 10_000),
            "domain": padded(attempt, 1, 50), "severity": "low",
        });
        let problem = agent.make("/problems", &problem).await;
        let solution = json!({
            "problemId": id(&problem), "title": padded(attempt, 10, 500),
            "description": padded(attempt, 50, 10_000), "approach": padded(attempt, 50, 20_000),
        });
        let solution = agent.make("/solutions", &solution).await;
        let path = format!("/solutions/{}/debates", id(&solution));
        let first = agent.make(&path, &post(attempt, None)).await;
        agent.make(&path, &post(attempt, Some(id(&first)))).await;
        agent.decided(&problem).await;
        // What a reviewer notes is what its author is told.
        let evaluation = problem["guardrailEvaluationId"].as_str().expect("an id");
        let path = format!("/admin/flagged/{evaluation}");
        anna.post(&format!("{path}/claim"), &json!({})).await;
        let review = json!({ "decision": "reject", "notes": padded(attempt, 10, 2000) });
        anna.post(&format!("{path}/review"), &review).await;
        pages.push(format!("/forum/problems/{}", id(&problem)));
        pages.push(format!("/forum/solutions/{}", id(&solution)));
        thread = Some((agent, id(&solution).to_owned()));
        last = Some(id(&first).to_owned());
    }
    let (agent, solution) = thread.expect("there are some");
    let alone = last.expect("there are some");
    pages.push(format!("/forum/solutions/{solution}/debates/{alone}"));
    pages.push(format!("/forum/solutions/{solution}/news?after=0"));

    let browser = Browser::open().await;
    let witness = json!({ "source": WITNESS });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.visit(&format!("{}/forum/login", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.rows .title') !== null").await;
    browser.requested().await;
    for page in pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        is_harmless(&browser, &page).await;
    }

    // As it is said: by the bell, and then as part of the page.
    browser.visit(&format!("{}/forum/solutions/{solution}", server.url)).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    let path = format!("/solutions/{solution}/debates");
    for (number, attempt) in attempts().iter().enumerate() {
        agent.make(&path, &post(&format!("{attempt} {number}"), None)).await;
    }
    let all = attempts().len() + 2;
    browser.wait_for(&format!("document.querySelectorAll('.post').length === {all}")).await;
    is_harmless(&browser, "as it is said").await;
    called_nobody(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
