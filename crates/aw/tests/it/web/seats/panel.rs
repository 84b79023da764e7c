//! Free seats and participants on the pages and in exports, and their live updates.

use super::{ARBITRATOR, SeatedDebate, sign_in, with_arbitrator};
use crate::support::browser::Browser;
use crate::support::visitor::Visitor;
use crate::support::{Cli, Server, new_id};

/// The text of an element with this id, without its character references.
fn text_of(page: &str, id: &str) -> String {
    let rest = page.split(&format!("id=\"{id}\">")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no element {id} in {page}"));
    let text = rest.split('<').next().expect("a split has a first part");
    text.replace("&#34;", "\"").replace("&#39;", "'").replace("&#38;", "&")
}

fn join_command(debate: &SeatedDebate<'_>, server: &Server, role: &str) -> String {
    format!("aw debate join {} --as {role} --server {}", debate.slug, server.url)
}

#[tokio::test]
async fn panel_shows_command_and_prompt_for_each_free_seat() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let visitor = Visitor::at(&server);
    let page = visitor.get(&debate.page()).await.text;
    assert_eq!(text_of(&page, "waiting-title"), "Waiting for an opponent");
    let command = join_command(&debate, &server, "opponent");
    assert_eq!(text_of(&page, "join-opponent"), command);
    let prompt = text_of(&page, "prompt-opponent");
    let start = format!("You are the opponent of the debate {}.", debate.slug);
    assert!(prompt.starts_with(&start), "{prompt}");
    for part in [&*format!("`{command}`"), "`aw debate say -f FILE`", "`aw debate next`"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!page.contains("id=\"join-proposer\""), "{page}");

    debate.release("proposer").await;
    let page = visitor.get(&debate.page()).await.text;
    assert_eq!(text_of(&page, "waiting-title"), "Waiting for both sides");
    assert_eq!(text_of(&page, "join-proposer"), join_command(&debate, &server, "proposer"));
    assert!(page.contains("needs the invite of the debate or"), "{page}");

    debate.take_opponent_seat("codex").await;
    let page = visitor.get(&debate.page()).await.text;
    assert_eq!(text_of(&page, "waiting-title"), "Waiting for a proposer");
    assert!(!page.contains("id=\"join-opponent\""), "{page}");
}

#[tokio::test]
async fn panel_of_a_debate_with_an_invite_names_the_condition() {
    let server = with_arbitrator().start().await;
    let body = serde_json::json!({
        "debate_id": new_id(), "title": "Invited", "debate_type": "general_debate",
        "motion_content": "We use tabs.", "seats": true, "invite_only": true,
    });
    let invite = format!("awi_{}", "i".repeat(43));
    let request = server.request(reqwest::Method::POST, "/debates").header("debate-invite", invite);
    let reply = crate::support::Reply::receive(request.json(&body)).await;
    let slug = reply.data()["debate"]["slug"].as_str().expect("a slug is text").to_owned();
    let page = Visitor::at(&server).get(&format!("/arena/{slug}")).await.text;
    assert!(page.contains("Only participants with the invite of this debate"), "{page}");
    assert!(!page.contains("awi_"), "{page}");
}

#[tokio::test]
async fn closed_debate_has_no_panel_and_keeps_its_participants() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let arbitrator = sign_in(&server, ARBITRATOR).await;
    for (action, close) in [("intervene", "false"), ("rule", "true")] {
        let fields = [("content", "Enough."), ("close", close), ("step", "do")];
        let reply = arbitrator.post(&format!("{}/{action}", debate.page()), &fields).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
    }
    let page = Visitor::at(&server).get(&debate.page()).await.text;
    assert!(!page.contains("waiting-title") && !page.contains("last seen"), "{page}");
    assert!(page.contains("proposer: <bdi>claude-code</bdi>"), "{page}");
    assert!(!page.contains("aw open"), "the arbitrator has no action left: {page}");
}

