//! A run in a real browser: started, watched, stopped and resumed.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::json;

use crate::support::browser::Browser;
use crate::support::proxy::Proxy;
use crate::support::{Run, Server, Setup, until, with_model, with_short_lease};

/// The speakers of the turns on the page, in order.
const SPEAKERS: &str = "[...document.querySelectorAll('.turn')]
    .map((turn) => `${turn.dataset.seq} ${turn.dataset.round} ${turn.dataset.actor}`)";

const STATUS_LABEL: &str = "document.querySelector('#standing .chip').textContent";

async fn wait_for_status(browser: &Browser, words: &str) {
    browser.wait_for(&format!("{STATUS_LABEL} === {words:?}")).await;
}

/// A model that sends its first delta, and the rest when the gate for that turn opens.
fn model(gates: &[Gate]) -> Model {
    let gates = gates.to_vec();
    let script = move |asked: &ModelRequest| {
        let Some(gate) = gates.get(asked.number - 1) else { return ScriptStep::debate(asked) };
        let first = ScriptStep::Say("<b>First</b> words, ".to_owned());
        if asked.is_for_judge() {
            let mut plays = vec![ScriptStep::Wait(gate.clone())];
            plays.extend(ScriptStep::debate(asked));
            return plays;
        }
        let mut plays = vec![first, ScriptStep::Wait(gate.clone())];
        plays.extend(ScriptStep::answer("then the *last*.", 20));
        plays
    };
    Model::start(script).expect("a port is free")
}

