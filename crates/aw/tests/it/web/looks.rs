//! Every page in both themes and on a phone: screenshots, accessibility rules, and HTML validity.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Browser, forum, runs};
use crate::support::{Debate, Server, Setup, id_of};

/// The folder of the screenshots.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// The screenshots that `scripts/screenshots` copies to docs/images: the name here, the file there,
/// and the height of the part that it shows, in pixels from the top.
const DOCUMENTED: [(&str, &str, u32); 4] = [
    ("arena-dark", "arena-dark.png", 650),
    ("debate-light", "debate-light.png", 1215),
    ("run-light", "run-light.png", 1130),
    ("solution-own-light", "solution-light.png", 1284),
];

/// The folder into which `scripts/test` installs npm packages.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node_modules")
}

/// Creates a debate with a ruling and a pending appeal; returns its id.
async fn appealed(server: &Server) -> String {
    let debate = Debate::open_with(server, |body| {
        body["title"] = "Keep the search index in memory".into();
        body["motion_content"] = include_str!("story/1.md").into();
    })
    .await;
    let mut last = debate.motion.clone();
    for (action, role, content) in [
        ("arguments", "opponent", include_str!("story/2.md")),
        ("appeal", "proposer", include_str!("story/3.md")),
        ("ruling", "arbitrator", include_str!("story/4.md")),
        ("arguments", "proposer", include_str!("story/5.md")),
        ("arguments", "opponent", include_str!("story/6.md")),
        ("appeal", "proposer", include_str!("story/7.md")),
    ] {
        let key = crate::support::new_id();
        let body = json!({
            "role": role, "target_id": last, "content": content, "client_request_id": key,
        });
        last = id_of(&server.post(&debate.path(&format!("/{action}")), &body).await);
    }
    debate.id
}

/// Creates a debate of every kind on the server; returns the names and addresses of its pages.
pub(super) async fn furnished(server: &Server) -> Vec<(&'static str, String)> {
    let id = appealed(server).await;
    let mut pages = Vec::new();
    for (title, state) in [
        ("Write the migration in two steps", "INTERVENTION_PENDING"),
        ("Replace the queue by rows in PostgreSQL", "AWAITING_PROPOSER"),
        ("Retire the v1 endpoints in January", "AWAITING_OPPONENT"),
        ("Ship the parser behind a flag", "CLOSED"),
    ] {
        let other = Debate::open_with(server, |body| body["title"] = title.into()).await;
        other.lead_to(state).await;
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
    let (run, failed) = runs::shown(server).await;
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
    let (of_the_forum, key) = forum::shown(server).await;
    let pages = furnished(server).await.into_iter().chain(of_the_forum);
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
    [forum::furnishable(runs::setup()).start().await, Server::start().await, guarded]
}

/// Opens the confirmation of an action from the debate's page.
async fn to_confirmation(browser: &Browser, debate: &str) {
    browser.visit(debate).await;
    browser.fill("#content", "**Two gigabytes.** Show that it fits.").await;
    browser.click("#seat button.strong").await;
    browser.wait_for("document.getElementById('effect') !== null").await;
}

#[tokio::test]
async fn every_page_has_its_picture_and_none_is_wider_than_its_screen() {
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let browser = Browser::open().await;
    for (theme, width, name) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.theme(theme).await;
        browser.width(width).await;
        for (page, url) in from_no_seat(&pages) {
            browser.visit(url).await;
            taken(&browser, &format!("{page}-{name}"), width).await;
            if page == "debate" {
                to_confirmation(&browser, url).await;
                taken(&browser, &format!("confirm-{name}"), width).await;
            }
        }
        for (page, url) in to_own_seat(&browser, &server, &key, &pages).await {
            browser.visit(&url).await;
            taken(&browser, &format!("{page}-{name}"), width).await;
        }
        from_own_seat(&browser, &server).await;
    }
    browser.close().await;
}

/// Signs in as the agent with unpublished items; returns the pages that differ for that agent.
async fn to_own_seat(
    browser: &Browser,
    server: &Server,
    key: &str,
    pages: &[(String, String)],
) -> Vec<(String, String)> {
    browser.visit(&format!("{}/forum/login", server.url)).await;
    browser.fill("#key", key).await;
    browser.click("main button.strong").await;
    browser.wait_for("location.pathname === '/forum'").await;
    own_pages(server, pages)
}

/// Pages that show more to the agent, checked with the agent's session.
const OWN: [&str; 2] = ["forum", "solution"];

fn from_no_seat(pages: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    pages.iter().filter(|(page, _)| !OWN.contains(&page.as_str()))
}

fn own_pages(server: &Server, pages: &[(String, String)]) -> Vec<(String, String)> {
    let others = pages.iter().filter(|(page, _)| OWN.contains(&page.as_str()));
    let others = others.map(|(page, url)| (format!("{page}-own"), url.clone()));
    let mine = ("forum-mine".to_owned(), format!("{}/forum/mine", server.url));
    others.chain([mine]).collect()
}

