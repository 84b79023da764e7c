//! Every action at every status: the table of the contract, and nothing stuck.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::json;

use crate::support::{Record, Reply, Run, Server, new_id, until, with_model};

const STATUSES: [&str; 7] =
    ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];
const ACTIONS: [&str; 5] = ["start", "resume", "retry", "stop", "cancel"];

/// A model that fails the first time on a topic that says so, and waits otherwise.
fn model(gate: &Gate) -> Model {
    let (gate, failed) = (gate.clone(), Mutex::new(HashMap::new()));
    let script = move |asked: &ModelRequest| {
        let topic = asked.topic();
        if topic.starts_with("completed") || topic.starts_with("stopped") {
            return ScriptStep::debate(asked);
        }
        let mut failed = failed.lock().expect("no script panics");
        let tries: &mut u32 = failed.entry(topic.clone()).or_default();
        *tries += 1;
        if topic.starts_with("failed") && *tries == 1 {
            let error = json!({ "error": { "type": "invalid_request_error" } });
            return ScriptStep::status("400 Bad Request", "", &error);
        }
        let mut plays = vec![ScriptStep::Wait(gate.clone())];
        plays.extend(ScriptStep::debate(asked));
        plays
    };
    Model::start(script).expect("a port is free")
}

/// A debate that stands so, and will not move by itself.
async fn at<'s>(server: &'s Server, model: &Model, status: &str, action: &str) -> Run<'s> {
    let topic = format!("{status} before {action}");
    let run = Run::create(server, &topic, json!({ "max_rounds": 1 })).await;
    let commands: &[&str] = match status {
        "created" => &[],
        "running" | "failed" | "completed" => &["start"],
        "stopping" => &["start", "stop"],
        "stopped" => &["start"],
        "canceled" => &["cancel"],
        other => panic!("no status is called {other}"),
    };
    for command in commands {
        run.command(command).await;
        let asked = || async { model.requests().iter().any(|asked| asked.topic() == topic) };
        if *command == "start" {
            until("a worker has it", asked).await;
        }
    }
    run
}

#[tokio::test]
async fn every_action_at_every_status_does_what_the_table_says() {
    let gate = Gate::new();
    let model = model(&gate);
    let server = with_model(&model).env("RUNNER_WORKERS", "100").start().await;
    let mut table = String::new();
    for status in STATUSES.into_iter().filter(|status| *status != "stopped") {
        for action in ACTIONS {
            let run = at(&server, &model, status, action).await;
            run.until(status).await;
            let reply = run.command(action).await;
            let now = run.debate().await;
            writeln!(
                table,
                "{status:>9} {action:>6}: {} {} → {} {} {}",
                reply.status, reply.text, now["status"], now["stop_reason"], now["last_error"]
            )
            .expect("text can be written");
        }
    }
    assert_snapshot!(table);
}

#[tokio::test]
async fn what_was_stopped_goes_on_where_it_was() {
    let server = crate::support::Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let mut table = String::new();
    for action in ACTIONS {
        let run = Run::create(&server, "stopped", json!({})).await;
        run.command("start").await;
        assert_eq!(run.debate().await["status"], "running", "there is work, and nobody does it");
        assert_eq!(run.command("stop").await.status, 204);
        assert_eq!(run.debate().await["status"], "stopped", "nothing was in flight");
        let reply = run.command(action).await;
        let now = run.debate().await;
        writeln!(
            table,
            "stopped {action:>6}: {} {} → {} {}",
            reply.status, reply.text, now["status"], now["stop_reason"]
        )
        .expect("text can be written");
    }
    assert_snapshot!(table);
}

#[tokio::test]
async fn a_stop_keeps_the_turn_in_flight_and_a_resume_says_nothing_twice() {
    let gate = Gate::new();
    let model = super::waiting_on("Stop me", &gate);
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Stop me", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    until("it is asked", || async { !model.requests().is_empty() }).await;
    assert_eq!(run.command("stop").await.status, 204);
    assert_eq!(run.debate().await["status"], "stopping");
    gate.open();
    run.until("stopped").await;
    let whole = run.read().await;
    assert_eq!(whole["turns"].as_array().map(Vec::len), Some(1), "the turn is kept");
    assert_eq!(whole["turns"][0]["content"], "First and last.");
    assert_eq!(whole["debate"]["stop_reason"], "manual_stop");
    assert_eq!(whole["debate"]["next_actor"], "debater_b");
    run.command("resume").await;
    run.until("completed").await;
    let whole = run.read().await;
    let turns = whole["turns"].as_array().expect("a list");
    let places: Vec<_> = turns
        .iter()
        .map(|turn| format!("{} {} {}", turn["seq"], turn["round"], turn["actor"]))
        .collect();
    assert_eq!(places, [r#"1 1 "debater_a""#, r#"2 1 "debater_b""#, r#"3 1 "judge""#]);
    assert_eq!(whole["debate"]["stop_reason"], "max_rounds");
    assert_eq!(model.requests().len(), 3, "nothing was asked twice");
}

#[tokio::test]
async fn a_cancel_breaks_the_call_off_and_a_delete_leaves_nothing() {
    let gate = Gate::new();
    let model = super::waiting_on("Break off", &gate);
    let server = with_model(&model).start().await;
    for last in ["cancel", "delete"] {
        let before = model.requests().len();
        let run = Run::create(&server, "Break off", json!({})).await;
        run.command("start").await;
        until("it is asked", || async { model.requests().len() > before }).await;
        if last == "cancel" {
            assert_eq!(run.command("cancel").await.status, 204);
            let whole = run.read().await;
            assert_eq!(whole["debate"]["status"], "canceled");
            assert_eq!(whole["debate"]["stop_reason"], "canceled");
            assert_eq!(whole["turns"], json!([]));
        } else {
            assert_eq!(server.delete(&run.path("")).await.status, 204);
            assert_eq!(server.get(&run.path("")).await.status, 404);
            assert_eq!(server.delete(&run.path("")).await.status, 404, "it is gone already");
        }
    }
    gate.open();
    // Nothing that comes late is kept: the next debate is the only one that grows.
    let next = Run::held(&server, 1).await;
    let list = server.get("/runner/debates?status=canceled").await.json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(list[0]["completed_rounds"], 0);
    assert_eq!(next.read().await["turns"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn whatever_is_asked_of_no_debate_is_refused_in_one_shape() {
    let server = Server::start().await;
    let nowhere = new_id();
    let mut record = Record::default();
    for (method, rest) in [
        (Method::GET, ""),
        (Method::DELETE, ""),
        (Method::POST, "/start"),
        (Method::POST, "/resume"),
        (Method::POST, "/retry"),
        (Method::POST, "/stop"),
        (Method::POST, "/cancel"),
        (Method::GET, "/attempts"),
        (Method::GET, "/events"),
        (Method::GET, "/events?after=7"),
    ] {
        for id in [nowhere.as_str(), "x", "%FF"] {
            let path = format!("/runner/debates/{id}{rest}");
            let reply = Reply::of(server.request(method.clone(), &path)).await;
            let shown = if id == nowhere { "{id}" } else { id };
            record.note(&format!("{method} /runner/debates/{shown}{rest}"), &reply);
        }
    }
    assert_snapshot!(record.render());
}
