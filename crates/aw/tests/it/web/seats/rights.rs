//! Forms of debates with seats: only a session with arbitrator rights may rule, intervene and
//! delete.

use serde_json::json;

use super::{ARBITRATOR, SeatedDebate, sign_in, with_arbitrator, with_both_tokens};
use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Debate, Setup};
use crate::web::access::TOKEN;

#[tokio::test]
async fn page_without_rights_is_read_only_and_shows_the_way_to_them() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    debate.appeal().await;
    let visitor = Visitor::at(&server);
    let login = format!("href=\"/login?next=%2Farena%2F{}\"", debate.slug.replace('-', "%2D"));
    let command = format!("<code>aw open {} --server {}</code>", debate.slug, server.url);
    for path in [debate.page(), format!("{}/rule", debate.page()), "/".to_owned()] {
        let page = visitor.get(&path).await.text;
        assert!(page.contains(&login), "{path}: {page}");
        assert!(page.contains(&command), "{path}: {page}");
        for control in ["<textarea", "Rule and close", "/delete\"", "Your decision"] {
            assert!(!page.contains(control), "{control} at {path}: {page}");
        }
    }
    let page = visitor.get(&debate.page()).await.text;
    assert!(page.contains("This page is read-only"), "{page}");
    assert!(page.contains("/export.md\""), "reading stays: {page}");
    let news = visitor.get_new_arguments(&debate.slug, "0").await.text;
    assert!(news.contains(&command) && !news.contains("<textarea"), "{news}");
    let question = visitor.get(&format!("{}/delete", debate.page())).await;
    assert_eq!(question.status, 401);
    assert!(question.text.contains("Arbitrator rights needed"), "{}", question.text);
}

#[tokio::test]
async fn forms_without_rights_are_refused_and_change_nothing() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let reader = sign_in(&server, TOKEN).await;
    for (action, state) in [("intervene", "AWAITING_OPPONENT"), ("rule", "AWAITING_ARBITRATOR")] {
        if action == "rule" {
            debate.appeal().await;
        }
        let before = debate.read().await;
        assert_eq!(before["debate"]["state"], state);
        for path in [debate.page(), format!("/arena/{}", debate.id)] {
            for step in ["preview", "do"] {
                let fields = [
                    ("content", "I decide."),
                    ("step", step),
                    ("close", "true"),
                    ("client_request_id", "attack-1"),
                ];
                let reply = reader.post(&format!("{path}/{action}"), &fields).await;
                assert_eq!(reply.status, 401, "{action} {step}: {}", reply.text);
                assert!(reply.text.contains("no arbitrator rights"), "{}", reply.text);
                assert!(reply.text.contains("\nI decide.</textarea>"), "{}", reply.text);
            }
            let reply = reader.post(&format!("{path}/delete"), &[]).await;
            assert_eq!(reply.status, 401, "{}", reply.text);
        }
        assert_eq!(debate.read().await, before, "nothing was written");
    }
}

#[tokio::test]
async fn arbitrator_session_rules_intervenes_and_deletes_by_form() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let arbitrator = sign_in(&server, ARBITRATOR).await;
    let page = arbitrator.get(&debate.page()).await.text;
    assert!(page.contains("Delete debate") && !page.contains("read-only"), "{page}");
    let key = hidden_field(&page, "client_request_id");
    let fields = [("content", "Wait."), ("client_request_id", &*key), ("step", "do")];
    let reply = arbitrator.post(&format!("{}/intervene", debate.page()), &fields).await;
    assert_eq!(redirect_target(&reply), format!("{}#seq-2", debate.page()));
    let fields = [("content", "So be it."), ("close", "true"), ("step", "do")];
    let reply = arbitrator.post(&format!("{}/rule", debate.page()), &fields).await;
    assert_eq!(redirect_target(&reply), format!("{}#seq-3", debate.page()));
    let whole = debate.read().await;
    let authors: Vec<_> = whole["arguments"].as_array().expect("a list").iter().collect();
    let authors: Vec<_> = authors.iter().map(|argument| argument["by"].clone()).collect();
    assert_eq!(json!(authors), json!(["web", "web"]));
    let question = arbitrator.get(&format!("{}/delete", debate.page())).await;
    assert!(question.text.contains("Delete permanently"), "{}", question.text);
    let reply = arbitrator.post(&format!("{}/delete", debate.page()), &[]).await;
    assert_eq!(redirect_target(&reply), "/arena?deleted=1");
    assert_eq!(arbitrator.get(&debate.page()).await.status, 404);
}

