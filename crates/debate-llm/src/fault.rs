//! Failures in words. Nothing that came from a provider stands in them but names of errors, and
//! only where neither the key nor the prompt contains them.

use std::time::Duration;

use debate_app::llm::{Ask, LlmError};
use debate_core::{Failure, Usage};

pub(crate) fn transient(sentence: String, usage: Usage) -> LlmError {
    LlmError { failure: Failure::Transient { retry_after: None }, sentence, usage }
}

pub(crate) fn permanent(sentence: String, usage: Usage) -> LlmError {
    LlmError { failure: Failure::Permanent, sentence, usage }
}

/// What a provider calls its error: `type`, `code`, `param`, `status`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorNames(pub(crate) Vec<String>);

impl ErrorNames {
    /// The names of an error object as any of our providers writes it; none if `body` holds none.
    pub(crate) fn of(body: &serde_json::Value) -> Option<Self> {
        // Gemini wraps the object into an array where it was asked for a stream.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null())?;
        let fields = ["type", "status", "code", "param"].map(|field| error.get(field));
        let names = fields.into_iter().flatten().filter_map(serde_json::Value::as_str);
        Some(Self(names.map(str::to_owned).collect()))
    }

    /// Whether the error is one that passes; unknown ones may.
    pub(crate) fn failure(&self) -> Failure {
        const LASTING: [&str; 15] = [
            "authentication_error",
            "billing_error",
            "context_length_exceeded",
            "insufficient_quota",
            "invalid_api_key",
            "invalid_request_error",
            "model_not_found",
            "not_found_error",
            "permission_error",
            "request_too_large",
            "FAILED_PRECONDITION",
            "INVALID_ARGUMENT",
            "NOT_FOUND",
            "PERMISSION_DENIED",
            "UNAUTHENTICATED",
        ];
        if self.0.iter().any(|name| LASTING.contains(&name.as_str())) {
            Failure::Permanent
        } else {
            Failure::Transient { retry_after: None }
        }
    }

    /// The names as the end of a sentence: ` (overloaded_error)`.
    fn shown(&self, ask: &Ask, key: Option<&str>) -> String {
        let is_name = |name: &&String| {
            let of_case = |is_letter: fn(&u8) -> bool| {
                name.bytes().all(|byte| is_letter(&byte) || byte == b'_' || byte == b'.')
            };
            (1..=64).contains(&name.len())
                && (of_case(u8::is_ascii_lowercase) || of_case(u8::is_ascii_uppercase))
                && !key.is_some_and(|key| key.contains(name.as_str()) || name.contains(key))
                && !ask.prompt.iter().any(|message| message.text.contains(name.as_str()))
        };
        let mut shown: Vec<&str> = self.0.iter().filter(is_name).map(String::as_str).collect();
        shown.dedup();
        if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
    }
}

/// A status other than success, as a failure.
pub(crate) fn of_status(
    status: u16,
    retry_after: Option<Duration>,
    names: &ErrorNames,
    ask: &Ask,
    key: Option<&str>,
) -> LlmError {
    let (model, names) = (&ask.model, names.shown(ask, key));
    let provider = model.provider();
    let (failure, sentence) = match status {
        300..=399 => (
            Failure::Permanent,
            format!("{provider} answered with a redirect ({status}), and none are followed"),
        ),
        401 | 403 => (
            Failure::Permanent,
            format!("{provider} did not accept the key, or not for {model}: {status}{names}"),
        ),
        404 => (Failure::Permanent, format!("{provider} does not know {model}: 404{names}")),
        408 | 409 | 425 => (
            Failure::Transient { retry_after },
            format!("{provider} could not answer just now: {status}{names}"),
        ),
        429 => (
            Failure::Transient { retry_after },
            format!("{provider} asks to be called less often: 429{names}"),
        ),
        500..=599 => (
            Failure::Transient { retry_after },
            format!("{provider} has trouble of its own: {status}{names}"),
        ),
        _ => (
            Failure::Permanent,
            format!("{provider} refused the request for {model}: {status}{names}"),
        ),
    };
    LlmError { failure, sentence, usage: Usage::NOTHING }
}

/// An error object where an answer was promised.
pub(crate) fn instead_of_an_answer(
    names: &ErrorNames,
    usage: Usage,
    ask: &Ask,
    key: Option<&str>,
) -> LlmError {
    let sentence = format!(
        "{} sent an error in place of an answer{}",
        ask.model.provider(),
        names.shown(ask, key)
    );
    LlmError { failure: names.failure(), sentence, usage }
}
