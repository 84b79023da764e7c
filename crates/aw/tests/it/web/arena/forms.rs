//! Forms of the arena's pages, over HTTP without a browser.

use crate::support::visitor::{Visitor, hidden_field, redirect_target};
use crate::support::{Debate, Server, Setup};

#[tokio::test]
async fn repeated_form_opens_one_debate() {
    let server = Server::start().await;
    let visitor = Visitor::at(&server);
    let form = visitor.get("/arena/new").await.text;
    let id = hidden_field(&form, "debate_id");
    let key = hidden_field(&form, "client_request_id");
    let fields = |title: &'static str| {
        [
            ("debate_id", id.as_str()),
            ("client_request_id", &key),
            ("title", title),
            ("debate_type", "coding_plan_debate"),
            ("motion_content", "First line\r\nsecond line"),
            ("auto_ruling", "false"),
        ]
    };
    for _ in 0..2 {
        let reply = visitor.post("/arena/new", &fields("By the page")).await;
        let place = redirect_target(&reply);
        assert!(place.starts_with("/arena/by-the-page-"), "{place}");
        assert_eq!(visitor.get(place).await.status, 200);
    }
    let list = server.get("/debates").await.data();
    assert_eq!(list["total"], 1);
    let whole = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!(whole["debate"]["title"], "By the page");
    assert_eq!(whole["debate"]["debate_type"], "coding_plan_debate");
    assert_eq!(whole["motion"]["content"], "First line\nsecond line");
    assert_eq!(whole["motion"]["client_request_id"], key.as_str());
    let reply = visitor.post("/arena/new", &fields("Back, and with another title")).await;
    assert_eq!(reply.status, 422);
    assert!(reply.text.contains("Back, and with another title"), "{}", reply.text);
    assert_ne!(
        hidden_field(&reply.text, "debate_id"),
        id,
        "what is sent next is a debate of its own"
    );
}

#[tokio::test]
async fn invalid_form_is_shown_again_with_its_input() {
    let server = Setup::new().env("DEBATE_MAX_CONTENT_LENGTH", "100").start().await;
    let visitor = Visitor::at(&server);
    let form = visitor.get("/arena/new").await.text;
    let (id, key) = (hidden_field(&form, "debate_id"), hidden_field(&form, "client_request_id"));
    let long = "x".repeat(101);
    for (title, kind, motion, status, says) in [
        ("", "general_debate", "<b>kept</b>", 400, "The title must not be blank."),
        (&*"t".repeat(301), "general_debate", "<b>kept</b>", 400, "The title must have at most"),
        ("kept & sound", "nonsense", "m", 400, "The type must be one of the listed types."),
        ("kept & sound", "general_debate", " \n ", 400, "The motion must not be blank."),
        ("kept & sound", "general_debate", &long, 413, "at most 100 bytes"),
    ] {
        let fields = [
            ("debate_id", &*id),
            ("client_request_id", &key),
            ("title", title),
            ("debate_type", kind),
            ("motion_content", motion),
        ];
        let reply = visitor.post("/arena/new", &fields).await;
        assert_eq!(reply.status, status, "{says}");
        assert!(reply.text.contains(says), "{says}: {}", reply.text);
        let escaped =
            |text: &str| text.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
        assert!(reply.text.contains(&format!("value=\"{}\"", escaped(title))), "{says}");
        assert!(reply.text.contains(&format!("\n{}</textarea>", escaped(motion))), "{says}");
        assert_eq!(hidden_field(&reply.text, "client_request_id"), key, "still the same request");
    }
    let huge = "y".repeat(100_000);
    let reply = visitor.post("/arena/new", &[("title", "t"), ("motion_content", &huge)]).await;
    assert_eq!(reply.status, 413);
    assert!(reply.text.contains("Text too long"), "{}", reply.text);
    assert_eq!(server.get("/debates").await.data()["total"], 0);
}

