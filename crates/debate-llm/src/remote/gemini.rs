//! Google's `streamGenerateContent`.

use debate_app::llm::{FinishReason, LlmRequest};
use debate_core::MessageRole;
use serde_json::{Value, json};

use super::answer_part::{AnswerPart, EventError, non_empty_string, parse_json, token_count};

/// The body of a request; the model is in the path.
pub(super) fn body(request: &LlmRequest) -> Value {
    let mut system = Vec::new();
    let mut contents = Vec::new();
    for message in &request.prompt {
        let part = json!({ "text": message.text });
        let role = match message.role {
            MessageRole::System => {
                system.push(part);
                continue;
            }
            MessageRole::User => "user",
            MessageRole::Assistant => "model",
        };
        contents.push(json!({ "role": role, "parts": [part] }));
    }
    json!({
        "systemInstruction": { "parts": system },
        "contents": contents,
        "generationConfig": { "maxOutputTokens": request.max_tokens.number() },
    })
}

/// The parts in the data of one event.
pub(super) fn parse_event(data: &[u8]) -> Result<Vec<AnswerPart>, EventError> {
    Ok(parts(&parse_json(data)?))
}

/// The parts of a response that came as one JSON object, or as an array of the objects that a
/// stream would have sent.
pub(super) fn parse_response(body: &Value) -> Result<Vec<AnswerPart>, EventError> {
    let events = body.as_array().map_or(std::slice::from_ref(body), Vec::as_slice);
    let is_response =
        |event: &Value| event.get("candidates").is_some() || event.get("promptFeedback").is_some();
    if !events.iter().any(is_response) {
        return Err(EventError::Malformed);
    }
    Ok(events.iter().flat_map(parts).collect())
}

fn parts(event: &Value) -> Vec<AnswerPart> {
    let mut parts = Vec::new();
    parts.extend(non_empty_string(event.get("modelVersion")).map(AnswerPart::Model));
    if event.pointer("/promptFeedback/blockReason").is_some() {
        parts.push(AnswerPart::Finish(FinishReason::Refused));
    }
    if let Some(candidate) = event.pointer("/candidates/0") {
        let content = candidate.pointer("/content/parts").and_then(Value::as_array);
        let is_thought = |part: &Value| part.get("thought") == Some(&Value::Bool(true));
        let visible = content.into_iter().flatten().filter(|part| !is_thought(part));
        parts.extend(
            visible.filter_map(|part| non_empty_string(part.get("text"))).map(AnswerPart::Text),
        );
        let reason = non_empty_string(candidate.get("finishReason"));
        parts.extend(reason.map(|reason| AnswerPart::Finish(parse_finish_reason(&reason))));
    }
    let usage = event.get("usageMetadata");
    let count = |field| token_count(usage.and_then(|usage| usage.get(field)));
    parts.extend(count("promptTokenCount").map(AnswerPart::PromptTokens));
    // Thoughts cost as much as text, also if no text follows.
    let spent = [count("candidatesTokenCount"), count("thoughtsTokenCount")];
    let spent = spent.into_iter().flatten().reduce(u32::saturating_add);
    parts.extend(spent.map(AnswerPart::CompletionTokens));
    parts
}

fn parse_finish_reason(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Complete,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            FinishReason::Refused
        }
        // `MAX_TOKENS`, and every other reason than a complete answer.
        _ => FinishReason::Truncated,
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerPart, FinishReason, parse_event};

    #[test]
    fn thought_tokens_count_as_usage_and_are_not_text() {
        let event = br#"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},
            {"text":"Yes."}]},"finishReason":"STOP"}],"modelVersion":"g-2",
            "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,
            "thoughtsTokenCount":9}}"#;
        let expected = vec![
            AnswerPart::Model("g-2".to_owned()),
            AnswerPart::Text("Yes.".to_owned()),
            AnswerPart::Finish(FinishReason::Complete),
            AnswerPart::PromptTokens(5),
            AnswerPart::CompletionTokens(11),
        ];
        assert_eq!(parse_event(event), Ok(expected));
    }

    #[test]
    fn blocked_prompt_or_answer_is_a_refusal() {
        let prompt = parse_event(br#"{"promptFeedback":{"blockReason":"SAFETY"}}"#);
        assert_eq!(prompt, Ok(vec![AnswerPart::Finish(FinishReason::Refused)]));
        let answer = parse_event(br#"{"candidates":[{"finishReason":"RECITATION"}]}"#);
        assert_eq!(answer, Ok(vec![AnswerPart::Finish(FinishReason::Refused)]));
    }
}
