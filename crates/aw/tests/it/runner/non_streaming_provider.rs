//! Providers that answer with complete JSON bodies instead of streams.

use aw_testbed::{Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::support::{Run, with_model};

/// A completion without a stream, with the text that `ScriptStep::debate` would stream.
fn completion(asked: &ModelRequest) -> Vec<ScriptStep> {
    let text = ScriptStep::debate(asked).into_iter().find_map(|play| match play {
        ScriptStep::Say(text) => Some(text),
        ScriptStep::End(..) | ScriptStep::EndWith(_) | ScriptStep::Wait(_) | ScriptStep::Raw(_) => {
            None
        }
    });
    let usage = json!({ "prompt_tokens": 11, "completion_tokens": 7 });
    let body = json!({
        "model": "imitated-whole",
        "choices": [{ "index": 0, "finish_reason": "stop",
                      "message": { "role": "assistant", "content": text } }],
        "usage": usage,
    });
    ScriptStep::status("200 OK", "", &body)
}

#[tokio::test]
async fn run_completes_with_a_provider_that_does_not_stream() {
    let model = Model::start(completion).expect("a port is free");
    let server = with_model(&model).start().await;
    let run = Run::create(&server, "Tea", json!({ "max_rounds": 1 })).await;
    run.command("start").await;
    run.until("completed").await;
    let story = run.read().await;
    let turns = story["turns"].as_array().expect("turns are a list");
    let shown: Vec<(&Value, &Value)> =
        turns.iter().map(|turn| (&turn["model"], &turn["usage"])).collect();
    let usage = json!({ "prompt_tokens": 11, "completion_tokens": 7 });
    let named = json!("imitated-whole");
    assert_eq!(shown, vec![(&named, &usage); 3]);
    assert_eq!(turns[0]["content"], "Argument of A in round 1.");
    assert_eq!(model.requests().len(), 3, "each call succeeds at once");
}

#[tokio::test]
async fn verdict_is_labelled_in_the_output_language() {
    let model = Model::start(completion).expect("a port is free");
    let server = with_model(&model).start().await;
    for (tag, labels) in [
        ("en", "Winner: A\nScores: A=7, B=5\n\n"),
        ("zh-TW", "勝者: A\n分數: A=7, B=5\n\n"),
        ("zh-CN", "胜者: A\n分数: A=7, B=5\n\n"),
    ] {
        let settings = json!({ "max_rounds": 1, "output_language": tag });
        let run = Run::create(&server, "Tea", settings).await;
        run.command("start").await;
        run.until("completed").await;
        let story = run.read().await;
        let content = story["turns"][2]["content"].as_str().expect("content is text");
        assert!(content.starts_with(labels), "{tag}: {content}");
    }
}
