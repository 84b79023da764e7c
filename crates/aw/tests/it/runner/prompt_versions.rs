//! A run keeps the prompt version that it was created with.

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::json;

use crate::support::{Run, with_model};

/// A phrase of each version's prompts that the other version does not contain: debater, judge.
const SENTENCES: [(&str, [&str; 2]); 2] = [
    ("v1", ["whatever you think of it yourself.", "not which side you would like to be right."]),
    ("v2", ["regardless of your own opinion.", "not which side you agree with."]),
];

#[tokio::test]
async fn new_run_uses_v2_and_a_run_created_with_v1_continues_with_v1() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let setup = with_model(&model);
    // Without workers no turn is written before the restart.
    let before = setup.clone().env("RUNNER_WORKERS", "0").start().await;
    let settings = json!({ "max_rounds": 1, "prompt_version": "v1" });
    let earlier = Run::create(&before, "v1", settings).await.id;
    let newer = Run::create(&before, "v2", json!({ "max_rounds": 1 })).await.id;
    drop(before);
    let server = setup.start().await;
    for (id, version) in [(earlier, "v1"), (newer, "v2")] {
        let run = Run { server: &server, id };
        assert_eq!(run.debate().await["settings"]["prompt_version"], version);
        run.command("start").await;
        run.until("completed").await;
    }
    let asked = model.requests();
    assert_eq!(asked.len(), 6, "three calls for each run");
    for call in asked {
        let role = usize::from(call.is_for_judge());
        let used = SENTENCES.into_iter().filter(|(_, texts)| call.text().contains(texts[role]));
        // The topic names the version that the run was created with.
        assert_eq!(used.map(|(version, _)| version).collect::<Vec<_>>(), [call.topic()]);
    }
}

#[tokio::test]
async fn verdict_is_requested_again_with_the_prompt_version_of_the_run() {
    let script = |asked: &ModelRequest| match asked.data()["task"].as_str() {
        Some("judge") => ScriptStep::answer("no verdict", 5),
        _ => ScriptStep::debate(asked),
    };
    let model = Model::start(script);
    let model = model.expect("a port is free");
    let server = with_model(&model).start().await;
    for (version, opening) in
        [("v1", "That was no valid verdict: "), ("v2", "Your reply is not a valid verdict: ")]
    {
        let settings = json!({ "max_rounds": 1, "prompt_version": version });
        let run = Run::create(&server, version, settings).await;
        run.command("start").await;
        run.until("completed").await;
        let last = model.requests().pop().expect("the judge was asked twice");
        assert!(last.text().contains(opening), "{version}: {}", last.text());
    }
}
