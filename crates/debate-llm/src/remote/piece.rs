//! What providers say, in one vocabulary: each dialect turns its events into these.

use debate_app::llm::Finish;
use serde_json::Value;

use crate::fault::ErrorNames;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The next words.
    Text(String),
    /// The next words of a refusal.
    Refusal(String),
    /// Who answers.
    Model(String),
    /// What the question cost.
    PromptTokens(u32),
    /// What the whole answer cost.
    CompletionTokens(u32),
    /// Why the model stopped.
    Finish(Finish),
    /// Nothing more will come.
    End,
}

/// What is wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// It says that something went wrong.
    Error(ErrorNames),
    /// It is nothing the dialect knows.
    Malformed,
}

/// An event's data as JSON, unless it is an error.
pub(super) fn parsed(data: &[u8]) -> Result<Value, Complaint> {
    let event: Value = serde_json::from_slice(data).map_err(|_| Complaint::Malformed)?;
    match ErrorNames::of(&event) {
        Some(names) => Err(Complaint::Error(names)),
        None if event.is_object() => Ok(event),
        None => Err(Complaint::Malformed),
    }
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub(super) fn tokens(value: Option<&Value>) -> Option<u32> {
    let count = value.and_then(Value::as_u64)?;
    Some(u32::try_from(count).unwrap_or(u32::MAX))
}
