//! The classifier: its prompt, with the text to review as fenced data, and the key of a cached
//! assessment.

use super::normalize::normalize;
use crate::{Fence, Fingerprint, Message, MessageRole, Prompt};

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
    let data = format!("{{\"text\":{}}}", fence.quote(text));
    let question = format!("{begin}\n{data}\n{end}\n\n{}", TASK.trim_end());
    vec![
        Message { role: MessageRole::System, text: role.trim_end().to_owned() },
        Message { role: MessageRole::User, text: question },
    ]
}

/// The key of a cached assessment: a digest of the normalized text, the version of the rules, the
/// model and the version of the prompt. Texts that differ only in case or spacing share an
/// assessment; after a change of the rules or the model a text is assessed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AssessmentKey([u8; 32]);

impl AssessmentKey {
    /// The key of `text` under these rules and this model.
    #[must_use]
    pub fn new(text: &str, rules_version: &str, model: &str) -> Self {
        let digest = Fingerprint::from_fields(&[
            normalize(text).as_bytes(),
            rules_version.as_bytes(),
            model.as_bytes(),
            CLASSIFIER_VERSION.as_bytes(),
        ]);
        Self(*digest.as_bytes())
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
