//! Anthropic's messages.

use debate_app::llm::{Ask, Finish};
use debate_core::Speaker;
use serde_json::{Value, json};

use super::piece::{Complaint, Piece, parsed, text, tokens};

/// The version of the protocol that is spoken here.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a question.
pub(super) fn body(ask: &Ask) -> Value {
    let mut system = Vec::new();
    let mut messages = Vec::new();
    for message in &ask.prompt {
        let role = match message.speaker {
            Speaker::System => {
                system.push(json!({ "type": "text", "text": message.text }));
                continue;
            }
            Speaker::User => "user",
            Speaker::Model => "assistant",
        };
        messages.push(json!({ "role": role, "content": message.text }));
    }
    json!({
        "model": ask.model.model(),
        "system": system,
        "messages": messages,
        "max_tokens": ask.max_tokens.number(),
        "stream": true,
    })
}

/// What an event says. Of the output's tokens only the last count is one: the first is of an answer
/// that has hardly begun.
pub(super) fn read(data: &[u8]) -> Result<Vec<Piece>, Complaint> {
    let event = parsed(data)?;
    let mut pieces = Vec::new();
    match event.get("type").and_then(Value::as_str) {
        Some("message_start") => {
            pieces.extend(text(event.pointer("/message/model")).map(Piece::Model));
            let usage = event.pointer("/message/usage");
            pieces.extend(prompt_tokens(usage).map(Piece::PromptTokens));
        }
        Some("content_block_delta") => {
            pieces.extend(text(event.pointer("/delta/text")).map(Piece::Text));
        }
        Some("message_delta") => {
            let count = tokens(event.pointer("/usage/output_tokens"));
            pieces.extend(count.map(Piece::CompletionTokens));
            let reason = text(event.pointer("/delta/stop_reason"));
            pieces.extend(reason.map(|reason| Piece::Finish(finish(&reason))));
        }
        Some("message_stop") => pieces.push(Piece::End),
        // `ping`, the bounds of blocks, and what later versions add.
        Some(_) => {}
        None => return Err(Complaint::Malformed),
    }
    Ok(pieces)
}

/// The pieces of a message that came as one JSON object.
pub(super) fn read_whole(body: &Value) -> Result<Vec<Piece>, Complaint> {
    let blocks = body.get("content").and_then(Value::as_array).ok_or(Complaint::Malformed)?;
    let mut pieces = Vec::new();
    pieces.extend(text(body.get("model")).map(Piece::Model));
    pieces.extend(blocks.iter().filter_map(|block| text(block.get("text"))).map(Piece::Text));
    pieces.extend(prompt_tokens(body.get("usage")).map(Piece::PromptTokens));
    let count = tokens(body.pointer("/usage/output_tokens"));
    pieces.extend(count.map(Piece::CompletionTokens));
    let reason = text(body.get("stop_reason"));
    pieces.extend(reason.map(|reason| Piece::Finish(finish(&reason))));
    Ok(pieces)
}

fn prompt_tokens(usage: Option<&Value>) -> Option<u32> {
    let usage = usage?;
    let plain = tokens(usage.get("input_tokens"))?;
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|part| tokens(usage.get(part)).unwrap_or_default());
    Some(cached.into_iter().fold(plain, u32::saturating_add))
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" => Finish::Complete,
        "refusal" => Finish::Refused,
        // `max_tokens`, and whatever else is not a model that had said all it wanted.
        _ => Finish::Truncated,
    }
}
