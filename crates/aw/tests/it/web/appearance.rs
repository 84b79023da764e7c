//! Every page in both themes and on a phone: screenshots, accessibility rules, and HTML validity.

use serde_json::json;

use crate::support::browser::Browser;
use crate::support::page_checks::{assert_accessible, assert_valid_html, axe, take_screenshots};
use crate::support::{Debate, Server, Setup, argument_id};
use crate::web::{forum, runner};

/// Creates a debate with a ruling and a pending appeal; returns its id.
async fn create_appealed_debate(server: &Server) -> String {
    let debate = Debate::open_with(server, |body| {
        body["title"] = "Keep the search index in memory".into();
        body["motion_content"] = include_str!("example_debate/1.md").into();
    })
    .await;
    let mut last = debate.motion.clone();
    for (action, role, content) in [
        ("arguments", "opponent", include_str!("example_debate/2.md")),
        ("appeal", "proposer", include_str!("example_debate/3.md")),
        ("ruling", "arbitrator", include_str!("example_debate/4.md")),
        ("arguments", "proposer", include_str!("example_debate/5.md")),
        ("arguments", "opponent", include_str!("example_debate/6.md")),
        ("appeal", "proposer", include_str!("example_debate/7.md")),
    ] {
        let key = crate::support::new_id();
        let body = json!({
            "role": role, "target_id": last, "content": content, "client_request_id": key,
        });
        last = argument_id(&server.post(&debate.path(&format!("/{action}")), &body).await);
    }
    debate.id
}

/// Creates a debate of every kind on the server; returns the names and addresses of its pages.
pub(super) async fn create_examples(server: &Server) -> Vec<(&'static str, String)> {
    let id = create_appealed_debate(server).await;
    let mut pages = Vec::new();
    for (title, state) in [
        ("Write the migration in two steps", "INTERVENTION_PENDING"),
        ("Replace the queue by rows in PostgreSQL", "AWAITING_PROPOSER"),
        ("Retire the v1 endpoints in January", "AWAITING_OPPONENT"),
        ("Ship the parser behind a flag", "CLOSED"),
    ] {
        let other = Debate::open_with(server, |body| body["title"] = title.into()).await;
        other.advance_to(state).await;
        let page = match state {
            "INTERVENTION_PENDING" => "debate-paused",
            "CLOSED" => "debate-closed",
            _ => continue,
        };
        pages.push((page, format!("/arena/{}", other.id)));
    }
    let title = "Move the nightly reports to the job queue";
    let long = Debate::open_with(server, |body| body["title"] = title.into()).await;
    for seq in 2..=70 {
        let role = if seq % 2 == 0 { "opponent" } else { "proposer" };
        long.claim(role, &long.motion, &format!("said-{seq}")).await;
    }
    let (run, failed) = runner::create_examples(server).await;
    let long = &long.id;
    pages.extend([
        ("home", "/".to_owned()),
        ("arena", "/arena".to_owned()),
        ("found-nothing", "/arena?q=nothing+is+called+this".to_owned()),
        ("debate", format!("/arena/{id}")),
        ("long", format!("/arena/{long}?at=12")),
        ("arbitrate", format!("/arena/{id}/rule")),
        ("delete", format!("/arena/{id}/delete")),
        ("new", "/arena/new".to_owned()),
        ("runs", "/runs".to_owned()),
        ("runs-none", "/runs?status=stopping".to_owned()),
        ("run", format!("/runs/{run}")),
        ("run-failed", format!("/runs/{failed}")),
        ("run-cancel", format!("/runs/{failed}/cancel")),
        ("run-delete", format!("/runs/{run}/delete")),
        ("run-new", "/runs/new".to_owned()),
        ("lost", "/arena/00000000-0000-4000-8000-000000000000".to_owned()),
        ("api", "/docs".to_owned()),
        ("guide", "/guide".to_owned()),
        ("guide-configuration", "/guide/configuration".to_owned()),
    ]);
    pages
}

/// The name and address of every page, and the key of an agent who sees more.
async fn every_page(
    server: &Server,
    empty: &Server,
    guarded: &Server,
) -> (Vec<(String, String)>, String) {
    let (of_the_forum, key) = forum::create_examples(server).await;
    let pages = create_examples(server).await.into_iter().chain(of_the_forum);
    let mut pages: Vec<_> =
        pages.map(|(name, path)| (name.to_owned(), format!("{}{path}", server.url))).collect();
    pages.push(("empty".to_owned(), format!("{}/", empty.url)));
    pages.push(("runs-empty".to_owned(), format!("{}/runs", empty.url)));
    pages.push(("login".to_owned(), format!("{}/login", guarded.url)));
    pages.push(("forum-empty".to_owned(), format!("{}/forum", empty.url)));
    pages.push(("forum-login".to_owned(), format!("{}/forum/login", guarded.url)));
    (pages, key)
}

async fn servers() -> [Server; 3] {
    let guarded = Setup::new().env("DEBATE_AUTH_TOKEN", "secret").start().await;
    [forum::with_reviewer_and_limits(runner::setup()).start().await, Server::start().await, guarded]
}

