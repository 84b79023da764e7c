//! Injection: every text field of a debate is filled with known attack strings. No script runs, the
//! browser requests nothing from other hosts, and no page violates its own policy.

use serde_json::json;

use crate::support::browser::{Browser, serve_page};
use crate::support::injection::{
    RECORDER, assert_harmless, assert_no_foreign_requests, attack_strings,
};
use crate::support::{Debate, Server, argument_id};

#[tokio::test]
async fn attack_strings_in_a_debate_run_no_script_and_contact_no_other_host() {
    let attempts = attack_strings();
    assert!(attempts.len() >= 60, "{} attempts", attempts.len());
    let server = Server::start().await;
    let long = Debate::open_with(&server, |body| body["title"] = "All of them".into()).await;
    let mut pages = vec!["/".to_owned(), "/arena".to_owned()];
    let mut last = long.motion.clone();
    for (place, attempt) in attempts.iter().enumerate() {
        let role = if place % 2 == 0 { "opponent" } else { "proposer" };
        let body = json!({
            "role": role, "target_id": last, "content": attempt,
            "client_request_id": format!("attempt-{place}"),
        });
        last = argument_id(&server.post(&long.path("/arguments"), &body).await);
        let title: String = attempt.chars().take(300).collect();
        let debate = Debate::open_with(&server, |body| {
            body["title"] = title.into();
            body["motion_content"] = attempt.as_str().into();
        })
        .await;
        pages.push(format!("/arena/{}", debate.id));
    }
    pages.push(format!("/arena/{}?at=1", long.id));
    pages.push(format!("/arena/{}", long.id));
    let browser = Browser::open().await;
    let witness = json!({ "source": RECORDER });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.requested_urls().await;
    for page in pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        assert_harmless(&browser, &page).await;
    }

    assert_no_foreign_requests(&browser, &server).await;

    // Text in a form is shown again: as a preview, and in the form.
    browser.visit(&format!("{}/arena/{}/intervene", server.url, long.id)).await;
    let all = serde_json::to_string(&attempts.join("\n\n")).expect("text is JSON");
    browser.run(&format!("document.getElementById('content').value = {all}")).await;
    browser.click("#seat button").await;
    browser.wait_for("document.querySelector('.preview .prose') !== null").await;
    assert_harmless(&browser, "the preview").await;
    browser.click("button[value=edit]").await;
    browser.wait_for("document.querySelector('#content') !== null").await;
    assert_harmless(&browser, "the form again").await;
    let words = attempts.first().expect("there are some");
    let search = words.replace('%', "%25").replace('&', "%26").replace('#', "%23");
    browser.visit(&format!("{}/arena?q={search}", server.url)).await;
    assert_harmless(&browser, "the search").await;

    assert_no_foreign_requests(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}

/// A page that frames ours, and sends our form with a token that it wrote into a cookie
/// itself: cookies ignore ports.
const HOSTILE_PAGE: &str = "<!doctype html><title>harmless</title>
    <iframe src='SERVER/arena'></iframe>
    <form method=post action='SERVER/arena/DEBATE/intervene'>
    <input name=content value=x><input name=step value=do>
    <input name=form_token value=0123456789abcdef0123456789abcdef></form>
    <script>
    document.cookie = 'aw_form_PORT=0123456789abcdef0123456789abcdef; path=/';
    document.cookie = 'aw_form_PORT=0123456789abcdef0123456789abcdef; path=/arena/';
    onload = () => document.forms[0].submit();
    </script>";

#[tokio::test]
async fn another_site_cannot_send_a_form_even_with_a_forged_cookie() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
    let page = HOSTILE_PAGE.replace("SERVER", &server.url).replace("DEBATE", &debate.id);
    let thief = serve_page(page.replace("PORT", &port)).await;
    let browser = Browser::open().await;
    for host in ["evil.test", "127.0.0.1", "localhost"] {
        // A visitor who has our cookie opens another page.
        browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
        browser.visit(&format!("http://{host}:{thief}/")).await;
        browser.wait_for("document.querySelector('h1')?.textContent === 'Request refused'").await;
        let refused = format!("{}/arena/{}/intervene", server.url, debate.id);
        assert_eq!(browser.url().await, refused, "{host}");
        assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT", "{host}");
    }
    let framed = browser.console_messages().await.join(" ");
    assert!(framed.contains("frame-ancestors 'none'") || framed.contains("403"), "{framed}");
    browser.close().await;
}
