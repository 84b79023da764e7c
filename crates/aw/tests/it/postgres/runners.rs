//! Several servers run debates on one database.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use futures_util::stream::{self, StreamExt};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::runner::budget::{adversarial_reports, booked, priced, reporting};
use crate::support::{Server, Setup, until};
use crate::survival::{ONE_ROUND, Run, dying, place, with_model};

#[tokio::test]
async fn a_worker_that_slept_past_its_lease_can_not_write_and_its_tokens_are_counted() {
    let gate = Gate::new();
    let held = gate.clone();
    // The first call waits; whoever asks again is answered.
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        if asked.number == 1 {
            plays.insert(0, ScriptStep::Wait(held.clone()));
        }
        plays
    };
    let model = Model::start(script).expect("it starts");
    let setup = with_model(Setup::postgres(), &model);
    let sleeper = dying(&setup).start().await;
    let run = Run::start(&sleeper, "Tea", json!({ "max_rounds": 1 })).await;
    model.wait_for(1);
    sleeper.signal(Signal::STOP);
    let other = setup.start().await;
    run.reaches(&other, "completed").await;
    let story = run.story(&other).await;
    gate.open();
    sleeper.signal(Signal::CONT);
    let refused = "lease lost; result discarded";
    until("the late answer", || async { sleeper.log().contains(refused) }).await;
    let after = run.story(&other).await;
    assert_eq!(after["turns"], story["turns"], "the transcript did not change");
    assert_eq!(run.places(&other).await, ONE_ROUND);
    assert_eq!(model.requests().len(), 4);
    assert_eq!(run.attempts(&other).await.len(), 4);
    // Whether it brought an answer or hung up when it found itself too late, the call is counted.
    let spent = after["debate"]["spent_tokens"].as_u64().expect("tokens are a number");
    assert!([60 + 20, 60 + 600].contains(&spent), "{spent}");
    assert_eq!(after["cost"]["completion_tokens"], spent);
}

const DEBATES: usize = 500;

/// How many clients work at once.
const CLIENTS: usize = 16;

/// What one debate came to: when its turns were kept.
async fn outcome(server: &Server, run: &Run) -> Vec<String> {
    run.reaches(server, "completed").await;
    let story = run.story(server).await;
    let turns = story["turns"].as_array().expect("turns are a list");
    assert_eq!(turns.iter().map(place).collect::<Vec<_>>(), ONE_ROUND);
    assert_eq!(run.attempts(server).await.len(), ONE_ROUND.len());
    let time = |turn: &Value| turn["created_at"].as_str().expect("a time is text").to_owned();
    turns.iter().map(time).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_servers_bring_500_debates_to_their_end_without_a_double_and_without_starving_one() {
    // Nobody is answered before all have begun.
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |asked: &ModelRequest| {
        let mut plays = ScriptStep::debate(asked);
        plays.insert(0, ScriptStep::Wait(held.clone()));
        plays
    };
    let model = Model::start(script).expect("it starts");
    let setup = with_model(Setup::postgres(), &model).env("AW_LOG", "warn");
    let mut servers: Vec<Server> = Vec::new();
    for _ in 0..4 {
        servers.push(setup.start().await);
    }
    let server_of = |number: usize| &servers[number % 4];
    let started = stream::iter(0..DEBATES).map(|number| async move {
        let settings = json!({ "max_rounds": 1 });
        Run::start(server_of(number), &format!("Tea {number}"), settings).await
    });
    let runs: Vec<Run> = started.buffered(CLIENTS).collect().await;
    gate.open();
    let outcomes = stream::iter(runs.iter().enumerate())
        .map(|(number, run)| outcome(server_of(number + 1), run));
    let times: Vec<Vec<String>> = outcomes.buffered(CLIENTS).collect().await;
    assert_eq!(model.requests().len(), ONE_ROUND.len() * DEBATES, "no call was made twice");
    // Whoever has had a turn waits until everyone has had one.
    let latest_beginning = times.iter().map(|turns| &turns[0]).max().expect("there are debates");
    let ended_before = times.iter().filter(|turns| turns[2] < *latest_beginning).count();
    assert!(ended_before < DEBATES / 10, "{ended_before} had ended before the last one began");
}

/// How many runs two servers share in the test of their budget.
const BUDGETED_RUNS: usize = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_never_exceed_a_days_tokens_or_cost_with_adversarial_usage_reports() {
    const TOKENS: i64 = 60_000;
    const COST: i64 = 150_000_000;
    let reports = adversarial_reports();
    let model = reporting(move |asked: &ModelRequest| {
        let (_, report) = &reports[asked.number % reports.len()];
        report.clone()
    });
    let setup = priced(Setup::postgres(), &model)
        .env("RUNNER_DAILY_TOKENS", &TOKENS.to_string())
        .env("RUNNER_DAILY_COST", "0.15");
    let servers = [setup.start().await, setup.start().await];
    let server_of = |number: usize| &servers[number % 2];
    let started = stream::iter(0..BUDGETED_RUNS).map(|number| async move {
        Run::start(server_of(number), &format!("Tea {number}"), json!({})).await
    });
    let runs: Vec<Run> = started.buffered(CLIENTS).collect().await;
    // While the runs go on, and when they rest, the day is within its limits.
    let mut most = (0, 0);
    for (number, run) in runs.iter().enumerate() {
        let server = server_of(number + 1);
        loop {
            let (tokens, cost) = booked(&setup);
            assert!(tokens <= TOKENS && cost <= COST, "{tokens} tokens, {cost} billionths");
            most = (most.0.max(tokens), most.1.max(cost));
            let debate = run.debate(server).await;
            if debate["status"] == "completed" || debate["status"] == "failed" {
                break;
            }
        }
    }
    let (tokens, cost) = booked(&setup);
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