/// Opens the confirmation of an action from the debate's page.
async fn open_confirmation(browser: &Browser, debate: &str) {
    browser.visit(debate).await;
    browser.fill("#content", "**Two gigabytes.** Show that it fits.").await;
    browser.click("#seat button.strong").await;
    browser.wait_for("document.getElementById('effect') !== null").await;
}

#[tokio::test]
async fn every_page_has_a_screenshot_and_fits_its_screen() {
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let browser = Browser::open().await;
    for (theme, width, name) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.set_theme(theme).await;
        browser.set_width(width).await;
        for (page, url) in anonymous_pages(&pages) {
            browser.visit(url).await;
            take_screenshots(&browser, &format!("{page}-{name}"), width).await;
            if page == "debate" {
                open_confirmation(&browser, url).await;
                take_screenshots(&browser, &format!("confirm-{name}"), width).await;
            }
        }
        for (page, url) in sign_in_as_agent(&browser, &server, &key, &pages).await {
            browser.visit(&url).await;
            take_screenshots(&browser, &format!("{page}-{name}"), width).await;
        }
        sign_out(&browser, &server).await;
    }
    browser.close().await;
}

/// Signs in as the agent with unpublished items; returns the pages that differ for that agent.
async fn sign_in_as_agent(
    browser: &Browser,
    server: &Server,
    key: &str,
    pages: &[(String, String)],
) -> Vec<(String, String)> {
    browser.visit(&format!("{}/forum/login", server.url)).await;
    browser.fill("#key", key).await;
    browser.click("main button.strong").await;
    browser.wait_for("location.pathname === '/forum'").await;
    pages_of_agent(server, pages)
}

/// Pages that show more to the agent, checked with the agent's session.
const AGENT_PAGES: [&str; 2] = ["forum", "solution"];

fn anonymous_pages(pages: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    pages.iter().filter(|(page, _)| !AGENT_PAGES.contains(&page.as_str()))
}

fn pages_of_agent(server: &Server, pages: &[(String, String)]) -> Vec<(String, String)> {
    let others = pages.iter().filter(|(page, _)| AGENT_PAGES.contains(&page.as_str()));
    let others = others.map(|(page, url)| (format!("{page}-own"), url.clone()));
    let mine = ("forum-mine".to_owned(), format!("{}/forum/mine", server.url));
    others.chain([mine]).collect()
}

async fn sign_out(browser: &Browser, server: &Server) {
    browser.visit(&format!("{}/forum", server.url)).await;
    browser.click(".sits button").await;
    browser.wait_for("document.querySelector('.sits form') === null").await;
}

#[tokio::test]
async fn no_page_violates_an_accessibility_rule_in_either_theme() {
    let axe = axe();
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let browser = Browser::open().await;
    for (theme, width) in [("light", 1280), ("dark", 1280), ("light", 390)] {
        browser.set_theme(theme).await;
        browser.set_width(width).await;
        for (page, url) in anonymous_pages(&pages) {
            browser.visit(url).await;
            assert_accessible(&browser, &axe, &format!("{page} in {theme}")).await;
            if page == "debate" {
                browser.press("?").await;
                assert_accessible(&browser, &axe, &format!("the keys in {theme}")).await;
                open_confirmation(&browser, url).await;
                assert_accessible(&browser, &axe, &format!("the question in {theme}")).await;
            }
        }
        for (page, url) in sign_in_as_agent(&browser, &server, &key, &pages).await {
            browser.visit(&url).await;
            assert_accessible(&browser, &axe, &format!("{page} in {theme}")).await;
        }
        sign_out(&browser, &server).await;
    }
    browser.close().await;
}

/// Each Tab key leads to another link, and the last one out of the page. No part of the page
/// scrolls horizontally, which not every browser can do with the keyboard.
#[tokio::test]
async fn api_page_can_be_left_with_the_keyboard_at_every_width() {
    let server = Server::start().await;
    let browser = Browser::open().await;
    for width in [320, 390, 700, 1000, 1280] {
        browser.set_width(width).await;
        browser.visit(&format!("{}/docs", server.url)).await;
        let scrollers = "[...document.querySelectorAll('body *')].filter((one) =>
            one.scrollWidth > one.clientWidth
            && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).length";
        assert_eq!(browser.eval(scrollers).await, 0, "at {width} pixels");
    }
    browser.set_width(390).await;
    let links = browser.count("a[href]").await;
    let focused = "[...document.querySelectorAll('a[href]')].indexOf(document.activeElement)";
    for link in 0..links {
        browser.press("\u{e004}").await;
        assert_eq!(browser.eval(focused).await, link, "of {links}");
    }
    browser.press("\u{e004}").await;
    assert_eq!(browser.eval("document.activeElement === document.body").await, true);
    browser.close().await;
}

#[tokio::test]
async fn every_page_is_valid_html() {
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let mut texts = Vec::new();
    let own = forum::sign_in(&server, &key).await;
    for (page, url) in pages.iter().chain(&pages_of_agent(&server, &pages)) {
        let text = match url.strip_prefix(&server.url) {
            Some(path) if page.ends_with("-own") || page == "forum-mine" => {
                own.get(path).await.text
            }
            Some(_) | None => crate::support::Reply::receive(server.client.get(url)).await.text,
        };
        texts.push((page.clone(), text));
    }
    assert_valid_html(&texts).await;
}
