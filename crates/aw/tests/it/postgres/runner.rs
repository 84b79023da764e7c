//! Several servers execute runs on one database.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use futures_util::stream::{self, StreamExt};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::runner::budget::{
    adversarial_reports, booked_usage, model_reporting_usage, with_prices,
};
use crate::runner::faults::{ONE_ROUND, RunRef, position, with_model_and_key};
use crate::support::{Server, Setup, until, with_short_lease};

#[tokio::test]
async fn worker_with_an_expired_lease_cannot_write_and_its_tokens_are_counted() {
    let gate = Gate::new();
    let held = gate.clone();
    // Only the first call waits; later calls are answered.
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        if asked.number == 1 {
            plays.insert(0, ScriptStep::Wait(held.clone()));
        }
        plays
    };
    let model = Model::start(script).expect("it starts");
    let setup = with_model_and_key(Setup::postgres(), &model);
    let sleeper = with_short_lease(&setup).start().await;
    let run = RunRef::start(&sleeper, "Tea", json!({ "max_rounds": 1 })).await;
    model.wait_for(1);
    sleeper.signal(Signal::STOP);
    let other = setup.start().await;
    run.wait_for_status(&other, "completed").await;
    let story = run.read(&other).await;
    gate.open();
    sleeper.signal(Signal::CONT);
    let refused = "lease lost; result discarded";
    until("the late answer", || async { sleeper.log().contains(refused) }).await;
    let after = run.read(&other).await;
    assert_eq!(after["turns"], story["turns"], "the transcript did not change");
    assert_eq!(run.turn_positions(&other).await, ONE_ROUND);
    assert_eq!(model.requests().len(), 4);
    assert_eq!(run.attempts(&other).await.len(), 4);
    // The call is counted, whether its answer arrived or it was cut when the worker
    // found its lease lost.
    let spent = after["debate"]["spent_tokens"].as_u64().expect("tokens are a number");
    assert!([60 + 20, 60 + 600].contains(&spent), "{spent}");
    assert_eq!(after["cost"]["completion_tokens"], spent);
}

const RUNS: usize = 500;

const CLIENTS: usize = 16;

/// The times at which the turns of a run were saved.
async fn turn_times(server: &Server, run: &RunRef) -> Vec<String> {
    run.wait_for_status(server, "completed").await;
    let story = run.read(server).await;
    let turns = story["turns"].as_array().expect("turns are a list");
    assert_eq!(turns.iter().map(position).collect::<Vec<_>>(), ONE_ROUND);
    assert_eq!(run.attempts(server).await.len(), ONE_ROUND.len());
    let time = |turn: &Value| turn["created_at"].as_str().expect("a time is text").to_owned();
    turns.iter().map(time).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_servers_complete_500_runs_without_a_duplicate_call_or_starvation() {
    // No call is answered before all runs have started.
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        plays.insert(0, ScriptStep::Wait(held.clone()));
        plays
    };
    let model = Model::start(script).expect("it starts");
    let setup = with_model_and_key(Setup::postgres(), &model).env("AW_LOG", "warn");
    let mut servers: Vec<Server> = Vec::new();
    for _ in 0..4 {
        servers.push(setup.start().await);
    }
    let server_of = |number: usize| &servers[number % 4];
    let started = stream::iter(0..RUNS).map(|number| async move {
        let settings = json!({ "max_rounds": 1 });
        RunRef::start(server_of(number), &format!("Tea {number}"), settings).await
    });
    let runs: Vec<RunRef> = started.buffered(CLIENTS).collect().await;
    gate.open();
    let outcomes = stream::iter(runs.iter().enumerate())
        .map(|(number, run)| turn_times(server_of(number + 1), run));
    let times: Vec<Vec<String>> = outcomes.buffered(CLIENTS).collect().await;
    assert_eq!(model.requests().len(), ONE_ROUND.len() * RUNS, "no call was made twice");
    // Fairness: fewer than a tenth of the runs may end before the last run starts.
    let latest_beginning = times.iter().map(|turns| &turns[0]).max().expect("there are debates");
    let ended_before = times.iter().filter(|turns| turns[2] < *latest_beginning).count();
    assert!(ended_before < RUNS / 10, "{ended_before} had ended before the last one began");
}

/// The number of runs in the budget test of two servers.
const BUDGETED_RUNS: usize = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_never_exceed_a_days_tokens_or_cost_with_adversarial_usage_reports() {
    const TOKENS: i64 = 60_000;
    const COST: i64 = 150_000_000;
    let reports = adversarial_reports();
    let model = model_reporting_usage(move |asked: &ModelRequest| {
        let (_, report) = &reports[asked.number % reports.len()];
        report.clone()
    });
    let setup = with_prices(Setup::postgres(), &model)
        .env("RUNNER_DAILY_TOKENS", &TOKENS.to_string())
        .env("RUNNER_DAILY_COST", "0.15");
    let servers = [setup.start().await, setup.start().await];
    let server_of = |number: usize| &servers[number % 2];
    let started = stream::iter(0..BUDGETED_RUNS).map(|number| async move {
        RunRef::start(server_of(number), &format!("Tea {number}"), json!({})).await
    });
    let runs: Vec<RunRef> = started.buffered(CLIENTS).collect().await;
    // The day's usage stays within its limits at every read, and at the end.
    let mut most = (0, 0);
    for (number, run) in runs.iter().enumerate() {
        let server = server_of(number + 1);
        loop {
            let (tokens, cost) = booked_usage(&setup);
            assert!(tokens <= TOKENS && cost <= COST, "{tokens} tokens, {cost} billionths");
            most = (most.0.max(tokens), most.1.max(cost));
            let debate = run.debate(server).await;
            if debate["status"] == "completed" || debate["status"] == "failed" {
                break;
            }
        }
    }
    let (tokens, cost) = booked_usage(&setup);
    assert!(tokens <= TOKENS && cost <= COST, "{tokens} tokens, {cost} billionths");
    assert!(most.0 > TOKENS / 2 || most.1 > COST / 2, "the limits were approached: {most:?}");
    let mut failed = 0;
    for run in &runs {
        let debate = run.debate(&servers[0]).await;
        if debate["status"] == "failed" {
            let error = debate["last_error"].as_str().expect("it says why");
            assert!(error.contains("RUNNER_DAILY_"), "{error}");
            failed += 1;
        }
    }
    assert!(failed > 0, "the limits were reached");
}
