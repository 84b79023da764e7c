//! Every command at every status: the table of the contract, without a run that stays
//! in a transient status.

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
const COMMANDS: [&str; 5] = ["start", "resume", "retry", "stop", "cancel"];

/// A model that fails the first call on a topic that says so, and waits otherwise.
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

/// A run at this status that does not continue on its own.
async fn create_at_status<'s>(
    server: &'s Server,
    model: &Model,
    status: &str,
    action: &str,
) -> Run<'s> {
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
async fn every_command_at_every_status_has_the_documented_effect() {
    let gate = Gate::new();
    let model = model(&gate);
    let server = with_model(&model).env("RUNNER_WORKERS", "100").start().await;
    let mut table = String::new();
    for status in STATUSES.into_iter().filter(|status| *status != "stopped") {
        for action in COMMANDS {
            let run = create_at_status(&server, &model, status, action).await;
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
async fn stopped_run_resumes_at_the_same_turn() {
    let server = crate::support::Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let mut table = String::new();
    for action in COMMANDS {
        let run = Run::create(&server, "stopped", json!({})).await;
        run.command("start").await;
        assert_eq!(
            run.debate().await["status"],
            "running",
            "the run stays running without a worker"
        );
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
async fn stop_saves_the_turn_in_progress_and_resume_repeats_no_turn() {
    let gate = Gate::new();
    let model = crate::runner::model_waiting_on("Stop me", &gate);
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
async fn cancel_aborts_the_call_and_delete_removes_the_run() {
    let gate = Gate::new();
    let model = crate::runner::model_waiting_on("Break off", &gate);
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
    // A late answer is not saved: only the next run grows.
    let next = Run::complete_demo(&server, 1).await;
    let list = server.get("/runner/debates?status=canceled").await.json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(list[0]["completed_rounds"], 0);
    assert_eq!(next.read().await["turns"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn every_route_answers_an_unknown_run_with_the_same_error() {
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
            let reply = Reply::receive(server.request(method.clone(), &path)).await;
            let shown = if id == nowhere { "{id}" } else { id };
            record.note(&format!("{method} /runner/debates/{shown}{rest}"), &reply);
        }
    }
    assert_snapshot!(record.render());
}
