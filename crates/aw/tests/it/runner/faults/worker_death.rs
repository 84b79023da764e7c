//! Runs when a worker dies at each step of a turn: the next server continues without a
//! gap or a duplicate.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::runner::faults::{ONE_ROUND, RunRef, position, with_model_and_key};
use crate::support::{Setup, with_short_lease};

/// The steps at which the process aborts (`debate_app::failpoint`).
const PHASES: [&str; 5] =
    ["before-attempt", "before-call", "mid-answer", "before-commit", "after-commit"];

/// The number of attempts with unknown outcome that an abort at this step leaves.
fn unknown_after(phase: &str) -> usize {
    usize::from(matches!(phase, "before-call" | "mid-answer" | "before-commit"))
}

/// The number of calls whose answer is lost by an abort at this step.
fn lost_calls(phase: &str) -> usize {
    usize::from(matches!(phase, "mid-answer" | "before-commit"))
}

/// Answers. If `phase` is inside an answer, the first `halves` calls only get the first half.
fn script(
    phase: &str,
    halves: usize,
) -> impl Fn(&ModelRequest) -> Vec<ScriptStep> + Send + Sync + 'static {
    let halves = if phase == "mid-answer" { halves } else { 0 };
    move |asked| {
        if asked.number <= halves {
            return vec![
                ScriptStep::Say("First of all: ".to_owned()),
                ScriptStep::Wait(Gate::new()),
            ];
        }
        ScriptStep::debate(asked)
    }
}

/// A run of one round, started on a server without workers for the next server to execute.
async fn start_without_workers(setup: &Setup) -> RunRef {
    let server = setup.clone().env("RUNNER_WORKERS", "0").start().await;
    RunRef::start(&server, "Tea", json!({ "max_rounds": 1 })).await
}

fn count_unknown_outcomes(attempts: &[Value]) -> usize {
    attempts.iter().filter(|attempt| attempt["outcome"] == "unknown").count()
}

#[tokio::test]
async fn each_turn_exists_once_and_every_call_is_recorded_whenever_a_worker_dies() {
    for phase in PHASES {
        let model = Model::start(script(phase, 1)).expect("it starts");
        let setup = with_model_and_key(Setup::new(), &model);
        let run = start_without_workers(&setup).await;
        with_short_lease(&setup).env("AW_FAILPOINT", phase).start_refused().await;

        let next = setup.start().await;
        run.wait_for_status(&next, "completed").await;
        assert_eq!(run.turn_positions(&next).await, ONE_ROUND, "{phase}");
        let attempts = run.attempts(&next).await;
        assert_eq!(attempts.len(), 3 + unknown_after(phase), "{phase}");
        assert_eq!(count_unknown_outcomes(&attempts), unknown_after(phase), "{phase}");
        assert_eq!(model.requests().len(), 3 + lost_calls(phase), "{phase}");
        let cost = run.read(&next).await["cost"].clone();
        let lost = u64::try_from(600 * unknown_after(phase)).expect("it fits");
        assert_eq!(cost["completion_tokens"], 60 + lost, "{phase}: all attempts are counted");
        assert_eq!(run.debate(&next).await["spent_tokens"], 60 + lost, "{phase}");
    }
}

#[tokio::test]
async fn call_of_unknown_outcome_is_not_repeated_when_the_setting_is_hold() {
    for phase in ["before-call", "mid-answer", "before-commit"] {
        let model = Model::start(script(phase, 1)).expect("it starts");
        let setup = with_model_and_key(Setup::new(), &model).env("RUNNER_ON_UNKNOWN", "hold");
        let run = start_without_workers(&setup).await;
        with_short_lease(&setup).env("AW_FAILPOINT", phase).start_refused().await;

        let next = setup.start().await;
        run.wait_for_status(&next, "failed").await;
        let debate = run.debate(&next).await;
        assert_eq!(debate["stop_reason"], "error", "{phase}");
        let error = debate["last_error"].as_str().expect("it says why");
        assert!(error.contains("its outcome and cost are unknown"), "{error}");
        assert_eq!(model.requests().len(), lost_calls(phase), "{phase}: no call was repeated");

        assert_eq!(run.act(&next, "retry").await, json!({ "enqueued": true }));
        run.wait_for_status(&next, "completed").await;
        assert_eq!(run.turn_positions(&next).await, ONE_ROUND, "{phase}");
    }
}

#[tokio::test]
async fn run_fails_after_its_turn_killed_several_servers() {
    let model = Model::start(script("mid-answer", 5)).expect("it starts");
    let setup = with_model_and_key(Setup::new(), &model);
    let run = start_without_workers(&setup).await;
    let deadly = with_short_lease(&setup).env("AW_FAILPOINT", "mid-answer");
    for _ in 0..4 {
        deadly.start_refused().await;
    }
    let next = deadly.start().await;
    run.wait_for_status(&next, "failed").await;
    assert_eq!(run.attempts(&next).await.len(), 4);
    let error = run.debate(&next).await["last_error"].to_string();
    assert!(error.contains("stopped repeatedly during this turn"), "{error}");
}

#[tokio::test]
async fn incomplete_answer_is_not_saved_as_a_turn() {
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |_: &ModelRequest| {
        vec![
            ScriptStep::Say("Half of ".to_owned()),
            ScriptStep::Wait(held.clone()),
            ScriptStep::End(1, 1),
        ]
    };
    let model = Model::start(script).expect("it starts");
    let setup = with_model_and_key(Setup::new(), &model);
    let server = setup.start().await;
    let run = RunRef::start(&server, "Tea", json!({ "max_rounds": 1 })).await;
    let mut events = run.events(&server, None).await;
    let delta = loop {
        let event = events.next().await.expect("the stream goes on");
        if event.name == "delta" {
            break event;
        }
    };
    assert_eq!(
        delta.data,
        json!({ "round": 1, "actor": "debater_a", "attempt": 1,
                                   "text": "Half of " })
    );
    server.kill().await;
    let next = setup.env("RUNNER_WORKERS", "0").start().await;
    assert_eq!(run.turn_positions(&next).await, Vec::<String>::new());
    let attempts = run.attempts(&next).await;
    assert_eq!(attempts.iter().map(position).collect::<Vec<_>>(), ["1 debater_a"]);
    gate.open();
}

#[tokio::test]
async fn shutdown_waits_for_the_answer_and_releases_the_run() {
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        plays.insert(1, ScriptStep::Wait(held.clone()));
        plays
    };
    let model = Model::start(script).expect("it starts");
    // The lease is so long that only a released run can continue.
    let setup = with_model_and_key(Setup::new(), &model).env("RUNNER_LEASE_SECONDS", "30");
    let mut server = setup.start().await;
    let run = RunRef::start(&server, "Tea", json!({ "max_rounds": 1 })).await;
    model.wait_for(1);
    server.terminate();
    gate.open();
    assert!(server.wait_for_exit().await.success());

    let next = setup.start().await;
    run.wait_for_status(&next, "completed").await;
    assert_eq!(run.turn_positions(&next).await, ONE_ROUND);
    assert_eq!(model.requests().len(), 3, "the turn in flight was kept");
    assert_eq!(count_unknown_outcomes(&run.attempts(&next).await), 0);
}
