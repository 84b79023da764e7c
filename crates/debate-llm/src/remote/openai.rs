//! OpenAI's chat completions, as OpenAI and the many that are compatible speak them.

use debate_app::llm::{Ask, Finish};
use debate_core::Speaker;
use reqwest::Url;
use serde_json::{Value, json};

use super::piece::{Complaint, Piece, parsed, text, tokens};

/// The body of a question to the provider at `base`.
pub(super) fn body(ask: &Ask, base: &Url) -> Value {
    let messages: Vec<Value> = ask
        .prompt
        .iter()
        .map(|message| {
            let role = match message.speaker {
                Speaker::System => "system",
                Speaker::User => "user",
                Speaker::Model => "assistant",
            };
            json!({ "role": role, "content": message.text })
        })
        .collect();
    // OpenAI's newer models refuse the old name, and most of the compatible know no other.
    let limit = match base.host_str() {
        Some("api.openai.com") => "max_completion_tokens",
        Some(_) | None => "max_tokens",
    };
    json!({
        "model": ask.model.model(),
        "messages": messages,
        limit: ask.max_tokens.number(),
        "stream": true,
        "stream_options": { "include_usage": true },
    })
}

/// What an event says.
pub(super) fn read(data: &[u8]) -> Result<Vec<Piece>, Complaint> {
    if data.trim_ascii() == b"[DONE]" {
        return Ok(vec![Piece::End]);
    }
    pieces(&parsed(data)?, "delta")
}

/// The pieces of a completion that came as one JSON object.
pub(super) fn read_whole(body: &Value) -> Result<Vec<Piece>, Complaint> {
    match body.pointer("/choices/0/message") {
        Some(_) => pieces(body, "message"),
        None => Err(Complaint::Malformed),
    }
}

/// The pieces of an event or a whole completion, whose choices hold the text in `part`.
fn pieces(event: &Value, part: &str) -> Result<Vec<Piece>, Complaint> {
    let mut pieces = Vec::new();
    pieces.extend(text(event.get("model")).map(Piece::Model));
    if let Some(choice) = event.pointer("/choices/0") {
        let said = choice.get(part);
        let field = |name| said.and_then(|said| said.get(name));
        pieces.extend(text(field("content")).map(Piece::Text));
        pieces.extend(text(field("refusal")).map(Piece::Refusal));
        if let Some(reason) = text(choice.get("finish_reason")) {
            pieces.push(Piece::Finish(finish(&reason)?));
        }
    }
    pieces.extend(tokens(event.pointer("/usage/prompt_tokens")).map(Piece::PromptTokens));
    pieces.extend(tokens(event.pointer("/usage/completion_tokens")).map(Piece::CompletionTokens));
    Ok(pieces)
}

fn finish(reason: &str) -> Result<Finish, Complaint> {
    match reason {
        "stop" => Ok(Finish::Complete),
        "content_filter" => Ok(Finish::Refused),
        // OpenRouter's word for an answer that broke off upstream.
        "error" => Err(Complaint::Malformed),
        // `length`, and whatever else is not a model that had said all it wanted.
        _ => Ok(Finish::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use super::{Complaint, Finish, Piece, read};

    #[test]
    fn a_refusal_and_a_cut_are_told_from_an_answer() {
        let event = |choice: &str| read(format!("{{\"choices\":[{choice}]}}").as_bytes());
        let refusal = event(r#"{"delta":{"refusal":"No."}}"#);
        assert_eq!(refusal, Ok(vec![Piece::Refusal("No.".to_owned())]));
        for (reason, finish) in [
            ("stop", Finish::Complete),
            ("length", Finish::Truncated),
            ("tool_calls", Finish::Truncated),
            ("content_filter", Finish::Refused),
        ] {
            let ended = event(&format!(r#"{{"delta":{{}},"finish_reason":"{reason}"}}"#));
            assert_eq!(ended, Ok(vec![Piece::Finish(finish)]));
        }
        let broke_off = event(r#"{"delta":{},"finish_reason":"error"}"#);
        assert_eq!(broke_off, Err(Complaint::Malformed));
    }

    #[test]
    fn what_is_null_or_empty_says_nothing() {
        let event =
            br#"{"choices":[{"delta":{"content":null},"finish_reason":null}],"usage":null}"#;
        assert_eq!(read(event), Ok(Vec::new()));
        assert_eq!(read(br#"{"choices":[]}"#), Ok(Vec::new()));
        assert_eq!(read(b" [DONE] "), Ok(vec![Piece::End]));
        for malformed in [b"null".as_slice(), b"[1]", b"{", b"", b"\xff"] {
            assert_eq!(read(malformed), Err(Complaint::Malformed));
        }
    }
}
