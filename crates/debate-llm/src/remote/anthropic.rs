//! Anthropic's messages.

use debate_app::llm::{FinishReason, LlmRequest};
use debate_core::MessageRole;
use serde_json::{Value, json};

use super::answer_part::{AnswerPart, EventError, non_empty_string, parse_json, token_count};

/// The version of the protocol that is spoken here.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a request.
pub(super) fn body(request: &LlmRequest) -> Value {
    let mut system = Vec::new();
    let mut messages = Vec::new();
    for message in &request.prompt {
        let role = match message.role {
            MessageRole::System => {
                system.push(json!({ "type": "text", "text": message.text }));
                continue;
            }
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        messages.push(json!({ "role": role, "content": message.text }));
    }
    json!({
        "model": request.model.model(),
        "system": system,
        "messages": messages,
        "max_tokens": request.max_tokens.number(),
        "stream": true,
    })
}

/// The parts in the data of one event. Only the last count of output tokens is final: the first is
/// sent when the answer begins.
pub(super) fn parse_event(data: &[u8]) -> Result<Vec<AnswerPart>, EventError> {
    let event = parse_json(data)?;
    let mut parts = Vec::new();
    match event.get("type").and_then(Value::as_str) {
        Some("message_start") => {
            parts.extend(non_empty_string(event.pointer("/message/model")).map(AnswerPart::Model));
            let usage = event.pointer("/message/usage");
            parts.extend(prompt_tokens(usage).map(AnswerPart::PromptTokens));
        }
        Some("content_block_delta") => {
            parts.extend(non_empty_string(event.pointer("/delta/text")).map(AnswerPart::Text));
        }
        Some("message_delta") => {
            let count = token_count(event.pointer("/usage/output_tokens"));
            parts.extend(count.map(AnswerPart::CompletionTokens));
            let reason = non_empty_string(event.pointer("/delta/stop_reason"));
            parts.extend(reason.map(|reason| AnswerPart::Finish(parse_finish_reason(&reason))));
        }
        Some("message_stop") => parts.push(AnswerPart::End),
        // `ping`, the bounds of blocks, and what later versions add.
        Some(_) => {}
        None => return Err(EventError::Malformed),
    }
    Ok(parts)
}

/// The parts of a message that came as one JSON object.
pub(super) fn parse_response(body: &Value) -> Result<Vec<AnswerPart>, EventError> {
    let blocks = body.get("content").and_then(Value::as_array).ok_or(EventError::Malformed)?;
    let mut parts = Vec::new();
    parts.extend(non_empty_string(body.get("model")).map(AnswerPart::Model));
    parts.extend(
        blocks.iter().filter_map(|block| non_empty_string(block.get("text"))).map(AnswerPart::Text),
    );
    parts.extend(prompt_tokens(body.get("usage")).map(AnswerPart::PromptTokens));
    let count = token_count(body.pointer("/usage/output_tokens"));
    parts.extend(count.map(AnswerPart::CompletionTokens));
    let reason = non_empty_string(body.get("stop_reason"));
    parts.extend(reason.map(|reason| AnswerPart::Finish(parse_finish_reason(&reason))));
    Ok(parts)
}

fn prompt_tokens(usage: Option<&Value>) -> Option<u32> {
    let usage = usage?;
    let plain = token_count(usage.get("input_tokens"))?;
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|part| token_count(usage.get(part)).unwrap_or_default());
    Some(cached.into_iter().fold(plain, u32::saturating_add))
}

fn parse_finish_reason(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" => FinishReason::Complete,
        "refusal" => FinishReason::Refused,
        // `max_tokens`, and every other reason than a complete answer.
        _ => FinishReason::Truncated,
    }
}
