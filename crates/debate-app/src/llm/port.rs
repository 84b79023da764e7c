//! Models, asked: what is wanted of a provider.

use async_trait::async_trait;
use debate_core::{CallFailure, CallTokens, ModelName, Prompt, TokenCount, Usage};
use tokio::time::Instant;

use super::Deltas;

/// Models, asked. One call is one attempt: nothing here tries again by itself, so that every
/// attempt can be recorded before it is made. A call is given up by dropping its future.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Whether a model can be asked for at all; if not, what can.
    fn knows(&self, model: &ModelName) -> Result<(), UnknownModel>;

    /// What can be asked for: `openai:MODEL` where any model of a provider can.
    fn configured(&self) -> Vec<String>;

    /// Asks once. What is said goes to `deltas` as it comes, and is whole in the answer. Reported
    /// usage is clipped to [`Ask::bound`], in answers and in errors.
    async fn ask(&self, ask: Ask, deltas: Deltas) -> Result<Answer, LlmError>;
}

/// One question.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Who is asked.
    pub model: ModelName,
    /// What.
    pub prompt: Prompt,
    /// How many tokens the answer may have.
    pub max_tokens: CallTokens,
    /// Until when it must be whole.
    pub deadline: Instant,
}

impl Ask {
    /// The most tokens that the call can use.
    #[must_use]
    pub fn bound(&self) -> TokenCount {
        TokenCount::bound(&self.prompt, self.max_tokens)
    }
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The model had said all it wanted.
    Complete,
    /// It was cut off.
    Truncated,
    /// The model, or its provider, declined.
    Refused,
}

/// What came back. The text is never blank, but for a refusal without words, and holds no U+0000.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was said.
    pub text: String,
    /// How it ended.
    pub finish: Finish,
    /// What it cost. What the provider did not tell counts as all that was allowed
    /// ([`Usage::charged`]).
    pub usage: Usage,
    /// Who answered, as the provider names it, if it does.
    pub model: Option<String>,
}

/// Leaves out what was said: content never reaches a log.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("bytes", &self.text.len())
            .field("finish", &self.finish)
            .field("usage", &self.usage)
            .field("model", &self.model)
            .finish()
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct LlmError {
    /// Whether to try again.
    pub failure: CallFailure,
    /// What happened, for a reader: without any key, and without a word of the prompt.
    pub sentence: String,
    /// What it cost nevertheless: nothing where the provider refused, not told where an answer had
    /// begun or might have.
    pub usage: Usage,
}

/// A model that nothing is configured for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} is not configured; configured models: {}", .configured.join(", "))]
pub struct UnknownModel {
    /// What was asked for.
    pub model: ModelName,
    /// What there is: `openai:MODEL` where any model of a provider can be asked for.
    pub configured: Vec<String>,
}
