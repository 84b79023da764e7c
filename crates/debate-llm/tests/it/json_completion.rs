//! Providers that answer with one JSON body in place of a stream.

use debate_app::llm::{Answer, FinishReason, LlmError};
use debate_core::{CallFailure, Usage};
use debate_llm::ProviderKind;

use crate::support::{Raw, Step, answer_to, providers_at, request, watched};

const REPORTED_USAGE: Usage = Usage::reported(12, 5);

const OPENAI: &str = r#"{"id":"c-1","object":"chat.completion","model":"m-2","choices":[
    {"index":0,"message":{"role":"assistant","content":"Tabs – ✓.","refusal":null},
     "finish_reason":"stop"}],
    "usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}}"#;

const ANTHROPIC: &str = r#"{"id":"msg-1","type":"message","role":"assistant","model":"m-2",
    "content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Tabs "},
               {"type":"text","text":"– ✓."}],"stop_reason":"end_turn",
    "usage":{"input_tokens":10,"cache_read_input_tokens":2,"output_tokens":5}}"#;

const GEMINI: &str = r#"{"candidates":[{"content":{"role":"model","parts":[
    {"text":"Hm.","thought":true},{"text":"Tabs – ✓."}]},"finishReason":"STOP"}],
    "usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":5},"modelVersion":"m-2"}"#;

const GEMINI_ARRAY: &str = r#"[{"candidates":[{"content":{"parts":[{"text":"Tabs "}]}}]},
    {"candidates":[{"content":{"parts":[{"text":"– ✓."}]},"finishReason":"STOP"}],
     "usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":5},"modelVersion":"m-2"}]"#;

fn body(content_type: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::send(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    ))]
}

async fn answer(kind: ProviderKind, text: &str) -> Result<Answer, LlmError> {
    answer_to(kind, body("application/json", text)).await
}

#[tokio::test]
async fn json_completion_is_accepted_with_its_usage_in_every_protocol() {
    for (kind, text) in [
        (ProviderKind::OpenAi, OPENAI),
        (ProviderKind::Ollama, OPENAI),
        (ProviderKind::Anthropic, ANTHROPIC),
        (ProviderKind::Gemini, GEMINI),
        (ProviderKind::Gemini, GEMINI_ARRAY),
    ] {
        for content_type in ["application/json", "application/json; charset=utf-8", "text/plain"] {
            let server = Raw::start(body(content_type, text)).await;
            let request = request(&format!("{}:some-model", kind.name()));
            let (answer, shown) = watched(&providers_at(&server.url), request).await;
            let answer = answer.unwrap_or_else(|err| panic!("{kind:?} {content_type}: {err}"));
            assert_eq!(answer.text, "Tabs – ✓.", "{kind:?}");
            assert_eq!(shown, answer.text, "{kind:?}");
            assert_eq!(
                (answer.finish_reason, answer.usage),
                (FinishReason::Complete, REPORTED_USAGE),
                "{kind:?}"
            );
            assert_eq!(answer.model.as_deref(), Some("m-2"), "{kind:?}");
        }
    }
}

#[tokio::test]
async fn json_completion_keeps_its_finish_reason() {
    for (kind, text, finish_reason) in [
        (ProviderKind::OpenAi, OPENAI.replace("\"stop\"", "\"length\""), FinishReason::Truncated),
        (
            ProviderKind::OpenAi,
            OPENAI.replace("\"stop\"", "\"content_filter\""),
            FinishReason::Refused,
        ),
        (ProviderKind::OpenAi, OPENAI.replace("\"stop\"", "null"), FinishReason::Complete),
        (
            ProviderKind::OpenAi,
            OPENAI.replace("refusal\":null", "refusal\":\"No.\""),
            FinishReason::Refused,
        ),
        (
            ProviderKind::Anthropic,
            ANTHROPIC.replace("end_turn", "max_tokens"),
            FinishReason::Truncated,
        ),
        (ProviderKind::Anthropic, ANTHROPIC.replace("end_turn", "refusal"), FinishReason::Refused),
        (ProviderKind::Gemini, GEMINI.replace("STOP", "MAX_TOKENS"), FinishReason::Truncated),
        (ProviderKind::Gemini, GEMINI.replace("STOP", "SAFETY"), FinishReason::Refused),
    ] {
        let answer = answer(kind, &text).await.unwrap_or_else(|err| panic!("{text}: {err}"));
        assert_eq!((answer.finish_reason, answer.usage), (finish_reason, REPORTED_USAGE), "{text}");
    }
    let blocked =
        answer(ProviderKind::Gemini, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#).await;
    assert_eq!(blocked.map(|answer| answer.finish_reason), Ok(FinishReason::Refused));
}

#[tokio::test]
async fn json_completion_without_usage_is_unreported() {
    let text = r#"{"choices":[{"message":{"content":"Tabs."}}]}"#;
    let answer = answer(ProviderKind::OpenAi, text).await.expect("it is whole");
    assert_eq!((answer.finish_reason, answer.usage), (FinishReason::Complete, Usage::UNREPORTED));
}

#[tokio::test]
async fn json_without_a_completion_is_a_transient_failure() {
    for kind in ProviderKind::ALL {
        for text in ["{}", "[]", "null", r#"{"choices":[]}"#, r#"{"message":"Hello"}"#] {
            let err = answer(kind, text).await.expect_err("there is no completion in it");
            assert_eq!(
                err.failure,
                CallFailure::Transient { retry_after: None },
                "{kind:?} {text}"
            );
            assert_eq!(err.usage, Usage::UNREPORTED);
        }
    }
    let empty = OPENAI.replace("Tabs – ✓.", "");
    let err = answer(ProviderKind::OpenAi, &empty).await.expect_err("it is empty");
    assert_eq!(
        (err.to_string().as_str(), err.usage),
        ("OpenAI sent an empty answer", REPORTED_USAGE)
    );
}

#[tokio::test]
async fn json_completion_is_bounded_and_must_be_complete() {
    let long = OPENAI.replace("Tabs – ✓.", &"x".repeat(100_000));
    let cut = answer(ProviderKind::OpenAi, &long).await.expect("it is cut");
    assert_eq!((cut.finish_reason, cut.text.len()), (FinishReason::Truncated, 600 * 32 + 1024));
    let endless = vec![
        Step::send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
        Step::Endless(vec![b' '; 65_536]),
    ];
    let err = answer_to(ProviderKind::OpenAi, endless).await.expect_err("it never ends");
    assert_eq!(err.failure, CallFailure::Permanent);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n";
    let broken_off = vec![Step::send(format!("{head}{OPENAI}"))];
    let err = answer_to(ProviderKind::OpenAi, broken_off).await.expect_err("it is cut off");
    assert_eq!(err.to_string(), "OpenAI closed the connection before the answer was complete");
}
