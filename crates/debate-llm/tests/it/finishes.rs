//! The end of answers and their usage, in each protocol.

use debate_app::llm::FinishReason;
use debate_core::Usage;
use debate_llm::ProviderKind;

use crate::support::{Raw, Step, answer_to, event_stream, events, providers_at, request, watched};

const REPORTED_USAGE: Usage = Usage::reported(12, 5);

const OPENAI: [&str; 6] = [
    r#"{"model":"m-2","choices":[{"delta":{"role":"assistant","content":""}}]}"#,
    r#"{"choices":[{"delta":{"content":"Tabs, "}}]}"#,
    r#"{"choices":[{"delta":{"content":"naturally – ✓."}}]}"#,
    r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5}}"#,
    "[DONE]",
];

const ANTHROPIC: [&str; 8] = [
    concat!(
        r#"{"type":"message_start","message":{"model":"m-2","usage":{"input_tokens":10,"#,
        r#""cache_read_input_tokens":2,"output_tokens":1}}}"#
    ),
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Tabs, "}}"#,
    r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"naturally – ✓."}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
    r#"{"type":"message_stop"}"#,
];

const GEMINI: [&str; 2] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"Tabs, "}]}}],"modelVersion":"m-2"}"#,
    concat!(
        r#"{"candidates":[{"content":{"parts":[{"text":"naturally – ✓."}]},"#,
        r#""finishReason":"STOP"}],"#,
        r#""usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":5}}"#
    ),
];

fn complete_stream(kind: ProviderKind) -> &'static [&'static str] {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Ollama => &OPENAI,
        ProviderKind::Anthropic => &ANTHROPIC,
        ProviderKind::Gemini => &GEMINI,
    }
}

#[tokio::test]
async fn answer_is_streamed_and_returned_with_model_and_usage() {
    for kind in ProviderKind::ALL {
        let server = Raw::start(events(complete_stream(kind))).await;
        let request = request(&format!("{}:some-model", kind.name()));
        let (answer, shown) = watched(&providers_at(&server.url), request).await;
        let answer = answer.expect("it is whole");
        assert_eq!(answer.text, "Tabs, naturally – ✓.", "{kind:?}");
        assert_eq!(shown, answer.text);
        assert_eq!((answer.finish_reason, answer.usage), (FinishReason::Complete, REPORTED_USAGE));
        assert_eq!(answer.model.as_deref(), Some("m-2"));
    }
}

#[tokio::test]
async fn answer_does_not_depend_on_packet_boundaries_and_line_ends() {
    for kind in ProviderKind::ALL {
        for line_end in ["\n", "\r\n", "\r"] {
            let lines = complete_stream(kind)
                .iter()
                .map(|data| format!("data: {data}{line_end}{line_end}"));
            let bytes = lines.collect::<String>().into_bytes();
            for size in [1, 2, 7] {
                let packets = bytes.chunks(size).map(|packet| Step::Send(packet.to_vec()));
                let steps = std::iter::once(event_stream()).chain(packets).collect();
                let answer = answer_to(kind, steps).await.expect("it is whole");
                assert_eq!(answer.text, "Tabs, naturally – ✓.", "{kind:?} {line_end:?} {size}");
            }
        }
    }
}

#[tokio::test]
async fn finish_reason_maps_to_truncated_or_refused() {
    let openai = |reason: &str| {
        let end = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        (ProviderKind::OpenAi, vec![OPENAI[1].to_owned(), end])
    };
    let anthropic = |reason: &str| {
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        (ProviderKind::Anthropic, vec![ANTHROPIC[3].to_owned(), end])
    };
    let gemini = |reason: &str| {
        let end = format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        (ProviderKind::Gemini, vec![GEMINI[0].to_owned(), end])
    };
    for ((kind, data), finish_reason) in [
        (openai("length"), FinishReason::Truncated),
        (openai("content_filter"), FinishReason::Refused),
        (openai("something_new"), FinishReason::Truncated),
        (anthropic("max_tokens"), FinishReason::Truncated),
        (anthropic("refusal"), FinishReason::Refused),
        (anthropic("pause_turn"), FinishReason::Truncated),
        (gemini("MAX_TOKENS"), FinishReason::Truncated),
        (gemini("SAFETY"), FinishReason::Refused),
    ] {
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        let answer = answer_to(kind, events(&data)).await.expect("it is an answer");
        assert_eq!(
            (answer.finish_reason, answer.text.as_str()),
            (finish_reason, "Tabs, "),
            "{data:?}"
        );
    }
}

#[tokio::test]
async fn refusal_of_openai_is_not_an_argument() {
    let refusal = r#"{"choices":[{"delta":{"refusal":"I can't argue that."}}]}"#;
    let answer = answer_to(ProviderKind::OpenAi, events(&[refusal, OPENAI[3], "[DONE]"])).await;
    let answer = answer.expect("a refusal is an answer");
    assert_eq!(
        (answer.finish_reason, answer.text.as_str()),
        (FinishReason::Refused, "I can't argue that.")
    );
}

#[tokio::test]
async fn refusal_without_text_is_not_an_empty_answer() {
    let filtered = r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#;
    let answer = answer_to(ProviderKind::OpenAi, events(&[filtered, "[DONE]"])).await;
    assert_eq!(
        answer.map(|answer| (answer.finish_reason, answer.text)),
        Ok((FinishReason::Refused, String::new()))
    );
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    let answer = answer_to(ProviderKind::Gemini, events(&[blocked])).await;
    assert_eq!(
        answer.map(|answer| (answer.finish_reason, answer.text)),
        Ok((FinishReason::Refused, String::new()))
    );
}

#[tokio::test]
async fn missing_usage_is_unreported_and_counts_as_all_allowed_tokens() {
    for data in [&OPENAI[1..4], &ANTHROPIC[3..4]] {
        let kind = if data.len() == 3 { ProviderKind::OpenAi } else { ProviderKind::Anthropic };
        let end = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
        let data: Vec<&str> = match kind {
            ProviderKind::Anthropic => data.iter().copied().chain([end]).collect(),
            ProviderKind::OpenAi | ProviderKind::Gemini | ProviderKind::Ollama => data.to_vec(),
        };
        let answer = answer_to(kind, events(&data)).await.expect("it is whole");
        assert_eq!(answer.usage, Usage::UNREPORTED);
        assert_eq!(answer.usage.charged_tokens(600), 600);
    }
}

#[tokio::test]
async fn done_event_without_finish_reason_ends_the_answer() {
    let answer = answer_to(ProviderKind::OpenAi, events(&[OPENAI[1], "[DONE]"])).await;
    assert_eq!(answer.map(|answer| answer.finish_reason), Ok(FinishReason::Complete));
}

#[tokio::test]
async fn nul_character_is_removed() {
    let words = r#"{"choices":[{"delta":{"content":"a\u0000b"},"finish_reason":"stop"}]}"#;
    let answer = answer_to(ProviderKind::OpenAi, events(&[words, "[DONE]"])).await;
    assert_eq!(answer.map(|answer| answer.text), Ok("a\u{fffd}b".to_owned()));
}
