//! The arbitrator in a real browser, with JavaScript and without.

use serde_json::json;

use crate::support::browser::Browser;
use crate::support::{Debate, Server, Setup};
use crate::web::seats::{ARBITRATOR, SeatedDebate, with_arbitrator};

const TOKEN: &str = "a-token-nobody-would-guess-0123456789";

async fn wait_for_text(browser: &Browser, selector: &str, text: &str) {
    let seen =
        format!("document.querySelector({selector:?})?.innerText.includes({text:?}) === true");
    browser.wait_for(&seen).await;
}

/// Signs in as the arbitrator, and opens a debate through its form; returns its slug.
async fn open_debate_through_page(browser: &Browser, server: &Server) -> String {
    browser.visit(&format!("{}/login?next=/arena/new", server.url)).await;
    browser.fill("#token", ARBITRATOR).await;
    browser.click("main button").await;
    browser.wait_for("location.pathname === '/arena/new'").await;
    // Chromium expects a user name beside every password.
    browser.console_messages().await;
    browser.fill("#title", "By the page").await;
    browser.fill("#motion_content", "We should *try* this.").await;
    browser.click("#auto_ruling option[value=false]").await;
    browser.click("main button").await;
    wait_for_text(browser, ".prose", "We should try this.").await;
    let url = browser.url().await;
    let slug = url.rsplit('/').next().expect("an address has a last part");
    slug.split(['?', '#']).next().expect("a split has a first part").to_owned()
}

/// Presses the button of an action, checks the confirmation, and confirms.
async fn act_and_confirm(browser: &Browser, first: &str, effect: &str) {
    browser.click(first).await;
    wait_for_text(browser, "#effect", effect).await;
    browser.click("button[value=do]").await;
}

#[tokio::test]
async fn arbitrator_closes_a_debate_in_the_browser_while_agents_write() {
    let server = with_arbitrator().start().await;
    let browser = Browser::open().await;
    let slug = open_debate_through_page(&browser, &server).await;
    let debate = SeatedDebate::find(&server, &slug).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    wait_for_text(&browser, "#waiting h2", "Waiting for both sides").await;
    debate.take_seat("opponent", "codex").await;
    wait_for_text(&browser, "#waiting h2", "Waiting for a proposer").await;
    debate.take_seat("proposer", "claude-code").await;
    let claim = debate.object("It does not fit.").await;
    wait_for_text(&browser, "#seq-2", "It does not fit.").await;
    wait_for_text(&browser, "#standing", "Waiting for the proposer").await;

    // The proposer appeals while the arbitrator fills in an intervention: the text is kept.
    browser.fill("#content", "Two gigabytes.").await;
    debate.ask("appeal", &claim).await;
    wait_for_text(&browser, "#seat", "Rule and close").await;
    let seat = "[document.activeElement.id, document.getElementById('content').value]";
    assert_eq!(browser.eval(seat).await, json!(["content", "Two gigabytes."]));
    browser.fill("#content", " Show that it fits.").await;
    act_and_confirm(&browser, "button[value=false]", "The proposer answers next").await;
    wait_for_text(&browser, "#seq-4", "Two gigabytes. Show that it fits.").await;
    wait_for_text(&browser, "#standing", "Waiting for the proposer").await;
    assert!(browser.url().await.ends_with("#seq-4"));

    let whole = debate.read().await;
    let ruling = whole["arguments"][2]["id"].as_str().expect("it has an id").to_owned();
    debate.claim("proposer", &ruling, "Then it fits.").await;
    wait_for_text(&browser, "#standing", "Waiting for the opponent").await;
    act_and_confirm(&browser, "#seat button", "The debate pauses.").await;
    wait_for_text(&browser, "#seq-6", "No text.").await;
    wait_for_text(&browser, "#standing", "Paused, needs a ruling").await;
    browser.fill("#content", "Enough.").await;
    act_and_confirm(&browser, "button[value=true]", "closes permanently").await;
    wait_for_text(&browser, "#standing", "Closed").await;
    assert_eq!(browser.count("textarea").await, 0, "nothing can be done any more");

    let whole = debate.read().await;
    let kinds: Vec<_> = whole["arguments"].as_array().expect("a list").iter().collect();
    let kinds: Vec<_> = kinds.iter().map(|argument| argument["type"].clone()).collect();
    assert_eq!(
        json!(kinds),
        json!(["CLAIM", "APPEAL", "RULING", "CLAIM", "INTERVENTION", "RULING"])
    );
    assert_eq!(whole["debate"]["state"], "CLOSED");
    assert_eq!(browser.console_messages().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn arbitrator_works_without_javascript() {
    let server = with_arbitrator().start().await;
    let browser = Browser::open().await;
    browser.disable_script().await;
    let slug = open_debate_through_page(&browser, &server).await;
    assert_eq!(browser.eval("document.getElementById('live').hidden").await, true);
    assert_eq!(browser.count("#pill:not([hidden]), .hint:not([hidden])").await, 0);
    assert!(browser.text("time").await.ends_with(" UTC"));
    act_and_confirm(&browser, "#seat button", "The debate pauses.").await;
    wait_for_text(&browser, "#standing", "Paused, needs a ruling").await;
    browser.fill("#content", "**Enough**.").await;
    browser.click("button[value=true]").await;
    wait_for_text(&browser, ".preview strong", "Enough").await;
    browser.click("button[value=edit]").await;
    let written = "document.getElementById('content')?.value === '**Enough**.'";
    browser.wait_for(written).await;
    act_and_confirm(&browser, "button[value=true]", "closes permanently").await;
    wait_for_text(&browser, "#standing", "Closed").await;
    browser.visit(&format!("{}/arena?q=page", server.url)).await;
    assert_eq!(browser.text(".rows .title").await, "By the page");
    browser.click(".rows .title").await;
    browser.click(".tools .danger").await;
    browser.click("main button").await;
    wait_for_text(&browser, ".notice", "The debate was deleted.").await;
    assert_eq!(server.get(&format!("/debates/{slug}")).await.status, 404);
    browser.close().await;
}

#[tokio::test]
async fn login_with_the_token_gives_live_updates() {
    let server = Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).start().await.with_token(TOKEN);
    let debate = Debate::open(&server).await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    assert_eq!(browser.text("h1").await, "Sign in");
    browser.fill("#token", "wrong").await;
    browser.click("main button").await;
    wait_for_text(&browser, ".error", "Wrong token.").await;
    browser.fill("#token", TOKEN).await;
    browser.click("main button").await;
    wait_for_text(&browser, "h1", "Cache the index").await;
    assert!(!browser.url().await.contains(TOKEN));
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    debate.claim("opponent", &debate.motion, "c-1").await;
    wait_for_text(&browser, "#seq-2", "the opponent says c-1").await;
    assert_eq!(browser.eval("document.cookie").await, "", "no script can read the session");
    let socket = format!(
        "new Promise((heard, refused) => {{
            const socket = new WebSocket(`ws://${{location.host}}/ws?debate_id={}`);
            socket.onmessage = (message) => heard(JSON.parse(message.data).event);
            socket.onerror = () => refused('refused');
        }})",
        debate.id
    );
    assert_eq!(browser.eval_async(&socket).await, "initial_state", "sockets take it too");
    browser.click(".leave button").await;
    wait_for_text(&browser, "h1", "Sign in").await;
    browser.visit(&format!("{}/arena", server.url)).await;
    assert_eq!(browser.text("h1").await, "Sign in");
    browser.close().await;
}
