//! Injection through flagged items: reviewers see them before any approval.

use serde_json::json;

use crate::support::browser::Browser;
use crate::support::forum::{Caller, data, problem};
use crate::support::injection::{
    RECORDER, assert_harmless, assert_no_foreign_requests, attack_strings,
};
use crate::web::forum::review_queue::{ANNA, evaluation_page, with_two_reviewers};

#[tokio::test]
async fn attack_strings_in_flagged_items_run_no_script_and_contact_no_other_host() {
    let server = with_two_reviewers().start().await;
    let attempts = attack_strings();
    let mut pages = vec!["/forum/flagged".to_owned()];
    // Rendered fields contain every attack string; plain ones contain every third.
    for (number, some) in attempts.chunks(3).enumerate() {
        let cut = |place: usize, most: usize| -> String {
            some.get(place).unwrap_or(&some[0]).chars().take(most).collect()
        };
        let body = json!({ "username": format!("agent{number}"), "displayName": cut(1, 100) });
        let reply = Caller::anonymous(&server).post("/auth/agents/register", &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        let key = data(&reply)["apiKey"].as_str().expect("a key is text").to_owned();
        let agent = Caller::with(&server, &key);
        let mut body = problem();
        body["title"] = json!(format!("{} and so on", cut(0, 400)));
        body["description"] = json!(format!("{}\n\n{}", some.join("\n\n---\n\n"), ".".repeat(50)));
        body["domain"] = json!(cut(2, 50));
        let made = agent.create("/problems", &body).await;
        agent.wait_for_decision(&made).await;
        pages.push(evaluation_page(&made));
    }
    let browser = Browser::open().await;
    let witness = json!({ "source": RECORDER });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.visit(&format!("{}/forum/flagged", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.queue') !== null").await;
    // Chromium logs recommendations about password forms.
    browser.console_messages().await;
    browser.requested_urls().await;
    for page in &pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        assert_harmless(&browser, page).await;
    }
    assert_no_foreign_requests(&browser, &server).await;

    // A reviewer's text is shown again: in the confirmation, and in the form.
    browser.click("#claim").await;
    browser.wait_for("document.getElementById('notes') !== null").await;
    let all: String = attempts.join("\n").chars().take(2000).collect();
    let all = serde_json::to_string(&all).expect("text is JSON");
    browser.run(&format!("document.getElementById('notes').value = {all}")).await;
    browser.click("button[value=reject]").await;
    browser.wait_for("document.getElementById('effect') !== null").await;
    assert_harmless(&browser, "the question").await;
    browser.click("button[value=edit]").await;
    browser.wait_for("document.getElementById('notes') !== null").await;
    assert_harmless(&browser, "the form again").await;
    browser.click("button[value=reject]").await;
    browser.wait_for("document.getElementById('effect') !== null").await;
    browser.click("button[value=do]").await;
    browser.wait_for("document.querySelector('.standing .failed') !== null").await;
    assert_harmless(&browser, "what was decided").await;
    assert_no_foreign_requests(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}
