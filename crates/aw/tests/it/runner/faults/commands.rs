//! Every command at every status, with a real worker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::runner::faults::{RunRef, with_model_and_key};
use crate::support::{Server, Setup, until};

const STATUSES: [&str; 7] =
    ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];

const AT_REST: [&str; 5] = ["created", "stopped", "failed", "completed", "canceled"];

/// The contract: the status afterwards, and whether the run was enqueued (None for
/// commands that answer 204).
fn expected(status: &str, command: &str) -> (String, Option<bool>) {
    let goes_on = match command {
        "start" | "resume" => matches!(status, "created" | "stopped" | "failed"),
        "retry" => status == "failed",
        "stop" => {
            // The turn in progress is saved first.
            let after = if status == "running" { "stopping" } else { status };
            return (after.to_owned(), None);
        }
        "cancel" => {
            let after = if status == "completed" { status } else { "canceled" };
            return (after.to_owned(), None);
        }
        _ => unreachable!("there are five commands"),
    };
    (if goes_on { "running" } else { status }.to_owned(), Some(goes_on))
}

/// One gate for each run that is held in its first turn, by topic.
#[derive(Clone, Default)]
struct Gates(Arc<Mutex<HashMap<String, Gate>>>);

impl Gates {
    fn of(&self, topic: &str) -> Gate {
        let mut gates = self.0.lock().expect("no test panics while it holds this");
        gates.entry(topic.to_owned()).or_default().clone()
    }

    /// Waits at the gate, refuses, or answers, according to the topic.
    fn script(self) -> impl Fn(&ModelRequest) -> Vec<ScriptStep> + Send + Sync + 'static {
        move |asked| {
            let topic = asked.topic();
            if topic.starts_with("refused") {
                let body = json!({ "error": { "type": "invalid_request_error" } });
                return ScriptStep::status("400 Bad Request", "", &body);
            }
            let mut plays = ScriptStep::debate(asked);
            if topic.starts_with("held") {
                plays.insert(0, ScriptStep::Wait(self.of(&topic)));
            }
            plays
        }
    }
}

/// Waits until a call to the model is in progress.
async fn wait_for_call(server: &Server, run: &RunRef) {
    until("a call in flight", || async { !run.attempts(server).await.is_empty() }).await;
}

/// Creates a run at `status`. A running one waits in its first turn until its gate opens.
async fn create_at_status(server: &Server, gates: &Gates, status: &str, name: &str) -> RunRef {
    let once = json!({ "max_rounds": 1 });
    let held = format!("held {name}");
    match status {
        "created" => RunRef::create(server, &held, once).await,
        "running" => {
            let run = RunRef::start(server, &held, once).await;
            wait_for_call(server, &run).await;
            run
        }
        "stopping" | "stopped" => {
            let run = RunRef::start(server, &held, once).await;
            wait_for_call(server, &run).await;
            run.act(server, "stop").await;
            if status == "stopped" {
                gates.of(&held).open();
                run.wait_for_status(server, "stopped").await;
            }
            run
        }
        "failed" => {
            let run = RunRef::start(server, &format!("refused {name}"), once).await;
            run.wait_for_status(server, "failed").await;
            run
        }
        "completed" => {
            let run = RunRef::start(server, &format!("quick {name}"), once).await;
            run.wait_for_status(server, "completed").await;
            run
        }
        "canceled" => {
            let run = RunRef::create(server, &held, once).await;
            run.act(server, "cancel").await;
            run
        }
        _ => unreachable!("there are seven statuses"),
    }
}

#[tokio::test]
async fn every_command_at_every_status_has_the_documented_effect_with_a_worker() {
    let gates = Gates::default();
    let model = Model::start(gates.clone().script()).expect("it starts");
    let server = with_model_and_key(Setup::new(), &model).start().await;
    for status in STATUSES {
        for command in ["start", "resume", "retry", "stop", "cancel"] {
            let name = format!("{command} at {status}");
            let run = create_at_status(&server, &gates, status, &name).await;
            assert_eq!(run.debate(&server).await["status"], status, "{name}");
            let answer = run.act(&server, command).await;
            let (after, enqueued) = expected(status, command);
            let is_enqueued = answer.get("enqueued").and_then(Value::as_bool);
            assert_eq!(is_enqueued, enqueued, "{name}: {answer}");
            assert_eq!(answer.get("reason").is_some(), enqueued == Some(false), "{name}");
            // A run whose gate is open, or that needs none, continues immediately.
            let moves_on = matches!(status, "stopped" | "failed") && after == "running";
            if !moves_on {
                assert_eq!(run.debate(&server).await["status"], after, "{name}");
            }
            // No run stays in running or stopping.
            gates.of(&format!("held {name}")).open();
            run.wait_for_any_status(&server, &AT_REST).await;
        }
    }
}

#[tokio::test]
async fn cancel_and_delete_abort_the_providers_call_immediately() {
    let gates = Gates::default();
    let model = Model::start(gates.script()).expect("it starts");
    // The lease is so long that no renewal is due meanwhile.
    let server =
        with_model_and_key(Setup::new(), &model).env("RUNNER_LEASE_SECONDS", "30").start().await;
    for (number, command) in [(1, "cancel"), (2, "delete")] {
        let run = RunRef::start(&server, "held", json!({})).await;
        model.wait_for(number);
        let mut events = run.events(&server, None).await;
        if command == "cancel" {
            run.act(&server, "cancel").await;
        } else {
            let reply = server.delete(&format!("/runner/debates/{}", run.id)).await;
            assert_eq!(reply.status, 204);
        }
        let rest = events.rest().await;
        assert_eq!(rest.last().map(|event| event.name.as_str()), Some("end"), "{rest:?}");
        model.wait_until_left(number);
        if command == "delete" {
            let reply = server.get(&format!("/runner/debates/{}", run.id)).await;
            assert_eq!(reply.status, 404);
        } else {
            assert_eq!(run.debate(&server).await["stop_reason"], "canceled");
            assert!(run.turn_positions(&server).await.is_empty());
            assert_eq!(run.attempts(&server).await[0]["outcome"], "unknown");
        }
    }
}
