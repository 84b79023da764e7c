//! Injection: every text field of a debate is filled with known attack strings. No script runs, the
//! browser requests nothing from other hosts, and no page violates its own policy.

use serde_json::json;

use super::Browser;
use crate::browser::serve_page;
use crate::support::{Debate, Server, id_of};

/// One attack string per line; `\n` is a line break.
const CORPUS: &str = include_str!("attacks.txt");

/// Runs before every script of a page and records forbidden events.
pub(super) const WITNESS: &str = "
    window.executed = [];
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) {
        window[name] = (...words) => { window.executed.push([name, ...words].join(' ')); };
    }
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
        window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
";

/// Elements that neither the templates nor the allow-list produce.
const FOREIGN: &str = "[
    ...[...document.querySelectorAll('*')].flatMap((element) =>
        [...element.attributes].map((attribute) => attribute.name)
            .filter((name) => name.startsWith('on') || name === 'style')),
    ...[...document.querySelectorAll(
        'iframe, object, embed, img, svg:not(.chart), math, video, audio, base, style, ' +
        'meta[http-equiv], ' +
        '.prose form, .prose input, .prose button, .prose script, .prose link, .prose [id]'
    )].map((element) => element.outerHTML),
    ...[...document.querySelectorAll('.prose a')].map((link) => link.getAttribute('href') ?? '')
        .filter((href) => href && !/^(https?:\\/\\/|mailto:)/i.test(href)),
]";

pub(super) fn attempts() -> Vec<String> {
    let lines = CORPUS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("## "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

pub(super) async fn is_harmless(browser: &Browser, what: &str) {
    let seen = format!("[window.executed, window.violations, {FOREIGN}]");
    assert_eq!(browser.eval(&seen).await, json!([[], [], []]), "{what}");
}

/// Asserts that all requests since the last check went to the server, and that the
/// browser reported no violation.
pub(super) async fn called_nobody(browser: &Browser, server: &Server) {
    assert_eq!(browser.complaints().await, [""; 0]);
    let requested = browser.requested().await;
    assert!(!requested.is_empty(), "the browser tells what it asks for");
    for url in requested {
        assert!(url.starts_with(&server.url), "a page asked for {url}");
    }
}

#[tokio::test]
async fn nothing_that_anyone_writes_runs_or_calls_home() {
    let attempts = attempts();
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
        last = id_of(&server.post(&long.path("/arguments"), &body).await);
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
    let witness = json!({ "source": WITNESS });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", witness).await;
    browser.requested().await;
    for page in pages {
        browser.visit(&format!("{}{page}", server.url)).await;
        is_harmless(&browser, &page).await;
    }

    called_nobody(&browser, &server).await;

    // Text in a form is shown again: as a preview, and in the form.
    browser.visit(&format!("{}/arena/{}/intervene", server.url, long.id)).await;
    let all = serde_json::to_string(&attempts.join("\n\n")).expect("text is JSON");
    browser.run(&format!("document.getElementById('content').value = {all}")).await;
    browser.click("#seat button").await;
    browser.wait_for("document.querySelector('.preview .prose') !== null").await;
    is_harmless(&browser, "the preview").await;
    browser.click("button[value=edit]").await;
    browser.wait_for("document.querySelector('#content') !== null").await;
    is_harmless(&browser, "the form again").await;
    let words = attempts.first().expect("there are some");
    let search = words.replace('%', "%25").replace('&', "%26").replace('#', "%23");
    browser.visit(&format!("{}/arena?q={search}", server.url)).await;
    is_harmless(&browser, "the search").await;

    called_nobody(&browser, &server).await;
    browser.run("alert('seen')").await;
    let seen = browser.eval("window.executed").await;
    assert_eq!(seen, json!(["alert seen"]), "the witness is awake");
    browser.close().await;
}

/// A page that frames ours, and sends our form with a token that it wrote into a cookie
/// itself: cookies ignore ports.
const THIEF: &str = "<!doctype html><title>harmless</title>
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
async fn another_site_sends_none_of_our_forms_not_even_with_a_cookie_of_its_own() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
    let page = THIEF.replace("SERVER", &server.url).replace("DEBATE", &debate.id);
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
    let framed = browser.complaints().await.join(" ");
    assert!(framed.contains("frame-ancestors 'none'") || framed.contains("403"), "{framed}");
    browser.close().await;
}