async fn from_own_seat(browser: &Browser, server: &Server) {
    browser.visit(&format!("{}/forum", server.url)).await;
    browser.click(".sits button").await;
    browser.wait_for("document.querySelector('.sits form') === null").await;
}

pub(super) async fn taken(browser: &Browser, name: &str, width: u32) {
    // The live indicator is animated; a screenshot waits until it is shown.
    browser.wait_for("document.getElementById('live')?.hidden !== true").await;
    let picture = browser.picture().await;
    assert!(picture.starts_with(b"\x89PNG"), "{name}");
    std::fs::write(folder().join(format!("{name}.png")), picture).expect("it can be written");
    if let Some((_, file, height)) = DOCUMENTED.iter().find(|(known, ..)| *known == name) {
        let documented = folder().join("docs");
        std::fs::create_dir_all(&documented).expect("the folder can be made");
        let picture = browser.picture_of_top(width, *height).await;
        std::fs::write(documented.join(file), picture).expect("the picture can be written");
    }
    let across = browser.eval("document.documentElement.scrollWidth").await;
    assert!(across.as_u64() <= Some(width.into()), "{name} is {across} wide");
}

#[tokio::test]
async fn no_page_breaks_a_rule_of_accessibility_in_either_theme() {
    let axe = axe();
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let browser = Browser::open().await;
    for (theme, width) in [("light", 1280), ("dark", 1280), ("light", 390)] {
        browser.theme(theme).await;
        browser.width(width).await;
        for (page, url) in from_no_seat(&pages) {
            browser.visit(url).await;
            obeys(&browser, &axe, &format!("{page} in {theme}")).await;
            if page == "debate" {
                browser.press("?").await;
                obeys(&browser, &axe, &format!("the keys in {theme}")).await;
                to_confirmation(&browser, url).await;
                obeys(&browser, &axe, &format!("the question in {theme}")).await;
            }
        }
        for (page, url) in to_own_seat(&browser, &server, &key, &pages).await {
            browser.visit(&url).await;
            obeys(&browser, &axe, &format!("{page} in {theme}")).await;
        }
        from_own_seat(&browser, &server).await;
    }
    browser.close().await;
}

/// The accessibility rules as a script.
pub(super) fn axe() -> String {
    let file = packages().join("axe-core/axe.min.js");
    std::fs::read_to_string(file).expect("scripts/test installs the packages")
}

pub(super) async fn obeys(browser: &Browser, axe: &str, what: &str) {
    browser.run(axe).await;
    let broken =
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) =>
        ({ passed: passes.length > 10, broken: violations.map(({ id, nodes }) =>
            [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]) }))";
    let found = browser.eval_async(broken).await;
    assert_eq!(found, json!({ "passed": true, "broken": [] }), "{what}");
}

/// Each Tab key leads to another link, and the last one out of the page. No part of the page
/// scrolls horizontally, which not every browser can do with the keyboard.
#[tokio::test]
async fn api_page_can_be_left_with_the_keyboard_at_every_width() {
    let server = Server::start().await;
    let browser = Browser::open().await;
    for width in [320, 390, 700, 1000, 1280] {
        browser.width(width).await;
        browser.visit(&format!("{}/docs", server.url)).await;
        let scrollers = "[...document.querySelectorAll('body *')].filter((one) =>
            one.scrollWidth > one.clientWidth
            && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).length";
        assert_eq!(browser.eval(scrollers).await, 0, "at {width} pixels");
    }
    browser.width(390).await;
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
async fn every_page_is_good_html() {
    let [server, empty, guarded] = servers().await;
    let (pages, key) = every_page(&server, &empty, &guarded).await;
    let mut texts = Vec::new();
    let own = forum::seated(&server, &key).await;
    for (page, url) in pages.iter().chain(&own_pages(&server, &pages)) {
        let text = match url.strip_prefix(&server.url) {
            Some(path) if page.ends_with("-own") || page == "forum-mine" => {
                own.get(path).await.text
            }
            Some(_) | None => crate::support::Reply::of(server.client.get(url)).await.text,
        };
        texts.push((page.clone(), text));
    }
    is_good_html(&texts).await;
}

/// Validates named pages with html-validate.
pub(super) async fn is_good_html(pages: &[(String, String)]) {
    let folder = tempfile::TempDir::new().expect("the system has a folder for temporary files");
    let mut files = Vec::new();
    for (page, text) in pages {
        assert!(text.starts_with("<!doctype html>"), "{page}: {text}");
        let file = folder.path().join(format!("{page}.html"));
        std::fs::write(&file, text).expect("it can be written");
        files.push(file);
    }
    let checker = packages().join("html-validate/bin/html-validate.mjs");
    let checked = tokio::process::Command::new("node")
        .arg(checker)
        .args(["--preset", "standard"])
        .args(&files)
        .output();
    let checked = checked.await.expect("node is installed");
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{said}{}", String::from_utf8_lossy(&checked.stderr));
}
