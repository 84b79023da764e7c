//! What a model is asked about a text: our own words, and the text as fenced data.

use crate::{Fence, Message, Prompt, Speaker};

/// Which texts the model is asked with; part of what a verdict is kept under.
pub const CLASSIFIER_VERSION: &str = "guardrail-v1";

const ROLE: &str = include_str!("../../../prompts/guardrail-v1/classifier.md");
const TASK: &str = include_str!("../../../prompts/guardrail-v1/classifier-task.md");

/// What a model is asked about `text`. The fence must be random and new. Nothing but the text is
/// told: who wrote it must not count.
#[must_use]
pub fn classifier_prompt(text: &str, fence: &Fence) -> Prompt {
    let (begin, end) = (fence.begin(), fence.end());
    let role = ROLE.replace("{{begin}}", &begin).replace("{{end}}", &end);
    let data = format!("{{\"text\":{}}}", fence.quoted(text));
    let question = format!("{begin}\n{data}\n{end}\n\n{}", TASK.trim_end());
    vec![
        Message { speaker: Speaker::System, text: role.trim_end().to_owned() },
        Message { speaker: Speaker::User, text: question },
    ]
}