#[tokio::test]
async fn confirmation_shows_the_effect_of_a_ruling_before_it_is_submitted() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    let here = debate.page().await;
    let page = visitor.get(&here).await.text;
    assert!(page.contains("Pause the debate") && !page.contains("Rule and close"), "{page}");
    let key = hidden_field(&page, "client_request_id");
    let stop = format!("{here}/intervene");
    let fields = [("content", "Hold *on*"), ("client_request_id", &*key)];
    let preview = visitor.post(&stop, &fields).await;
    assert_eq!(preview.status, 200);
    assert!(preview.text.contains("<p>Hold <em>on</em></p>"), "{}", preview.text);
    assert!(preview.text.contains("Neither side can add an argument until you rule"));
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT", "nothing is done yet");
    let back = [("content", "Hold *on*"), ("client_request_id", &*key), ("step", "edit")];
    let edit = visitor.post(&stop, &back).await;
    assert!(edit.text.contains("\nHold *on*</textarea>"), "{}", edit.text);
    let done = [("content", "Hold *on*"), ("client_request_id", &*key), ("step", "do")];
    for _ in 0..2 {
        let reply = visitor.post(&stop, &done).await;
        assert_eq!(redirect_target(&reply), format!("{here}#seq-2"));
    }
    let whole = debate.read().await;
    assert_eq!(whole["debate"]["state"], "INTERVENTION_PENDING");
    assert_eq!(whole["arguments"].as_array().map(Vec::len), Some(1), "once");
    let page = visitor.get(&here).await.text;
    assert!(page.contains("Rule and close") && !page.contains("Pause the debate"), "{page}");
    let key = hidden_field(&page, "client_request_id");
    let rule = format!("{here}/rule");
    let blank = visitor.post(&rule, &[("content", "  "), ("client_request_id", &*key)]).await;
    assert_eq!(blank.status, 400);
    assert!(blank.text.contains("The text must not be blank."), "{}", blank.text);
    let close = [("content", "Enough."), ("client_request_id", &*key), ("close", "true")];
    let preview = visitor.post(&rule, &close).await;
    assert!(preview.text.contains("the debate closes permanently"), "{}", preview.text);
    assert!(preview.text.contains("Rule and close"), "{}", preview.text);
    let close = [&close[..], &[("step", "do")]].concat();
    assert_eq!(redirect_target(&visitor.post(&rule, &close).await), format!("{here}#seq-3"));
    assert_eq!(debate.read().await["debate"]["state"], "CLOSED");
    let page = visitor.get(&here).await.text;
    assert!(page.contains("It accepts no more arguments") && !page.contains("<textarea"), "{page}");
}

#[tokio::test]
async fn action_that_the_state_forbids_is_refused_and_its_text_is_kept() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    let here = format!("/arena/{}", debate.id);
    let key = hidden_field(&visitor.get(&here).await.text, "client_request_id");
    debate.advance_to("CLOSED").await;
    for step in ["preview", "do"] {
        let fields = [("content", "Too late?"), ("client_request_id", &*key), ("step", step)];
        let reply = visitor.post(&format!("{here}/intervene"), &fields).await;
        assert_eq!(reply.status, 403, "{step}");
        assert!(reply.text.contains("The debate has changed"), "{}", reply.text);
        assert!(reply.text.contains("\nToo late?</textarea>"), "{}", reply.text);
    }
    let other = Debate::open(&server).await;
    other.advance_to("INTERVENTION_PENDING").await;
    let path = format!("/arena/{}/rule", other.id);
    let first = [("content", "One"), ("client_request_id", "k"), ("step", "do")];
    assert_eq!(visitor.post(&path, &first).await.status, 303);
    let second = [("content", "Another"), ("client_request_id", "k"), ("step", "do")];
    let reply = visitor.post(&path, &second).await;
    assert_eq!(reply.status, 422, "{}", reply.text);
    assert!(reply.text.contains("\nAnother</textarea>"), "{}", reply.text);
    assert_ne!(hidden_field(&reply.text, "client_request_id"), "k", "sent again, it is a new one");
}

#[tokio::test]
async fn debate_is_deleted_after_a_confirmation() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let visitor = Visitor::at(&server);
    let path = format!("/arena/{}/delete", debate.id);
    let thought = visitor.get(&path).await;
    assert!(thought.text.contains("its 1 argument are deleted permanently"), "{}", thought.text);
    assert_eq!(server.get(&debate.path("")).await.status, 200);
    for click in ["first", "second"] {
        assert_eq!(
            redirect_target(&visitor.post(&path, &[]).await),
            "/arena?deleted=1",
            "{click} click"
        );
    }
    assert_eq!(server.get(&debate.path("")).await.status, 404);
    assert!(visitor.get("/arena?deleted=1").await.text.contains("The debate was deleted."));
    let gone = visitor.get(&format!("/arena/{}", debate.id)).await;
    assert_eq!(gone.status, 404);
    assert!(gone.text.contains("Debate not found"), "{}", gone.text);
}
