//! Pages of debates with seats in both themes and on a phone: screenshots, accessibility rules, and
//! HTML validity.

use super::{ARBITRATOR, SeatedDebate, make_code, with_both_tokens};
use crate::support::Server;
use crate::support::browser::Browser;
use crate::support::page_checks::{assert_accessible, assert_valid_html, axe, take_screenshots};
use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::web::access::{TOKEN, log_in};

/// Creates a debate of every kind; returns the names and paths of the pages.
async fn create_examples(server: &Server) -> Vec<(&'static str, String)> {
    let open = |title: &'static str, holder: &'static str| {
        SeatedDebate::open_with(server, move |body| {
            body["title"] = title.into();
            body["holder"] = holder.into();
        })
    };
    let waiting = open("Keep the search index in memory", "claude-code").await;
    let appealed = open("Replace the queue by rows in PostgreSQL", "claude-code").await;
    appealed.appeal().await;
    let answered = open("Retire the v1 endpoints in January", "קלוד 🤖").await;
    answered.take_opponent_seat("codex on the second machine, with a long name").await;
    answered.object("Two customers still call them.").await;
    let code = make_code(server).await;
    let both = create_by_form(server).await;
    vec![
        ("seat-free", waiting.page()),
        ("seats-free", both),
        ("seats-read-only", appealed.page()),
        ("seats-answered", answered.page()),
        ("seats-list", "/arena".to_owned()),
        ("seats-home", "/".to_owned()),
        ("seats-new", "/arena/new".to_owned()),
        ("seats-refused", format!("{}/delete", appealed.page())),
        ("login-both", "/login".to_owned()),
        ("login-code", format!("/login?code={code}&next=/arena")),
    ]
}

/// A debate with both seats open; returns the path of its page.
async fn create_by_form(server: &Server) -> String {
    let visitor = log_in(server).await;
    let form = visitor.get("/arena/new").await.text;
    let fields = [
        ("debate_id", &*hidden_field(&form, "debate_id")),
        ("title", "Ship the parser behind a flag"),
        ("debate_type", "general_debate"),
        ("motion_content", "We ship it **behind a flag** and remove the flag in March."),
    ];
    redirect_target(&visitor.post("/arena/new", &fields).await).to_owned()
}

async fn sign_in(browser: &Browser, server: &Server, secret: &str) {
    browser.visit(&format!("{}/login", server.url)).await;
    browser.fill("#token", secret).await;
    browser.click("main button").await;
    browser.wait_for("document.querySelector('form.leave') !== null").await;
}

#[tokio::test]
async fn pages_with_seats_fit_their_screen_and_violate_no_accessibility_rule() {
    let axe = axe();
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let pages = create_examples(&server).await;
    let browser = Browser::open().await;
    sign_in(&browser, &server, TOKEN).await;
    for (theme, width, name) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.set_theme(theme).await;
        browser.set_width(width).await;
        for (page, path) in &pages {
            browser.visit(&format!("{}{path}", server.url)).await;
            take_screenshots(&browser, &format!("{page}-{name}"), width).await;
            assert_accessible(&browser, &axe, &format!("{page} in {theme}")).await;
            if *page == "seat-free" {
                browser.click("details summary").await;
                take_screenshots(&browser, &format!("seat-prompt-{name}"), width).await;
                assert_accessible(&browser, &axe, &format!("the prompt in {theme}")).await;
            }
        }
        browser.visit(&format!("{}/login?code=used", server.url)).await;
        browser.click("main button").await;
        browser.wait_for("document.querySelector('.error') !== null").await;
        take_screenshots(&browser, &format!("login-refused-{name}"), width).await;
        assert_accessible(&browser, &axe, &format!("the refused code in {theme}")).await;
    }
    sign_in(&browser, &server, ARBITRATOR).await;
    browser.visit(&format!("{}{}", server.url, pages[2].1)).await;
    take_screenshots(&browser, "seats-arbitrator-phone", 390).await;
    assert_accessible(&browser, &axe, "the page of the arbitrator").await;
    browser.close().await;
}

#[tokio::test]
async fn pages_with_seats_are_valid_html() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let pages = create_examples(&server).await;
    let mut texts = Vec::new();
    for (name, visitor) in [
        ("reader", log_in(&server).await),
        ("arbitrator", super::sign_in(&server, ARBITRATOR).await),
    ] {
        for (page, path) in &pages {
            texts.push((format!("{page}-{name}"), visitor.get(path).await.text));
        }
        let (_, debate) = &pages[0];
        let path = format!("{debate}/entries?after=0");
        texts.push((format!("entries-{name}"), visitor.get(&path).await.text));
    }
    let visitor = Visitor::at(&server);
    visitor.get("/login").await;
    let refused = visitor.post("/login", &[("code", "used")]).await;
    texts.push(("login-refused".to_owned(), refused.text));
    assert_valid_html(&texts).await;
}
