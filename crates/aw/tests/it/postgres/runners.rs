//! Several servers run debates on one database.

use std::collections::HashSet;

use aw_testbed::{Asked, Gate, Model, Play};
use rustix::process::Signal;
use serde_json::json;

use crate::support::{Server, Setup, until};
use crate::survival::{ONE_ROUND, Run, place, with_model};

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
    let sleeper = setup.start().await;
    let run = Run::start(&sleeper, "Tea", json!({ "max_rounds": 1 })).await;
    model.wait_for(1);
    sleeper.signal(Signal::STOP);
    let other = setup.start().await;
    run.reaches(&other, "completed").await;
    let story = run.story(&other).await;
    gate.open();
    sleeper.signal(Signal::CONT);
    // Its answer has arrived when the call's outcome is known.
    until("the late answer", || async {
        run.attempts(&other).await.iter().all(|attempt| attempt["outcome"] == "ok")
    })
    .await;
    let after = run.story(&other).await;
    assert_eq!(after["turns"], story["turns"], "the transcript did not change");
    assert_eq!(run.places(&other).await, ONE_ROUND);
    assert_eq!(model.asked().len(), 4);
    assert_eq!(run.attempts(&other).await.len(), 4);
    assert_eq!(after["cost"]["completion_tokens"], 80, "the wasted call is counted");
    assert_eq!(after["debate"]["spent_tokens"], 80);
}

const DEBATES: usize = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_servers_bring_500_debates_to_their_end_without_a_double_and_without_starving_one() {
    let model = Model::start(Play::debate).expect("it starts");
    let setup = with_model(Setup::postgres(), &model).env("RUNNER_LEASE_SECONDS", "30");
    let mut servers: Vec<Server> = Vec::new();
    for _ in 0..4 {
        servers.push(setup.start().await);
    }
    let mut runs = Vec::new();
    for number in 0..DEBATES {
        let settings = json!({ "max_rounds": 1 });
        runs.push(Run::create(&servers[number % 4], &format!("Tea {number}"), settings).await);
    }
    for (number, run) in runs.iter().enumerate() {
        run.act(&servers[(number + 1) % 4], "start").await;
    }
    let (mut first_turns, mut last_turns) = (Vec::new(), Vec::new());
    let mut ids = HashSet::new();
    for (number, run) in runs.iter().enumerate() {
        let server = &servers[(number + 2) % 4];
        run.reaches(server, "completed").await;
        let story = run.story(server).await;
        let turns = story["turns"].as_array().expect("turns are a list");
        assert_eq!(turns.iter().map(place).collect::<Vec<_>>(), ONE_ROUND);
        ids.extend(turns.iter().map(|turn| turn["id"].to_string()));
        first_turns.push(turns[0]["created_at"].as_str().expect("a time is text").to_owned());
        last_turns.push(turns[2]["created_at"].as_str().expect("a time is text").to_owned());
        assert_eq!(run.attempts(server).await.len(), 3);
    }
    assert_eq!(ids.len(), 3 * DEBATES);
    assert_eq!(model.asked().len(), 3 * DEBATES, "no call was made twice");
    // Debates were started over a while, so the last may begin after the first has ended; but none
    // waits until all the others are done.
    let latest_beginning = first_turns.iter().max().expect("there are debates");
    let ended_before = last_turns.iter().filter(|end| *end < latest_beginning).count();
    assert!(ended_before < DEBATES / 2, "{ended_before} had ended before the last one began");
}
