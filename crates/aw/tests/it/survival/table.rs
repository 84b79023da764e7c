//! Every command at every status, with a real worker behind it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use super::{Run, with_model};
use crate::support::{Server, Setup, until};

const STATUSES: [&str; 7] =
    ["created", "running", "stopping", "stopped", "failed", "completed", "canceled"];

const AT_REST: [&str; 5] = ["created", "stopped", "failed", "completed", "canceled"];

/// What the contract says: the status afterwards, and whether it was enqueued (none for commands
/// that answer 204).
fn expected(status: &str, command: &str) -> (String, Option<bool>) {
    let goes_on = match command {
        "start" | "resume" => matches!(status, "created" | "stopped" | "failed"),
        "retry" => status == "failed",
        "stop" => {
            // The turn is in flight, so it is kept first.
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

/// One gate for each debate that is to be held in its first turn; the topic names it.
#[derive(Clone, Default)]
struct Gates(Arc<Mutex<HashMap<String, Gate>>>);

impl Gates {
    fn of(&self, topic: &str) -> Gate {
        let mut gates = self.0.lock().expect("no test panics while it holds this");
        gates.entry(topic.to_owned()).or_default().clone()
    }

    /// Waits at the gate, refuses, or answers, as the topic says.
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

/// Waits until a call is on its way.
async fn until_in_flight(server: &Server, run: &Run) {
    until("a call in flight", || async { !run.attempts(server).await.is_empty() }).await;
}

/// A debate that stands at `status`; one that runs is in its first turn until its gate is opened.
async fn bring(server: &Server, gates: &Gates, status: &str, name: &str) -> Run {
    let once = json!({ "max_rounds": 1 });
    let held = format!("held {name}");
    match status {
        "created" => Run::create(server, &held, once).await,
        "running" => {
            let run = Run::start(server, &held, once).await;
            until_in_flight(server, &run).await;
            run
        }
        "stopping" | "stopped" => {
            let run = Run::start(server, &held, once).await;
            until_in_flight(server, &run).await;
            run.act(server, "stop").await;
            if status == "stopped" {
                gates.of(&held).open();
                run.reaches(server, "stopped").await;
            }
            run
        }
        "failed" => {
            let run = Run::start(server, &format!("refused {name}"), once).await;
            run.reaches(server, "failed").await;
            run
        }
        "completed" => {
            let run = Run::start(server, &format!("quick {name}"), once).await;
            run.reaches(server, "completed").await;
            run
        }
        "canceled" => {
            let run = Run::create(server, &held, once).await;
            run.act(server, "cancel").await;
            run
        }
        _ => unreachable!("there are seven statuses"),
    }
}

#[tokio::test]
async fn each_command_does_at_each_status_what_the_contract_says() {
    let gates = Gates::default();
    let model = Model::start(gates.clone().script()).expect("it starts");
    let server = with_model(Setup::new(), &model).start().await;
    for status in STATUSES {
        for command in ["start", "resume", "retry", "stop", "cancel"] {
            let name = format!("{command} at {status}");
            let run = bring(&server, &gates, status, &name).await;
            assert_eq!(run.debate(&server).await["status"], status, "{name}");
            let answer = run.act(&server, command).await;
            let (after, enqueued) = expected(status, command);
            let is_enqueued = answer.get("enqueued").and_then(Value::as_bool);
            assert_eq!(is_enqueued, enqueued, "{name}: {answer}");
            assert_eq!(answer.get("reason").is_some(), enqueued == Some(false), "{name}");
            // A debate whose gate is open or that needs none goes on by itself at once.
            let moves_on = matches!(status, "stopped" | "failed") && after == "running";
            if !moves_on {
                assert_eq!(run.debate(&server).await["status"], after, "{name}");
            }
            // Whatever happened, nothing stays in running or stopping.
            gates.of(&format!("held {name}")).open();
            run.reaches_one(&server, &AT_REST).await;
        }
    }
}

#[tokio::test]
async fn canceling_and_deleting_hang_up_on_the_provider_at_once() {
    let gates = Gates::default();
    let model = Model::start(gates.script()).expect("it starts");
    // So long a lease that no sign of life is due meanwhile.
    let server = with_model(Setup::new(), &model).env("RUNNER_LEASE_SECONDS", "30").start().await;
    for (number, command) in [(1, "cancel"), (2, "delete")] {
        let run = Run::start(&server, "held", json!({})).await;
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
            assert!(run.places(&server).await.is_empty());
            assert_eq!(run.attempts(&server).await[0]["outcome"], "unknown");
        }
    }
}
