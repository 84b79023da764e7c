//! The parts of an answer, common to all protocols. Each protocol turns its events into these.

use debate_app::llm::Finish;
use serde_json::Value;

use crate::error::ErrorNames;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerPart {
    /// The next part of the text.
    Text(String),
    /// The next text of a refusal.
    Refusal(String),
    /// The name of the model that answers.
    Model(String),
    /// The tokens of the prompt.
    PromptTokens(u32),
    /// The tokens of the whole answer.
    CompletionTokens(u32),
    /// Why the model stopped.
    Finish(Finish),
    /// The stream has nothing more to send.
    End,
}

/// An event without parts of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PartError {
    /// It is an error of the provider.
    Error(ErrorNames),
    /// The protocol does not know it.
    Malformed,
}

/// An event's data as JSON, unless it is an error.
pub(super) fn parse_json(data: &[u8]) -> Result<Value, PartError> {
    let event: Value = serde_json::from_slice(data).map_err(|_| PartError::Malformed)?;
    match ErrorNames::from_body(&event) {
        Some(names) => Err(PartError::Error(names)),
        None if event.is_object() => Ok(event),
        None => Err(PartError::Malformed),
    }
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub(super) fn tokens(value: Option<&Value>) -> Option<u32> {
    let count = value.and_then(Value::as_u64)?;
    Some(u32::try_from(count).unwrap_or(u32::MAX))
}
