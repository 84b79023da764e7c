//! Debates that run themselves, as clients meet them.

mod actions;
mod bad_input;
mod config;
mod cost;
mod documents;
mod idempotency;
mod lists;
mod reading;
mod streams;
mod whole;

use aw_testbed::{Asked, Gate, Model, Play};

/// A model that waits at `gate` with every answer on this topic, after its first word.
fn waiting_on(topic: &'static str, gate: &Gate) -> Model {
    let gate = gate.clone();
    let script = move |asked: &Asked| {
        if asked.topic() == topic && !asked.is_for_judge() {
            let mut plays = vec![Play::Say("First ".to_owned()), Play::Wait(gate.clone())];
            plays.extend(Play::answer("and last.", 20));
            return plays;
        }
        Play::debate(asked)
    };
    Model::start(script).expect("a port is free")
}
