//! The parts of an answer, common to the protocols of all providers (OpenAI, Anthropic, Gemini).
//! Each protocol turns its events into these.

use debate_app::llm::FinishReason;
use serde_json::Value;

use crate::error::ErrorCodes;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerPart {
    /// The next chunk of the text.
    Text(String),
    /// The next chunk of a refusal. It is text of the answer, and the answer counts as refused.
    Refusal(String),
    /// The name of the model that answers.
    Model(String),
    /// Number of prompt tokens.
    PromptTokens(u32),
    /// Number of completion tokens of the answer so far; the last count is that of the answer.
    CompletionTokens(u32),
    /// The reason why the model stopped.
    Finish(FinishReason),
    /// The stream has nothing more to send.
    End,
}

/// The reason why an event could not be turned into parts of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EventError {
    /// The event is an error of the provider.
    Error(ErrorCodes),
    /// Not valid JSON, or not an event of this protocol.
    Malformed,
}

/// The JSON object of an event, unless it is an error of the provider.
pub(super) fn parse_json(data: &[u8]) -> Result<Value, EventError> {
    let event: Value = serde_json::from_slice(data).map_err(|_| EventError::Malformed)?;
    match ErrorCodes::from_body(&event) {
        Some(codes) => Err(EventError::Error(codes)),
        None if event.is_object() => Ok(event),
        None => Err(EventError::Malformed),
    }
}

pub(super) fn non_empty_string(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub(super) fn token_count(value: Option<&Value>) -> Option<u32> {
    let count = value.and_then(Value::as_u64)?;
    Some(u32::try_from(count).unwrap_or(u32::MAX))
}
