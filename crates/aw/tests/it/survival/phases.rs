//! A worker dies at each moment of a turn; the next server goes on as if nothing had been.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use super::{ONE_ROUND, Run, dying, place, with_model};
use crate::support::Setup;

/// Where the process can be made to die (`debate_app::failpoint`).
const PHASES: [&str; 5] =
    ["before-attempt", "before-call", "mid-answer", "before-commit", "after-commit"];

/// How many attempts of unknown outcome a death there leaves.
fn unknown_after(phase: &str) -> usize {
    usize::from(matches!(phase, "before-call" | "mid-answer" | "before-commit"))
}

/// How many calls a death there leaves whose answer nobody kept.
fn calls_lost(phase: &str) -> usize {
    usize::from(matches!(phase, "mid-answer" | "before-commit"))
}

/// Answers; of so many calls at the beginning only the first half ever comes, if `phase` is there.
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

/// A debate of one round, for the next server to go on with: this one has no workers.
async fn begun(setup: &Setup) -> Run {
    let server = setup.clone().env("RUNNER_WORKERS", "0").start().await;
    Run::start(&server, "Tea", json!({ "max_rounds": 1 })).await
}

fn unknown(attempts: &[Value]) -> usize {
    attempts.iter().filter(|attempt| attempt["outcome"] == "unknown").count()
}

#[tokio::test]
async fn whenever_a_worker_dies_each_turn_is_there_once_and_every_call_is_on_record() {
    for phase in PHASES {
        let model = Model::start(script(phase, 1)).expect("it starts");
        let setup = with_model(Setup::new(), &model);
        let run = begun(&setup).await;
        dying(&setup).env("AW_FAILPOINT", phase).refused().await;

        let next = setup.start().await;
        run.reaches(&next, "completed").await;
        assert_eq!(run.places(&next).await, ONE_ROUND, "{phase}");
        let attempts = run.attempts(&next).await;
        assert_eq!(attempts.len(), 3 + unknown_after(phase), "{phase}");
        assert_eq!(unknown(&attempts), unknown_after(phase), "{phase}");
        assert_eq!(model.requests().len(), 3 + calls_lost(phase), "{phase}");
        let cost = run.story(&next).await["cost"].clone();
        let lost = u64::try_from(600 * unknown_after(phase)).expect("it fits");
        assert_eq!(cost["completion_tokens"], 60 + lost, "{phase}: all attempts are counted");
        assert_eq!(run.debate(&next).await["spent_tokens"], 60 + lost, "{phase}");
    }
}

#[tokio::test]
async fn on_hold_a_call_of_unknown_outcome_waits_for_a_human_and_is_not_paid_twice() {
    for phase in ["before-call", "mid-answer", "before-commit"] {
        let model = Model::start(script(phase, 1)).expect("it starts");
        let setup = with_model(Setup::new(), &model).env("RUNNER_ON_UNKNOWN", "hold");
        let run = begun(&setup).await;
        dying(&setup).env("AW_FAILPOINT", phase).refused().await;

        let next = setup.start().await;
        run.reaches(&next, "failed").await;
        let debate = run.debate(&next).await;
        assert_eq!(debate["stop_reason"], "error", "{phase}");
        let error = debate["last_error"].as_str().expect("it says why");
        assert!(error.contains("its outcome and cost are unknown"), "{error}");
        assert_eq!(model.requests().len(), calls_lost(phase), "{phase}: nobody asked again");

        assert_eq!(run.act(&next, "retry").await, json!({ "enqueued": true }));
        run.reaches(&next, "completed").await;
        assert_eq!(run.places(&next).await, ONE_ROUND, "{phase}");
    }
}

#[tokio::test]
async fn a_turn_that_kills_every_server_is_given_up() {
    let model = Model::start(script("mid-answer", 5)).expect("it starts");
    let setup = with_model(Setup::new(), &model);
    let run = begun(&setup).await;
    let deadly = dying(&setup).env("AW_FAILPOINT", "mid-answer");
    for _ in 0..4 {
        deadly.refused().await;
    }
    let next = deadly.start().await;
    run.reaches(&next, "failed").await;
    assert_eq!(run.attempts(&next).await.len(), 4);
    let error = run.debate(&next).await["last_error"].to_string();
    assert!(error.contains("stopped repeatedly during this turn"), "{error}");
}

#[tokio::test]
async fn half_an_answer_is_never_a_turn() {
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
    let setup = with_model(Setup::new(), &model);
    let server = setup.start().await;
    let run = Run::start(&server, "Tea", json!({ "max_rounds": 1 })).await;
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
    assert_eq!(run.places(&next).await, Vec::<String>::new());
    let attempts = run.attempts(&next).await;
    assert_eq!(attempts.iter().map(place).collect::<Vec<_>>(), ["1 debater_a"]);
    gate.open();
}

#[tokio::test]
async fn an_orderly_stop_waits_for_the_answer_and_gives_the_debate_back() {
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        plays.insert(1, ScriptStep::Wait(held.clone()));
        plays
    };
    let model = Model::start(script).expect("it starts");
    // So long a lease that only a debate that was given back can go on.
    let setup = with_model(Setup::new(), &model).env("RUNNER_LEASE_SECONDS", "30");
    let mut server = setup.start().await;
    let run = Run::start(&server, "Tea", json!({ "max_rounds": 1 })).await;
    model.wait_for(1);
    server.terminate();
    gate.open();
    assert!(server.ended().await.success());

    let next = setup.start().await;
    run.reaches(&next, "completed").await;
    assert_eq!(run.places(&next).await, ONE_ROUND);
    assert_eq!(model.requests().len(), 3, "the turn in flight was kept");
    assert_eq!(unknown(&run.attempts(&next).await), 0);
}
