//! The port to model providers, and the channel for an answer while it is generated.

use async_trait::async_trait;
use debate_core::{CallFailure, CallTokens, ModelName, Prompt, TokenCount, Usage};
use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};
use tokio::time::Instant;

/// Calls models. One call is one attempt: an implementation never retries, so that every attempt
/// can be recorded before it is made. Dropping the future cancels the call.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Checks that a model is configured; the error lists the models that are.
    fn check_model(&self, model: &ModelName) -> Result<(), UnknownModel>;

    /// The configured models. A provider of which any model can be called is listed once, with
    /// the literal word `MODEL`: `openai:MODEL`.
    fn configured_models(&self) -> Vec<String>;

    /// Makes one call. The text goes to `deltas` as it arrives, and the answer contains all of it.
    /// Reported usage is capped at [`LlmRequest::max_usage`], in answers and in errors.
    async fn call(&self, request: LlmRequest, deltas: DeltaSender) -> Result<Answer, LlmError>;
}

/// A request to a model.
#[derive(Debug, Clone)]
pub struct LlmRequest {
    /// The model to call.
    pub model: ModelName,
    /// The messages that the model receives.
    pub prompt: Prompt,
    /// The maximum number of completion tokens.
    pub max_tokens: CallTokens,
    /// The time by which the answer must be complete.
    pub deadline: Instant,
}

impl LlmRequest {
    /// The most tokens that the call can use.
    #[must_use]
    pub fn max_usage(&self) -> TokenCount {
        TokenCount::max_for(&self.prompt, self.max_tokens)
    }
}

/// The reason why a model stopped generating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FinishReason {
    /// The answer is complete.
    Complete,
    /// The answer reached `max_tokens`.
    Truncated,
    /// The model or its provider declined to answer.
    Refused,
}

/// The answer of a model. Only a refusal may have a blank text; no text contains U+0000.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// All text that the model generated.
    pub text: String,
    /// The reason why the text ends: it is complete, truncated, or a refusal.
    pub finish_reason: FinishReason,
    /// The tokens that the provider reported. Accounting takes the maximum for a count that is not
    /// reported ([`Usage::or_max`]).
    pub usage: Usage,
    /// The model that answered, as the provider names it, if it does.
    pub model: Option<String>,
}

/// Shows the size of the text only: content never reaches a log.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("bytes", &self.text.len())
            .field("finish_reason", &self.finish_reason)
            .field("usage", &self.usage)
            .field("model", &self.model)
            .finish()
    }
}

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LlmError {
    /// The kind of failure. It decides whether a retry may succeed, and how long to wait before it.
    pub failure: CallFailure,
    /// The error for users, without any key and without any part of the prompt.
    pub message: String,
    /// The tokens that the call used: zero if the provider rejected it, unreported if an answer had
    /// or may have begun.
    pub usage: Usage,
}

/// A model that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} is not configured; configured models: {}", .configured.join(", "))]
pub struct UnknownModel {
    /// The model that was requested.
    pub model: ModelName,
    /// The result of [`Llm::configured_models`].
    pub configured: Vec<String>,
}

/// The sending side of a bounded channel for the text of an answer in progress.
///
/// A full channel must not delay the provider, and the queue must not grow without a limit. So a
/// piece that finds the channel full is kept and sent together with the next one. Text that is
/// still unsent at the end is never sent: the receiver gets it from the complete [`Answer`].
pub struct DeltaSender {
    sender: Sender<String>,
    unsent: String,
}

/// Shows the size of the text only: content never reaches a log.
impl std::fmt::Debug for DeltaSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeltaSender({} unsent bytes)", self.unsent.len())
    }
}

impl DeltaSender {
    /// A channel that holds at most `capacity` pieces, and at least one.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, Receiver<String>) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self { sender, unsent: String::new() }, receiver)
    }

    /// A channel without a receiver.
    #[must_use]
    pub fn without_receiver() -> Self {
        Self::new(1).0
    }

    /// Sends the next piece of the answer.
    pub fn push(&mut self, piece: &str) {
        if self.sender.is_closed() {
            return;
        }
        self.unsent.push_str(piece);
        if self.unsent.is_empty() {
            return;
        }
        match self.sender.try_send(std::mem::take(&mut self.unsent)) {
            Err(TrySendError::Full(pieces)) => self.unsent = pieces,
            Ok(()) | Err(TrySendError::Closed(_)) => {}
        }
    }
}
