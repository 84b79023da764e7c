//! The classifier's prompt: fixed instructions, and the text to review as fenced data.

use crate::{Fence, Message, Prompt, Speaker};

/// The version of the prompt texts, and part of the key of a cached verdict. The files of earlier
/// versions are kept unchanged.
pub const CLASSIFIER_VERSION: &str = "guardrail-v2";

const ROLE: &str = include_str!("../../../prompts/guardrail-v2/classifier.md");
const TASK: &str = include_str!("../../../prompts/guardrail-v2/classifier-task.md");

/// The prompt that asks a model to review `text`. The fence must be random and used once. The
/// prompt does not name the author, who must not influence the result.
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
