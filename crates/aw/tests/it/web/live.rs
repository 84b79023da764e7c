//! A debate's page while others write: no gap, no duplicate, and no jump of the scroll position.

use serde_json::json;

use super::Browser;
use super::proxy::Proxy;
use crate::support::{Debate, Server, Setup, id_of};

/// The sequence numbers on the page, in order.
const PLACES: &str =
    "[...document.querySelectorAll('.turn')].map((turn) => Number(turn.dataset.seq))";

async fn is_live(browser: &Browser) {
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
}

async fn has_turns(browser: &Browser, count: usize) {
    browser.wait_for(&format!("document.querySelectorAll('.turn').length >= {count}")).await;
}

/// Both roles submit one argument; returns the newest argument's id.
async fn exchange(debate: &Debate<'_>, target: &str, round: usize) -> String {
    let claim = debate.claim("opponent", target, &format!("o-{round}")).await;
    let claim = debate.claim("proposer", &id_of(&claim), &format!("p-{round}")).await;
    assert_eq!(claim.status, 201, "{}", claim.text);
    id_of(&claim)
}

#[tokio::test]
async fn restarts_and_a_proxys_503_leave_no_gap_and_no_double() {
    let proxy = Proxy::shut().await;
    let setup = Setup::new().env("DEBATE_ALLOWED_HOSTS", &proxy.address);
    let mut server = setup.start().await;
    proxy.lead_to(server.address());
    let opened = Debate::open(&server).await;
    let (id, motion) = (opened.id.clone(), opened.motion.clone());
    let browser = Browser::open().await;
    browser.visit(&format!("http://{}/arena/{id}", proxy.address)).await;
    is_live(&browser).await;
    let mut last = motion.clone();
    for round in 0..4 {
        let before = Debate { server: &server, id: id.clone(), motion: motion.clone() };
        last = exchange(&before, &last, round * 2).await;
        has_turns(&browser, 3 + round * 4).await;
        match round % 2 {
            0 => proxy.refuse(),
            _ => proxy.lead_to("127.0.0.1:1"),
        }
        browser.wait_for("document.getElementById('live').textContent !== 'Live'").await;
        if round < 2 {
            server.kill().await;
        } else {
            server.terminate();
            assert!(server.ended().await.success());
        }
        server = setup.start().await;
        let after = Debate { server: &server, id: id.clone(), motion: motion.clone() };
        last = exchange(&after, &last, round * 2 + 1).await;
        proxy.lead_to(server.address());
        has_turns(&browser, 5 + round * 4).await;
        is_live(&browser).await;
    }
    let debate = Debate { server: &server, id, motion };
    let claim = debate.claim("opponent", &last, "last").await;
    debate.ask("resolution", &id_of(&claim), "end").await;
    browser
        .wait_for("document.getElementById('live').textContent === 'Closed. No further updates.'")
        .await;
    let all: Vec<u32> = (1..=20).collect();
    assert_eq!(browser.eval(PLACES).await, json!(all));
    assert_eq!(browser.text("#standing").await, "Closed");
    browser.close().await;
}

#[tokio::test]
async fn what_comes_is_appended_below_and_the_reader_is_not_moved() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut last = debate.motion.clone();
    for round in 0..20 {
        last = exchange(&debate, &last, round).await;
    }
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    is_live(&browser).await;
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
async fn a_page_of_the_middle_tells_of_news_without_a_hole() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut last = debate.motion.clone();
    for round in 0..40 {
        last = exchange(&debate, &last, round).await;
    }
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}?at=1", server.url, debate.id)).await;
    is_live(&browser).await;
    exchange(&debate, &last, 40).await;
    browser.wait_for("document.getElementById('count').textContent === '83 arguments'").await;
    browser.wait_for("document.getElementById('pill').textContent === '32 new ↓'").await;
    let shown: Vec<u32> = (1..=51).collect();
    assert_eq!(browser.eval(PLACES).await, json!(shown), "what is shown stays whole");
    browser.click("#pill").await;
    browser.wait_for("document.getElementById('seq-83') !== null").await;
    browser.close().await;
}

#[tokio::test]
async fn a_debate_that_is_deleted_says_so() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/arena/{}", server.url, debate.id)).await;
    is_live(&browser).await;
    server.delete(&debate.path("")).await;
    let gone = "document.getElementById('live').textContent === 'The debate was deleted.'";
    browser.wait_for(gone).await;
    browser.close().await;
}

#[tokio::test]
async fn a_list_looks_again_but_not_under_the_hands_of_its_reader() {
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
    debate.lead_to("AWAITING_ARBITRATOR").await;
    browser.run(look).await;
    assert_eq!(browser.eval("document.activeElement.className").await, "title");
    browser.run(&format!("document.activeElement.blur(); {look}")).await;
    browser.wait_for("document.title.startsWith('(1) ')").await;
    assert_eq!(browser.count(".card").await, 1);
    browser.close().await;
}

#[tokio::test]
async fn keys_lead_through_the_pages() {
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
