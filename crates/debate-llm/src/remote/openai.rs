//! OpenAI's chat completions, also spoken by compatible servers.

use debate_app::llm::{FinishReason, LlmRequest};
use debate_core::MessageRole;
use debate_net::BaseUrl;
use serde_json::{Value, json};

use super::answer_part::{AnswerPart, EventError, non_empty_string, parse_json, token_count};

/// The body of a request to the provider at `base`.
pub(super) fn body(request: &LlmRequest, base: &BaseUrl) -> Value {
    let messages: Vec<Value> = request
        .prompt
        .iter()
        .map(|message| {
            let role = match message.role {
                MessageRole::System => "system",
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
            };
            json!({ "role": role, "content": message.text })
        })
        .collect();
    json!({
        "model": request.model.model(),
        "messages": messages,
        token_limit_name(base): request.max_tokens.number(),
        "stream": true,
        "stream_options": { "include_usage": true },
    })
}

/// The name of the field that limits the tokens of an answer. OpenAI's newer models refuse the old
/// name; most compatible servers know only that one.
fn token_limit_name(base: &BaseUrl) -> &'static str {
    match base.host.as_str() {
        "api.openai.com" => "max_completion_tokens",
        _ => "max_tokens",
    }
}

/// The parts in the data of one event.
pub(super) fn parse_event(data: &[u8]) -> Result<Vec<AnswerPart>, EventError> {
    if data.trim_ascii() == b"[DONE]" {
        return Ok(vec![AnswerPart::End]);
    }
    parts(&parse_json(data)?, "delta")
}

/// The parts of a completion that came as one JSON object.
pub(super) fn parse_response(body: &Value) -> Result<Vec<AnswerPart>, EventError> {
    match body.pointer("/choices/0/message") {
        Some(_) => parts(body, "message"),
        None => Err(EventError::Malformed),
    }
}

/// The parts of an event or a whole completion, whose choices have the text in `field`.
fn parts(event: &Value, field: &str) -> Result<Vec<AnswerPart>, EventError> {
    let mut parts = Vec::new();
    parts.extend(non_empty_string(event.get("model")).map(AnswerPart::Model));
    if let Some(choice) = event.pointer("/choices/0") {
        let message = choice.get(field);
        let text_of = |name| message.and_then(|message| message.get(name));
        parts.extend(non_empty_string(text_of("content")).map(AnswerPart::Text));
        parts.extend(non_empty_string(text_of("refusal")).map(AnswerPart::Refusal));
        if let Some(reason) = non_empty_string(choice.get("finish_reason")) {
            parts.push(AnswerPart::Finish(parse_finish_reason(&reason)?));
        }
    }
    parts.extend(token_count(event.pointer("/usage/prompt_tokens")).map(AnswerPart::PromptTokens));
    parts.extend(
        token_count(event.pointer("/usage/completion_tokens")).map(AnswerPart::CompletionTokens),
    );
    Ok(parts)
}

fn parse_finish_reason(reason: &str) -> Result<FinishReason, EventError> {
    match reason {
        "stop" => Ok(FinishReason::Complete),
        "content_filter" => Ok(FinishReason::Refused),
        // OpenRouter's reason for an answer that broke off upstream.
        "error" => Err(EventError::Malformed),
        // `length`, and every other reason than a complete answer.
        _ => Ok(FinishReason::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use debate_net::BaseUrl;

    use super::{AnswerPart, EventError, FinishReason, parse_event, token_limit_name};

    #[test]
    fn token_limit_has_the_name_that_the_server_accepts() {
        for (url, name) in [
            ("https://api.openai.com/v1", "max_completion_tokens"),
            ("http://127.0.0.1:11434/v1", "max_tokens"),
        ] {
            assert_eq!(token_limit_name(&BaseUrl::parse(url).expect("it is a URL")), name, "{url}");
        }
    }

    #[test]
    fn finish_reason_distinguishes_refusal_and_truncation() {
        let event = |choice: &str| parse_event(format!("{{\"choices\":[{choice}]}}").as_bytes());
        let refusal = event(r#"{"delta":{"refusal":"No."}}"#);
        assert_eq!(refusal, Ok(vec![AnswerPart::Refusal("No.".to_owned())]));
        for (reason, finish_reason) in [
            ("stop", FinishReason::Complete),
            ("length", FinishReason::Truncated),
            ("tool_calls", FinishReason::Truncated),
            ("content_filter", FinishReason::Refused),
        ] {
            let ended = event(&format!(r#"{{"delta":{{}},"finish_reason":"{reason}"}}"#));
            assert_eq!(ended, Ok(vec![AnswerPart::Finish(finish_reason)]));
        }
        let broke_off = event(r#"{"delta":{},"finish_reason":"error"}"#);
        assert_eq!(broke_off, Err(EventError::Malformed));
    }

    #[test]
    fn null_or_empty_delta_adds_no_text() {
        let event =
            br#"{"choices":[{"delta":{"content":null},"finish_reason":null}],"usage":null}"#;
        assert_eq!(parse_event(event), Ok(Vec::new()));
        assert_eq!(parse_event(br#"{"choices":[]}"#), Ok(Vec::new()));
        assert_eq!(parse_event(b" [DONE] "), Ok(vec![AnswerPart::End]));
        for malformed in [b"null".as_slice(), b"[1]", b"{", b"", b"\xff"] {
            assert_eq!(parse_event(malformed), Err(EventError::Malformed));
        }
    }
}
