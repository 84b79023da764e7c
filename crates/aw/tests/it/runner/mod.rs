//! Runs over HTTP.

mod bad_input;
pub(crate) mod budget;
mod commands;
mod config;
mod cost;
pub(crate) mod faults;
mod idempotency;
mod language;
mod lists;
mod non_streaming_provider;
mod openapi;
mod prompt_versions;
mod reading;
mod streams;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};

/// Fields that differ between two executions: the durations of the run and of its calls.
const TIMES: [(&str, &str); 2] = [
    (r#""ran_seconds":\d+"#, r#""ran_seconds":<few>"#),
    (r#""duration_ms":\d+"#, r#""duration_ms":<some>"#),
];

/// A model that waits at `gate` with every answer on this topic, after its first word.
fn model_waiting_on(topic: &'static str, gate: &Gate) -> Model {
    let gate = gate.clone();
    let script = move |asked: &ModelRequest| {
        if asked.topic() == topic && !asked.is_for_judge() {
            let mut plays =
                vec![ScriptStep::Say("First ".to_owned()), ScriptStep::Wait(gate.clone())];
            plays.extend(ScriptStep::answer("and last.", 20));
            return plays;
        }
        ScriptStep::debate(asked)
    };
    Model::start(script).expect("a port is free")
}
