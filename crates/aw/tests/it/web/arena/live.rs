//! A debate's page while others write: no gap, no duplicate, and no jump of the scroll position.

use serde_json::json;

use crate::support::browser::Browser;
use crate::support::proxy::Proxy;
use crate::support::{Debate, Server, Setup, argument_id};

/// The sequence numbers on the page, in order.
const SEQS: &str =
    "[...document.querySelectorAll('.turn')].map((turn) => Number(turn.dataset.seq))";

async fn wait_until_live(browser: &Browser) {
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
}

async fn wait_for_arguments(browser: &Browser, count: usize) {
    browser.wait_for(&format!("document.querySelectorAll('.turn').length >= {count}")).await;
}

/// Both roles submit one argument; returns the newest argument's id.
async fn exchange(debate: &Debate<'_>, target: &str, round: usize) -> String {
    let claim = debate.claim("opponent", target, &format!("o-{round}")).await;
    let claim = debate.claim("proposer", &argument_id(&claim), &format!("p-{round}")).await;
    assert_eq!(claim.status, 201, "{}", claim.text);
    argument_id(&claim)
}

#[tokio::test]
async fn live_page_has_no_gap_and_no_duplicate_across_restarts_and_503_responses() {
    let proxy = Proxy::refusing().await;
    let setup = Setup::new().env("DEBATE_ALLOWED_HOSTS", &proxy.address);
    let mut server = setup.start().await;
    proxy.forward_to(server.address());
    let opened = Debate::open(&server).await;
    let (id, motion) = (opened.id.clone(), opened.motion.clone());
    let browser = Browser::open().await;
    browser.visit(&format!("http://{}/arena/{id}", proxy.address)).await;
    wait_until_live(&browser).await;
    let mut last = motion.clone();
    for round in 0..4 {
        let before = Debate { server: &server, id: id.clone(), motion: motion.clone() };
        last = exchange(&before, &last, round * 2).await;
        wait_for_arguments(&browser, 3 + round * 4).await;
        match round % 2 {
            0 => proxy.refuse(),
            _ => proxy.forward_to("127.0.0.1:1"),
        }
        browser.wait_for("document.getElementById('live').textContent !== 'Live'").await;
        if round < 2 {
            server.kill().await;
        } else {
            server.terminate();
            assert!(server.wait_for_exit().await.success());
        }
        server = setup.start().await;
        let after = Debate { server: &server, id: id.clone(), motion: motion.clone() };
        last = exchange(&after, &last, round * 2 + 1).await;
        proxy.forward_to(server.address());
        wait_for_arguments(&browser, 5 + round * 4).await;
        wait_until_live(&browser).await;
    }
    let debate = Debate { server: &server, id, motion };
    let claim = debate.claim("opponent", &last, "last").await;
    debate.ask("resolution", &argument_id(&claim), "end").await;
    browser
        .wait_for("document.getElementById('live').textContent === 'Closed. No further updates.'")
        .await;
    let all: Vec<u32> = (1..=20).collect();
    assert_eq!(browser.eval(SEQS).await, json!(all));
    assert_eq!(browser.text("#standing").await, "Closed");
    browser.close().await;
}

#[tokio::test]
async fn new_arguments_are_appended_without_scrolling_the_page() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut last = debate.motion.clone();
    for round in 0..20 {
        last = exchange(&debate, &last, round).await;
    }
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    wait_until_live(&browser).await;
    browser.run("scrollTo({ top: 300, behavior: 'instant' })").await;
    browser.wait_for("scrollY === 300").await;
    exchange(&debate, &last, 20).await;
    browser.wait_for("document.getElementById('pill').textContent === '2 new ↓'").await;
    assert_eq!(browser.eval("scrollY").await, 300, "the reader stays");
    assert_eq!(browser.eval("document.title.slice(0, 4)").await, "(2) ");
    browser.click("#pill").await;
    browser.wait_for("document.getElementById('pill').hidden").await;
    assert_eq!(browser.eval("document.activeElement.id").await, "seq-42", "the first new one");
    browser.close().await;
}

#[tokio::test]
async fn earlier_page_reports_new_arguments_without_appending_them() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut last = debate.motion.clone();
    for round in 0..40 {
        last = exchange(&debate, &last, round).await;
    }
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}?at=1", server.url, debate.id)).await;
    wait_until_live(&browser).await;
    exchange(&debate, &last, 40).await;
    browser.wait_for("document.getElementById('count').textContent === '83 arguments'").await;
    browser.wait_for("document.getElementById('pill').textContent === '32 new ↓'").await;
    let shown: Vec<u32> = (1..=51).collect();
    assert_eq!(browser.eval(SEQS).await, json!(shown), "what is shown stays whole");
    browser.click("#pill").await;
    browser.wait_for("document.getElementById('seq-83') !== null").await;
    browser.close().await;
}

#[tokio::test]
async fn open_page_reports_that_the_debate_was_deleted() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    wait_until_live(&browser).await;
    server.delete(&debate.path("")).await;
    let gone = "document.getElementById('live').textContent === 'The debate was deleted.'";
    browser.wait_for(gone).await;
    browser.close().await;
}

#[tokio::test]
async fn list_refreshes_unless_the_reader_is_using_it() {
    let server = Server::start().await;
    let browser = Browser::open().await;
    browser.visit(&server.url).await;
    assert_eq!(browser.text("h1").await, "No debates yet");
    let debate = Debate::open(&server).await;
    // The event of a return to the tab; otherwise a timer starts the refresh.
    let look = "document.dispatchEvent(new Event('visibilitychange'))";
    browser.run(look).await;
    browser.wait_for("document.querySelector('h1').textContent === 'Needs you'").await;
    browser.press("j").await;
    debate.advance_to("AWAITING_ARBITRATOR").await;
    browser.run(look).await;
    assert_eq!(browser.eval("document.activeElement.className").await, "title");
    browser.run(&format!("document.activeElement.blur(); {look}")).await;
    browser.wait_for("document.title.startsWith('(1) ')").await;
    assert_eq!(browser.count(".card").await, 1);
    browser.close().await;
}

#[tokio::test]
async fn keyboard_shortcuts_navigate_the_pages() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    exchange(&debate, &debate.motion, 0).await;
    let browser = Browser::open().await;
    browser.visit(&server.url).await;
    browser.press("j").await;
    assert_eq!(browser.eval("document.activeElement.className").await, "title");
    for key in ["g", "a"] {
        browser.press(key).await;
    }
    browser.wait_for("location.pathname === '/arena'").await;
    browser.press("/").await;
    assert_eq!(browser.eval("document.activeElement.id").await, "q");
    browser.fill("#q", "jk?").await;
    assert_eq!(browser.eval("document.getElementById('q').value").await, "jk?", "typing is typing");
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    for (key, place) in [("j", "seq-1"), ("j", "seq-2"), ("j", "seq-3"), ("k", "seq-2")] {
        browser.press(key).await;
        assert_eq!(browser.eval("document.activeElement.id").await, place, "{key}");
    }
    browser.press("?").await;
    assert_eq!(browser.eval("document.getElementById('keys').open").await, true);
    browser.press("\u{e00c}").await;
    browser.wait_for("!document.getElementById('keys').open").await;
    for key in ["g", "n"] {
        browser.press(key).await;
    }
    browser.wait_for("location.pathname === '/arena/new'").await;
    browser.close().await;
}
