//! Errors of calls. Of a provider's response they quote only the error codes, and only if
//! neither the key nor the prompt contains them.

use std::time::Duration;

use debate_app::llm::{LlmError, LlmRequest};
use debate_core::{CallFailure, ModelName, Usage};

use crate::config::ProviderKind;

/// The provider of `model` as messages name it: in its own spelling if it is a standard provider,
/// otherwise by the operator's name for it.
pub(crate) fn provider(model: &ModelName) -> &str {
    match ProviderKind::from_name(model.provider()) {
        Some(kind) => kind.display_name(),
        None => model.provider(),
    }
}

pub(crate) fn transient(message: String, usage: Usage) -> LlmError {
    LlmError { failure: CallFailure::Transient { retry_after: None }, message, usage }
}

pub(crate) fn permanent(message: String, usage: Usage) -> LlmError {
    LlmError { failure: CallFailure::Permanent, message, usage }
}

/// The codes of a provider's error: its fields `type`, `status`, `code` and `param`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorCodes(pub(crate) Vec<String>);

impl ErrorCodes {
    /// The codes of an error object in any of the protocols; none if `body` has no error object.
    pub(crate) fn from_body(body: &serde_json::Value) -> Option<Self> {
        // Gemini wraps the object into an array if the request was for a stream.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null())?;
        let fields = ["type", "status", "code", "param"].map(|field| error.get(field));
        let codes = fields.into_iter().flatten().filter_map(serde_json::Value::as_str);
        Some(Self(codes.map(str::to_owned).collect()))
    }

    /// Whether a retry can succeed; true for unknown errors.
    pub(crate) fn failure(&self) -> CallFailure {
        const PERMANENT: [&str; 15] = [
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
        if self.0.iter().any(|code| PERMANENT.contains(&code.as_str())) {
            CallFailure::Permanent
        } else {
            CallFailure::Transient { retry_after: None }
        }
    }

    /// The end of a message: ` (429, rate_limit_error)`. Codes that could repeat the key or the
    /// prompt are left out.
    fn describe(&self, status: Option<u16>, request: &LlmRequest, key: Option<&str>) -> String {
        let is_printable = |code: &&String| {
            let of_case = |is_letter: fn(&u8) -> bool| {
                code.bytes().all(|byte| is_letter(&byte) || byte == b'_' || byte == b'.')
            };
            (1..=64).contains(&code.len())
                && (of_case(u8::is_ascii_lowercase) || of_case(u8::is_ascii_uppercase))
                && !key.is_some_and(|key| key.contains(code.as_str()) || code.contains(key))
                && !request.prompt.iter().any(|message| message.text.contains(code.as_str()))
        };
        let mut codes: Vec<&str> = self.0.iter().filter(is_printable).map(String::as_str).collect();
        codes.dedup();
        let status = status.map(|status| status.to_string());
        let shown: Vec<&str> = status.as_deref().into_iter().chain(codes).collect();
        if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
    }
}

/// The error for a status other than success.
pub(crate) fn from_status(
    status: u16,
    retry_after: Option<Duration>,
    codes: &ErrorCodes,
    request: &LlmRequest,
    key: Option<&str>,
) -> LlmError {
    let (provider, model) = (provider(&request.model), request.model.model());
    let why = codes.describe(Some(status), request, key);
    let (failure, message) = match status {
        300..=399 => (
            CallFailure::Permanent,
            format!("{provider} sent a redirect, which is not followed; check the base URL{why}"),
        ),
        401 | 403 => (
            CallFailure::Permanent,
            format!("{provider} rejected the API key, or the key has no access to {model}{why}"),
        ),
        404 => (
            CallFailure::Permanent,
            format!("{provider} has no model {model}, or its base URL is wrong{why}"),
        ),
        408 | 409 | 425 => (
            CallFailure::Transient { retry_after },
            format!("{provider} could not process the request{why}"),
        ),
        429 => {
            (CallFailure::Transient { retry_after }, format!("{provider} rate limit reached{why}"))
        }
        500..=599 => (
            CallFailure::Transient { retry_after },
            format!("{provider} returned a server error{why}"),
        ),
        _ => (CallFailure::Permanent, format!("{provider} rejected the request for {model}{why}")),
    };
    LlmError { failure, message, usage: Usage::ZERO }
}

/// The error for an error object in a successful response.
pub(crate) fn from_error_object(
    codes: &ErrorCodes,
    usage: Usage,
    request: &LlmRequest,
    key: Option<&str>,
) -> LlmError {
    let (provider, why) = (provider(&request.model), codes.describe(None, request, key));
    let message = format!("{provider} sent an error instead of an answer{why}");
    LlmError { failure: codes.failure(), message, usage }
}