#[tokio::test]
async fn run_is_started_watched_stopped_and_resumed_through_its_page() {
    let gates = [Gate::new(), Gate::new(), Gate::new()];
    let model = model(&gates);
    let server = with_model(&model).start().await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/runs/new", server.url)).await;
    browser.fill("#topic", "Tabs or spaces?").await;
    browser.run("document.getElementById('max_rounds').value = 1").await;
    browser.click("button[value=begin]").await;
    browser.wait_for("location.pathname.match(/^\\/runs\\/[0-9a-f-]{36}$/) !== null").await;
    wait_for_status(&browser, "Running").await;

    // The delta is shown as marked text and is not a turn yet.
    browser.wait_for("draft.textContent === '<b>First</b> words, '").await;
    assert_eq!(browser.text("#speaking-title").await, "Round 1, Debater A");
    assert!(browser.text("#speaking").await.contains("In progress; not saved yet"));
    assert_eq!(browser.count(".turn").await, 0);
    gates[0].open();
    browser.wait_for("document.querySelectorAll('.turn').length === 1").await;
    browser.wait_for("document.querySelector('.turn .prose em')?.textContent === 'last'").await;
    browser.wait_for("speaking.innerText.includes('Round 1, Debater B')").await;

    browser.click("#do-stop").await;
    wait_for_status(&browser, "Stopping").await;
    browser.wait_for("draft.textContent === '<b>First</b> words, '").await;
    gates[1].open();
    wait_for_status(&browser, "Stopped").await;
    browser.wait_for("speaking.hidden && document.getElementById('do-resume') !== null").await;
    assert_eq!(browser.eval(SPEAKERS).await, json!(["1 1 debater_a", "2 1 debater_b"]));

    gates[2].open();
    browser.click("#do-resume").await;
    wait_for_status(&browser, "Completed").await;
    browser.wait_for("document.querySelectorAll('.turn').length === 3").await;
    let all = json!(["1 1 debater_a", "2 1 debater_b", "3 1 judge"]);
    assert_eq!(browser.eval(SPEAKERS).await, all);
    browser.wait_for("document.querySelector('.chart circle') !== null").await;
    assert_eq!(browser.text(".verdict .winner dd").await, "Debater A");
    assert_eq!(browser.count("#acts button").await, 0, "it is over");
    assert_eq!(model.requests().len(), 3, "nothing was asked twice");
    assert_eq!(browser.console_messages().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn open_page_shows_the_run_to_its_end_across_restarts() {
    let gates = [Gate::new(), Gate::new()];
    let model = model(&gates);
    let proxy = Proxy::refusing().await;
    let setup = with_model(&model).env("DEBATE_ALLOWED_HOSTS", &proxy.address);
    let server = with_short_lease(&setup).start().await;
    proxy.forward_to(server.address());
    let run = Run::create(&server, "Over restarts", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    let id = run.id.clone();
    let browser = Browser::open().await;
    browser.visit(&format!("http://{}/runs/{id}", proxy.address)).await;
    browser.wait_for("draft.textContent === '<b>First</b> words, '").await;
    browser.run("document.getElementById('attempts')?.setAttribute('open', '')").await;
    proxy.refuse();
    server.kill().await;
    browser.wait_for("live.textContent === 'Reconnecting…'").await;
    for gate in &gates {
        gate.open();
    }
    let server = setup.start().await;
    proxy.forward_to(server.address());
    wait_for_status(&browser, "Completed").await;
    let all = json!(["1 1 debater_a", "2 1 debater_b", "3 1 judge"]);
    browser.wait_for("document.querySelectorAll('.turn').length === 3").await;
    assert_eq!(browser.eval(SPEAKERS).await, all, "nothing twice, nothing missed");
    browser.wait_for("speaking.hidden").await;
    assert_eq!(browser.eval("document.getElementById('attempts').open").await, true);
    assert!(browser.text("#attempts").await.contains("unknown"), "the call that was cut");
    drop(server);
    browser.close().await;
}

#[tokio::test]
async fn open_page_removes_a_failed_draft_and_reports_a_deletion() {
    let gate = Gate::new();
    let waiting = gate.clone();
    let script = move |_: &ModelRequest| {
        let error = "data: {\"error\":{\"type\":\"invalid_request_error\"}}\n\n";
        let say = ScriptStep::Say("Half an answer".to_owned());
        vec![say, ScriptStep::Wait(waiting.clone()), ScriptStep::Raw(error.into())]
    };
    let model = Model::start(script).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Fails", json!({})).await;
    run.command("start").await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
    browser.wait_for("draft.textContent === 'Half an answer'").await;
    gate.open();
    wait_for_status(&browser, "Failed").await;
    browser.wait_for("speaking.hidden && document.getElementById('do-retry') !== null").await;
    assert_eq!(browser.count("#standing .error").await, 1, "why, in words");
    server.delete(&run.path("")).await;
    browser.wait_for("live.textContent === 'The run was deleted.'").await;
    browser.close().await;
}

#[tokio::test]
async fn demo_run_completes_without_javascript() {
    let server: Server = Setup::new().start().await;
    let browser = Browser::open().await;
    browser.disable_script().await;
    browser.visit(&format!("{}/runs/new", server.url)).await;
    browser.fill("#topic", "Without script?").await;
    for field in ["model_debater_a", "model_debater_b", "model_judge"] {
        // The field contains a default; select it and type over it.
        browser.fill(&format!("#{field}"), "\u{e009}a\u{e000}demo:fast").await;
    }
    browser.click("button[value=begin]").await;
    let started = || async { browser.url().await.len() > server.url.len() + 30 };
    until("the run has its page", started).await;
    let id = browser.url().await.rsplit('/').next().expect("an address ends").to_owned();
    let run = Run { server: &server, id };
    run.until("completed").await;
    browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
    assert_eq!(browser.text("#standing .chip").await, "Completed");
    assert_eq!(browser.count(".turn").await, 15, "five rounds of three");
    browser.close().await;
}

#[tokio::test]
async fn open_page_keeps_the_calls_of_earlier_rounds() {
    let gates = [Gate::new(), Gate::new(), Gate::new(), Gate::new()];
    let model = model(&gates);
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Two rounds", json!({ "max_rounds": 2 })).await;
    run.command("start").await;
    let browser = Browser::open().await;
    browser.visit(&format!("{}/runs/{}", server.url, run.id)).await;
    for gate in gates.iter().take(3) {
        gate.open();
    }
    browser.wait_for("document.querySelectorAll('.turn').length === 3").await;
    gates[3].open();
    wait_for_status(&browser, "Completed").await;
    browser.wait_for("document.querySelectorAll('.turn').length === 6").await;
    let calls = browser.eval("[...document.querySelectorAll('#calls tr')].map((row) => row.id)");
    let expected = [1, 2].map(|round| {
        ["debater_a", "debater_b", "judge"].map(|actor| format!("call-{round}-{actor}-1"))
    });
    assert_eq!(calls.await, json!(expected.concat()));
    assert_eq!(browser.count(".chart circle").await, 2, "a mark for each verdict");
    browser.close().await;
}
