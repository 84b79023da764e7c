//! Google's `streamGenerateContent`.

use debate_app::llm::{Ask, Finish};
use debate_core::Speaker;
use serde_json::{Value, json};

use super::piece::{Complaint, Piece, parsed, text, tokens};

/// The body of a question; its model stands in the URL.
pub(super) fn body(ask: &Ask) -> Value {
    let mut system = Vec::new();
    let mut contents = Vec::new();
    for message in &ask.prompt {
        let part = json!({ "text": message.text });
        let role = match message.speaker {
            Speaker::System => {
                system.push(part);
                continue;
            }
            Speaker::User => "user",
            Speaker::Model => "model",
        };
        contents.push(json!({ "role": role, "parts": [part] }));
    }
    json!({
        "systemInstruction": { "parts": system },
        "contents": contents,
        "generationConfig": { "maxOutputTokens": ask.max_tokens.number() },
    })
}

/// What an event says.
pub(super) fn read(data: &[u8]) -> Result<Vec<Piece>, Complaint> {
    Ok(pieces(&parsed(data)?))
}

/// The pieces of a response that came as one JSON object, or as an array of the objects that a
/// stream would have sent.
pub(super) fn read_whole(body: &Value) -> Result<Vec<Piece>, Complaint> {
    let parts = body.as_array().map_or(std::slice::from_ref(body), Vec::as_slice);
    let is_response =
        |part: &Value| part.get("candidates").is_some() || part.get("promptFeedback").is_some();
    if !parts.iter().any(is_response) {
        return Err(Complaint::Malformed);
    }
    Ok(parts.iter().flat_map(pieces).collect())
}

fn pieces(event: &Value) -> Vec<Piece> {
    let mut pieces = Vec::new();
    pieces.extend(text(event.get("modelVersion")).map(Piece::Model));
    if event.pointer("/promptFeedback/blockReason").is_some() {
        pieces.push(Piece::Finish(Finish::Refused));
    }
    if let Some(candidate) = event.pointer("/candidates/0") {
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        let aloud = |part: &&Value| part.get("thought") != Some(&Value::Bool(true));
        let said = parts.into_iter().flatten().filter(aloud);
        pieces.extend(said.filter_map(|part| text(part.get("text"))).map(Piece::Text));
        let reason = text(candidate.get("finishReason"));
        pieces.extend(reason.map(|reason| Piece::Finish(finish(&reason))));
    }
    let usage = event.get("usageMetadata");
    let count = |field| tokens(usage.and_then(|usage| usage.get(field)));
    pieces.extend(count("promptTokenCount").map(Piece::PromptTokens));
    // Thoughts are paid for like words, also where no word came of them.
    let spent = [count("candidatesTokenCount"), count("thoughtsTokenCount")];
    let spent = spent.into_iter().flatten().reduce(u32::saturating_add);
    pieces.extend(spent.map(Piece::CompletionTokens));
    pieces
}

fn finish(reason: &str) -> Finish {
    match reason {
        "STOP" => Finish::Complete,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            Finish::Refused
        }
        // `MAX_TOKENS`, and whatever else is not a model that had said all it wanted.
        _ => Finish::Truncated,
    }
}

#[cfg(test)]
mod tests {
    use super::{Finish, Piece, read};

    #[test]
    fn thoughts_are_paid_for_and_not_said() {
        let event = br#"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},
            {"text":"Yes."}]},"finishReason":"STOP"}],"modelVersion":"g-2",
            "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,
            "thoughtsTokenCount":9}}"#;
        let expected = vec![
            Piece::Model("g-2".to_owned()),
            Piece::Text("Yes.".to_owned()),
            Piece::Finish(Finish::Complete),
            Piece::PromptTokens(5),
            Piece::CompletionTokens(11),
        ];
        assert_eq!(read(event), Ok(expected));
    }

    #[test]
    fn a_blocked_prompt_and_a_blocked_answer_are_refusals() {
        let prompt = read(br#"{"promptFeedback":{"blockReason":"SAFETY"}}"#);
        assert_eq!(prompt, Ok(vec![Piece::Finish(Finish::Refused)]));
        let answer = read(br#"{"candidates":[{"finishReason":"RECITATION"}]}"#);
        assert_eq!(answer, Ok(vec![Piece::Finish(Finish::Refused)]));
    }
}
