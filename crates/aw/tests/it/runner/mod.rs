//! Debates that run themselves, as clients meet them.

mod actions;
mod bad_input;
pub(crate) mod budget;
mod config;
mod cost;
mod documents;
mod idempotency;
mod language;
mod lists;
mod prompt_versions;
mod reading;
mod streams;
mod whole;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};

/// Fields that differ between two runs: the durations of the run and of its calls.
const TIMES: [(&str, &str); 2] = [
    (r#""ran_seconds":\d+"#, r#""ran_seconds":<few>"#),
    (r#""duration_ms":\d+"#, r#""duration_ms":<some>"#),
];

/// A model that waits at `gate` with every answer on this topic, after its first word.
fn waiting_on(topic: &'static str, gate: &Gate) -> Model {
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
