//! Screenshots, accessibility and HTML validity of the review queue's pages.

use reqwest::Method;
use serde_json::{Value, json};

use crate::forum::classifier::{answer, with_classifier};
use crate::support::Server;
use crate::support::browser::Browser;
use crate::support::forum::{Caller, id, stance};
use crate::support::page_checks::{assert_accessible, assert_valid_html, axe, take_screenshots};
use crate::web::forum::review_queue::{
    ANNA, BERT, create_public_solution, decide, evaluation_page, sign_in,
};

/// A longer text with a hidden character.
const TEXT_WITH_HIDDEN_CHARACTER: &str = "\
    ## What I would do\n\nBuild **wea\u{200b}pons** instead of tanks, and sell \
    them:\n\n1. they are [cheaper](https://example.org/prices),\n2. `make arms` takes a day.\n\n> \
    Water is not everything\u{202e}.\n\n";

/// Creates flagged items of every kind on a server whose classifier is always undecided; returns
/// the names and addresses of their pages.
async fn create_flagged_items(server: &Server) -> Vec<(&'static str, String)> {
    let ada = Caller::register(server, "ada").await;
    let solution = create_public_solution(&ada).await;
    let path = format!("/solutions/{solution}/debates");
    let question = ada.create(&path, &stance("question", "How large are they to be", None)).await;
    ada.wait_for_decision(&question).await;
    decide(server, &question, "approve", "Someone has to ask.").await;

    let mut tricky = stance("oppose", TEXT_WITH_HIDDEN_CHARACTER, Some(id(&question)));
    tricky["evidenceLinks"] = json!(["https://example.org/rain", "https://example.org/a/b?c=d"]);
    let own = ada.create(&path, &tricky).await;
    assert_eq!(ada.wait_for_decision(&own).await["status"], "rejected");
    let appeal = json!({ "reason": "I only meant to say what others would do." });
    ada.post(&format!("{path}/{}/appeal", id(&own)), &appeal).await;
    claim(server, ANNA, &own).await;

    let taken = ada.create(&path, &stance("support", "Tanks are cheap", None)).await;
    ada.wait_for_decision(&taken).await;
    claim(server, BERT, &taken).await;

    let mut proposed = crate::support::forum::solution(problem_of(&ada, &solution).await.as_str());
    proposed["title"] = json!("Dig a third well, and dig it deeper than the two there are");
    let free = ada.create("/solutions", &proposed).await;
    ada.wait_for_decision(&free).await;
    vec![
        ("flagged", "/forum/flagged".to_owned()),
        ("flagged-none", "/forum/flagged?agentId=00000000-0000-4000-8000-000000000000".to_owned()),
        ("flagged-free", evaluation_page(&free)),
        ("flagged-taken", evaluation_page(&taken)),
        ("flagged-over", evaluation_page(&question)),
        ("flagged-own", evaluation_page(&own)),
    ]
}

async fn problem_of(agent: &Caller<'_>, solution: &str) -> String {
    let found = agent.get(&format!("/solutions/{solution}")).await;
    found.json()["data"]["problemId"].as_str().expect("it solves something").to_owned()
}

async fn claim(server: &Server, token: &str, made: &Value) {
    let path = evaluation_page(made).replace("/forum/", "/admin/");
    let reviewer = Caller::with(server, token);
    assert_eq!(reviewer.call(Method::POST, &format!("{path}/claim"), None).await.status, 200);
}

#[tokio::test]
async fn review_pages_have_screenshots_valid_html_and_no_accessibility_violation() {
    let setup = with_classifier(&answer(0.5, "medium", "flag"));
    let server = setup.env("DEBATE_ADMIN_TOKEN", &format!("anna:{ANNA},bert:{BERT}")).start().await;
    let pages = create_flagged_items(&server).await;
    let anna = sign_in(&server, ANNA).await;
    let mut texts = Vec::new();
    for (name, path) in &pages {
        texts.push(((*name).to_owned(), anna.get(path).await.text));
    }
    let (_, own) = pages.last().expect("there are some");
    let fields = [("decision", "reject"), ("notes", "It is about something else.")];
    let question = anna.post(&format!("{own}/review"), &fields).await.text;
    texts.push(("flagged-confirm".to_owned(), question));
    assert_valid_html(&texts).await;

    let axe = axe();
    let browser = Browser::open().await;
    browser.visit(&format!("{}/forum/login?next=%2Fforum%2Fflagged", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.queue') !== null").await;
    for (theme, width, kind) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.set_theme(theme).await;
        browser.set_width(width).await;
        for (name, path) in &pages {
            browser.visit(&format!("{}{path}", server.url)).await;
            take_screenshots(&browser, &format!("{name}-{kind}"), width).await;
            if kind != "phone" {
                assert_accessible(&browser, &axe, &format!("{name}, {kind}")).await;
            }
        }
        browser.fill("#notes", "It is about something else: nobody asked for *that*.").await;
        browser.click("button[value=reject]").await;
        browser.wait_for("document.getElementById('effect') !== null").await;
        take_screenshots(&browser, &format!("flagged-confirm-{kind}"), width).await;
        if kind != "phone" {
            assert_accessible(&browser, &axe, &format!("the question, {kind}")).await;
        }
    }
    browser.close().await;
}