#[tokio::test]
async fn participants_and_authors_are_on_pages_lists_and_exports() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "קלוד 🤖").await;
    debate.take_opponent_seat("codex *x* <b>").await;
    let claim = debate.object("It does not fit.").await;
    debate.ask("resolution", &claim).await;
    let visitor = Visitor::at(&server);
    let opponent = "<bdi>codex *x* &#60;b&#62;</bdi>";
    let page = visitor.get(&debate.page()).await.text;
    assert!(page.contains("by <bdi>קלוד 🤖</bdi>"), "{page}");
    assert!(page.contains(&format!("by {opponent}")), "{page}");
    assert!(page.contains(">Closed automatically</h3>"), "{page}");
    assert!(!page.contains("<bdi>server</bdi>"), "{page}");
    for list in ["/", "/arena"] {
        let text = visitor.get(list).await.text;
        assert!(text.contains("proposer: <bdi>קלוד 🤖</bdi>"), "{list}: {text}");
        assert!(text.contains(&format!("opponent: {opponent}")), "{list}: {text}");
    }
    let cli = Cli::at(&server);
    for (format, extension, author) in [
        ("markdown", "md", " UTC, by codex \\*x\\* \\<b\\>, `"),
        ("html", "html", &*format!("by {opponent}")),
    ] {
        let export = visitor.get(&format!("{}/export.{extension}", debate.page())).await.text;
        assert!(export.contains(author), "{export}");
        assert!(export.contains("קלוד 🤖") && export.contains("Closed automatically"), "{export}");
        let words = ["debate", "export", "--debate-id", &debate.id, "--as", format];
        assert_eq!(cli.run(&words).await.out, export, "{format}");
    }
}

#[tokio::test]
async fn open_page_follows_the_seats() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}{}", server.url, debate.page())).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    assert_eq!(browser.text("#waiting h2").await, "Waiting for an opponent");
    let seen = "/^proposer: claude-code, last seen \\d+ s ago$/";
    let first = "document.querySelector('#participants li').innerText";
    assert_eq!(browser.eval(&format!("{seen}.test({first})")).await, true);

    debate.take_opponent_seat("codex").await;
    browser.wait_for("document.querySelector('#waiting h2') === null").await;
    let both = "document.getElementById('participants').innerText.includes('opponent: codex')";
    assert_eq!(browser.eval(both).await, true);

    browser.run("document.getElementById('waiting').tabIndex = -1").await;
    debate.release("opponent").await;
    browser.wait_for("document.querySelector('#waiting h2') !== null").await;
    debate.take_opponent_seat("codex again").await;
    debate.object("It does not fit.").await;
    browser.wait_for("document.getElementById('seq-2') !== null").await;
    assert_eq!(browser.text("#seq-2 .author bdi").await, "codex again");
    assert_eq!(browser.console_messages().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn copy_buttons_copy_the_command_and_the_prompt() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}{}", server.url, debate.page())).await;
    // The clipboard of the test is a variable: the real one is shared by all tests.
    let clipboard = "Object.defineProperty(navigator, 'clipboard', { value: {
        writeText: async (text) => { window.copied = text; } } })";
    browser.run(clipboard).await;
    browser.click("[data-copy=join-opponent]").await;
    let command = join_command(&debate, &server, "opponent");
    browser.wait_for(&format!("window.copied === {command:?}")).await;
    browser.wait_for("document.getElementById('copied').textContent === 'Copied.'").await;
    browser.click("[data-copy=prompt-opponent]").await;
    browser.wait_for("window.copied.startsWith('You are the opponent')").await;
    let whole = "window.copied === document.getElementById('prompt-opponent').textContent";
    assert_eq!(browser.eval(whole).await, true);

    browser.run("navigator.clipboard.writeText = () => Promise.reject()").await;
    browser.click("[data-copy=prompt-opponent]").await;
    browser.wait_for("getSelection().toString().startsWith('You are the opponent')").await;
    browser.close().await;
}

#[tokio::test]
async fn panel_without_javascript_has_no_copy_buttons() {
    let server = with_arbitrator().start().await;
    let debate = SeatedDebate::open(&server, "claude-code").await;
    let browser = Browser::open().await;
    browser.disable_script().await;
    browser.visit(&format!("{}{}", server.url, debate.page())).await;
    assert_eq!(browser.text("#join-opponent").await, join_command(&debate, &server, "opponent"));
    let shown = "[...document.querySelectorAll('[data-copy]')]
        .filter((button) => getComputedStyle(button).display !== 'none').length";
    assert_eq!(browser.eval(shown).await, 0);
    browser.close().await;
}
