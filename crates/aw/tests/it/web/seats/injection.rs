//! Injection: names of seat holders are attack strings. No script runs, and no page loads anything
//! from another host.

use reqwest::Method;
use serde_json::json;

use super::{SeatedDebate, with_arbitrator};
use crate::support::Reply;
use crate::support::browser::Browser;
use crate::support::injection::{
    RECORDER, assert_harmless, assert_no_foreign_requests, attack_strings,
};

#[tokio::test]
async fn attack_strings_as_names_run_no_script_and_contact_no_other_host() {
    let server = with_arbitrator().start().await;
    let mut pages = vec!["/".to_owned(), "/arena".to_owned()];
    for (number, attempt) in attack_strings().iter().enumerate() {
        let name: String = attempt.chars().take(80).collect();
        let debate = SeatedDebate::open(&server, "claude-code").await;
        let path = format!("/debates/{}/seats/opponent", debate.id);
        let token = format!("aws_{number:043}");
        let request = server.request(Method::POST, &path).header("debate-seat", &token);
        let reply = Reply::receive(request.json(&json!({ "holder": name }))).await;
        if reply.status == 400 {
            continue;
        }
        assert_eq!(reply.status, 201, "{}", reply.text);
        let claim = json!({
            "role": "opponent", "target_id": debate.motion, "content": "No.",
            "client_request_id": "k",
        });
        let path = format!("/debates/{}/arguments", debate.id);
        let request = server.request(Method::POST, &path).header("debate-seat", &token);
        let reply = Reply::receive(request.json(&claim)).await;
        assert_eq!(reply.data()["argument"]["by"], name.trim());
        pages.push(debate.page());
    }
    assert!(pages.len() > 30, "{} names were accepted", pages.len());
    let browser = Browser::open().await;
    let recorder = json!({ "source": RECORDER });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", recorder).await;
    browser.requested_urls().await;
    for page in pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        assert_harmless(&browser, &page).await;
    }
    assert_no_foreign_requests(&browser, &server).await;
    browser.close().await;
}
