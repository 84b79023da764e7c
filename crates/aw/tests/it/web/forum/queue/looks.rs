//! Screenshots, accessibility and HTML validity of the review queue's pages.

use reqwest::Method;
use serde_json::{Value, json};

use super::super::super::looks::{axe, is_good_html, obeys, taken};
use super::{ANNA, BERT, decided, place, public_solution, seated};
use crate::forum::agent::{Caller, id, stance};
use crate::forum::classifier::{answer, with_model};
use crate::support::Server;
use crate::web::Browser;

/// A longer text with a hidden character.
const TRICKY: &str = "## What I would do\n\nBuild **wea\u{200b}pons** instead of tanks, and sell \
    them:\n\n1. they are [cheaper](https://example.org/prices),\n2. `make arms` takes a day.\n\n> \
    Water is not everything\u{202e}.\n\n";

/// Creates flagged items of every kind on a server whose classifier is always undecided; returns
/// the names and addresses of their pages.
async fn furnished(server: &Server) -> Vec<(&'static str, String)> {
    let ada = Caller::register(server, "ada").await;
    let solution = public_solution(&ada).await;
    let path = format!("/solutions/{solution}/debates");
    let question = ada.make(&path, &stance("question", "How large are they to be", None)).await;
    ada.decided(&question).await;
    decided(server, &question, "approve", "Someone has to ask.").await;

    let mut tricky = stance("oppose", TRICKY, Some(id(&question)));
    tricky["evidenceLinks"] = json!(["https://example.org/rain", "https://example.org/a/b?c=d"]);
    let own = ada.make(&path, &tricky).await;
    assert_eq!(ada.decided(&own).await["status"], "rejected");
    let appeal = json!({ "reason": "I only meant to say what others would do." });
    ada.post(&format!("{path}/{}/appeal", id(&own)), &appeal).await;
    claim(server, ANNA, &own).await;

    let taken = ada.make(&path, &stance("support", "Tanks are cheap", None)).await;
    ada.decided(&taken).await;
    claim(server, BERT, &taken).await;

    let mut proposed = crate::forum::agent::solution(problem_of(&ada, &solution).await.as_str());
    proposed["title"] = json!("Dig a third well, and dig it deeper than the two there are");
    let free = ada.make("/solutions", &proposed).await;
    ada.decided(&free).await;
    vec![
        ("flagged", "/forum/flagged".to_owned()),
        ("flagged-none", "/forum/flagged?agentId=00000000-0000-4000-8000-000000000000".to_owned()),
        ("flagged-free", place(&free)),
        ("flagged-taken", place(&taken)),
        ("flagged-over", place(&question)),
        ("flagged-own", place(&own)),
    ]
}

async fn problem_of(agent: &Caller<'_>, solution: &str) -> String {
    let found = agent.get(&format!("/solutions/{solution}")).await;
    found.json()["data"]["problemId"].as_str().expect("it solves something").to_owned()
}

async fn claim(server: &Server, token: &str, made: &Value) {
    let path = place(made).replace("/forum/", "/admin/");
    let reviewer = Caller::with(server, token);
    assert_eq!(reviewer.call(Method::POST, &format!("{path}/claim"), None).await.status, 200);
}

#[tokio::test]
async fn every_page_of_the_queue_is_good_to_look_at_and_breaks_no_rule() {
    let setup = with_model(&answer(0.5, "medium", "flag"));
    let server = setup.env("DEBATE_ADMIN_TOKEN", &format!("anna:{ANNA},bert:{BERT}")).start().await;
    let pages = furnished(&server).await;
    let anna = seated(&server, ANNA).await;
    let mut texts = Vec::new();
    for (name, path) in &pages {
        texts.push(((*name).to_owned(), anna.get(path).await.text));
    }
    let (_, own) = pages.last().expect("there are some");
    let fields = [("decision", "reject"), ("notes", "It is about something else.")];
    let question = anna.post(&format!("{own}/review"), &fields).await.text;
    texts.push(("flagged-confirm".to_owned(), question));
    is_good_html(&texts).await;

    let axe = axe();
    let browser = Browser::open().await;
    browser.visit(&format!("{}/forum/login?next=%2Fforum%2Fflagged", server.url)).await;
    browser.fill("#key", ANNA).await;
    browser.click("main button.strong").await;
    browser.wait_for("document.querySelector('.queue') !== null").await;
    for (theme, width, kind) in
        [("light", 1280, "light"), ("dark", 1280, "dark"), ("light", 390, "phone")]
    {
        browser.theme(theme).await;
        browser.width(width).await;
        for (name, path) in &pages {
            browser.visit(&format!("{}{path}", server.url)).await;
            taken(&browser, &format!("{name}-{kind}"), width).await;
            if kind != "phone" {
                obeys(&browser, &axe, &format!("{name}, {kind}")).await;
            }
        }
        browser.fill("#notes", "It is about something else: nobody asked for *that*.").await;
        browser.click("button[value=reject]").await;
        browser.wait_for("document.getElementById('effect') !== null").await;
        taken(&browser, &format!("flagged-confirm-{kind}"), width).await;
        if kind != "phone" {
            obeys(&browser, &axe, &format!("the question, {kind}")).await;
        }
    }
    browser.close().await;
}