#[tokio::test]
async fn open_debate_is_ruled_by_every_visitor_of_the_pages() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    for secret in [TOKEN, ARBITRATOR] {
        let debate = Debate::open(&server).await;
        let visitor = sign_in(&server, secret).await;
        let page = visitor.get(&format!("/arena/{}", debate.id)).await.text;
        assert!(page.contains("Pause the debate") && page.contains("Delete debate"), "{page}");
        assert!(!page.contains("id=\"waiting\"") && !page.contains("aw open"), "{page}");
        let fields = [("content", ""), ("step", "do"), ("client_request_id", "i-1")];
        let path = format!("/arena/{}", debate.id);
        assert_eq!(visitor.post(&format!("{path}/intervene"), &fields).await.status, 303);
        let whole = debate.read().await;
        assert_eq!(whole["debate"]["state"], "INTERVENTION_PENDING");
        assert_eq!(whole["arguments"][0]["by"], json!(null), "an open debate has no authors");
        assert_eq!(visitor.post(&format!("{path}/delete"), &[]).await.status, 303);
    }
}

/// The values of the form for a new debate.
async fn create_by_form(visitor: &Visitor<'_>) -> (String, String) {
    let form = visitor.get("/arena/new").await.text;
    let (id, key) = (hidden_field(&form, "debate_id"), hidden_field(&form, "client_request_id"));
    let fields = [
        ("debate_id", id.as_str()),
        ("client_request_id", &key),
        ("title", "By the page"),
        ("debate_type", "general_debate"),
        ("motion_content", "We use tabs."),
    ];
    let reply = visitor.post("/arena/new", &fields).await;
    let place = redirect_target(&reply).to_owned();
    assert!(place.starts_with("/arena/by-the-page-"), "{place}");
    let again = visitor.post("/arena/new", &fields).await;
    assert_eq!(redirect_target(&again), place, "a repeated form opens one debate");
    (id, form)
}

#[tokio::test]
async fn form_for_a_new_debate_leaves_both_seats_open() {
    let server = with_both_tokens().start().await.with_token(TOKEN);
    let visitor = sign_in(&server, TOKEN).await;
    let (id, form) = create_by_form(&visitor).await;
    assert!(form.contains("has a seat for the proposer"), "{form}");
    let whole = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!((&whole["debate"]["seats"], &whole["motion"]["by"]), (&json!(true), &json!("web")));
    let seats = server.get(&format!("/debates/{id}/seats")).await.data();
    let statuses: Vec<_> = seats.as_array().expect("a list").iter().collect();
    let statuses: Vec<_> = statuses.iter().map(|seat| seat["status"].clone()).collect();
    assert_eq!(json!(statuses), json!(["open", "open"]));
}

#[tokio::test]
async fn form_for_a_new_debate_opens_it_without_seats_on_a_server_without_an_arbitrator() {
    let server = Setup::postgres().start().await;
    let visitor = Visitor::at(&server);
    let (id, form) = create_by_form(&visitor).await;
    assert!(form.contains("so the debate is open"), "{form}");
    let whole = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!((&whole["debate"]["seats"], &whole["motion"]["by"]), (&json!(false), &json!(null)));
    let page = visitor.get(&format!("/arena/{id}")).await.text;
    assert!(page.contains("Pause the debate"), "{page}");
}

#[tokio::test]
async fn debate_has_one_page_at_its_slug_and_at_its_id() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let visitor = Visitor::at(&server);
    for path in [debate.page(), format!("/arena/{}", debate.id)] {
        let page = visitor.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        let by_id = format!("/arena/{}", debate.id);
        assert!(!page.text.contains(&by_id), "links use the slug: {}", page.text);
        assert!(page.text.contains(&format!("{}/export.md", debate.page())), "{}", page.text);
    }
    for list in ["/", "/arena"] {
        let text = visitor.get(list).await.text;
        assert!(text.contains(&format!("href=\"{}\"", debate.page())), "{list}: {text}");
    }
    assert_eq!(visitor.get("/arena/cache-the-index-0000").await.status, 404);
    assert_eq!(visitor.get("/arena/not-a-slug").await.status, 400);
}
