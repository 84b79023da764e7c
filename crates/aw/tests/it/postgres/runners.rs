//! Several servers run debates on one database.

use aw_testbed::{Asked, Gate, Model, Play};
use futures_util::stream::{self, StreamExt};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Server, Setup, until};
use crate::survival::{ONE_ROUND, Run, dying, place, with_model};

#[tokio::test]
async fn a_worker_that_slept_past_its_lease_can_not_write_and_its_tokens_are_counted() {
    let gate = Gate::new();
    let held = gate.clone();
    // The first call waits; whoever asks again is answered.
    let script = move |asked: &Asked| {
        let mut plays = Play::debate(asked);
        if asked.number == 1 {
            plays.insert(0, Play::Wait(held.clone()));
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
    let refused = "a debate went on without this step";
    until("the late answer", || async { sleeper.log().contains(refused) }).await;
    let after = run.story(&other).await;
    assert_eq!(after["turns"], story["turns"], "the transcript did not change");
    assert_eq!(run.places(&other).await, ONE_ROUND);
    assert_eq!(model.asked().len(), 4);
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
    let script = move |asked: &Asked| {
        let mut plays = Play::debate(asked);
        plays.insert(0, Play::Wait(held.clone()));
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
    assert_eq!(model.asked().len(), ONE_ROUND.len() * DEBATES, "no call was made twice");
    // Whoever has had a turn waits until everyone has had one.
    let latest_beginning = times.iter().map(|turns| &turns[0]).max().expect("there are debates");
    let ended_before = times.iter().filter(|turns| turns[2] < *latest_beginning).count();
    assert!(ended_before < DEBATES / 10, "{ended_before} had ended before the last one began");
}
