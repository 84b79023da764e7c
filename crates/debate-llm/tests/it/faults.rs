//! One test for each failure between the server and a provider, with its classification.

use std::time::Duration;

use debate_app::llm::{DeltaSender, FinishReason, Llm, LlmError};
use debate_core::{CallFailure, Usage};
use debate_llm::ProviderKind;
use tokio::time::Instant;

use crate::support::{Raw, Step, answer_to, event_stream, events, providers_at, request};

const TRANSIENT: CallFailure = CallFailure::Transient { retry_after: None };

const FIRST_DELTA: &str = r#"{"choices":[{"delta":{"content":"Tabs are"}}]}"#;
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn refusal(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::send(format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         {headers}Connection: close\r\n\r\n{body}"
    ))]
}

async fn fault(steps: Vec<Step>) -> LlmError {
    answer_to(ProviderKind::OpenAi, steps).await.expect_err("there is no answer in it")
}

#[tokio::test]
async fn rate_limit_is_transient_with_a_retry_after() {
    let body = r#"{"error":{"type":"rate_limit_error","message":"Slow down"}}"#;
    let err = fault(refusal("429 Too Many Requests", "Retry-After: 17\r\n", body)).await;
    let retry_after = Some(Duration::from_secs(17));
    assert_eq!(err.failure, CallFailure::Transient { retry_after });
    assert_eq!(err.usage, Usage::ZERO);
    let message = "OpenAI rate limit reached (429, rate_limit_error)";
    assert_eq!(err.to_string(), message);
}

#[tokio::test]
async fn overload_with_an_instant_in_the_past_is_transient_without_a_wait() {
    let header = "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    let err = fault(refusal("529 Overloaded", header, "{}")).await;
    assert_eq!(err.failure, CallFailure::Transient { retry_after: Some(Duration::ZERO) });
    assert_eq!(err.to_string(), "OpenAI returned a server error (529)");
}

#[tokio::test]
async fn status_is_transient_or_permanent_by_the_contract() {
    for (status, failure) in [
        ("400 Bad Request", CallFailure::Permanent),
        ("401 Unauthorized", CallFailure::Permanent),
        ("402 Payment Required", CallFailure::Permanent),
        ("403 Forbidden", CallFailure::Permanent),
        ("404 Not Found", CallFailure::Permanent),
        ("408 Request Timeout", TRANSIENT),
        ("413 Content Too Large", CallFailure::Permanent),
        ("422 Unprocessable", CallFailure::Permanent),
        ("429 Too Many Requests", TRANSIENT),
        ("500 Internal Server Error", TRANSIENT),
        ("502 Bad Gateway", TRANSIENT),
        ("503 Unavailable", TRANSIENT),
        ("504 Gateway Timeout", TRANSIENT),
        ("529 Overloaded", TRANSIENT),
    ] {
        let err = fault(refusal(status, "", "no JSON")).await;
        assert_eq!(err.failure, failure, "{status}");
        assert!(err.to_string().contains(&status[..3]), "{err}");
    }
}

#[tokio::test]
async fn redirect_is_permanent_and_not_followed() {
    let elsewhere = Raw::start(events(&[FIRST_DELTA, STOP])).await;
    let header = format!("Location: {}/chat/completions\r\n", elsewhere.url);
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let err = fault(refusal(status, &header, "")).await;
        assert_eq!(err.failure, CallFailure::Permanent, "{status}");
        let code = &status[..3];
        let message =
            format!("OpenAI sent a redirect, which is not followed; check the base URL ({code})");
        assert_eq!(err.to_string(), message);
    }
    assert_eq!(elsewhere.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn refused_connection_is_transient_without_usage() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let registry = providers_at(&format!("http://{}", listener.local_addr().expect("it is bound")));
    drop(listener);
    let asked = registry.call(request("openai:some-model"), DeltaSender::without_receiver()).await;
    let err = asked.expect_err("no server listens");
    assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::ZERO));
    assert_eq!(err.to_string(), "cannot connect to OpenAI: connection refused");
}

#[tokio::test]
async fn request_is_not_sent_in_clear_text_when_tls_fails() {
    let server = Raw::start(events(&[FIRST_DELTA, STOP])).await;
    let registry = providers_at(&server.url.replace("http://", "https://"));
    let mut request = request("openai:some-model");
    request.deadline = Instant::now() + Duration::from_millis(500);
    let err = registry
        .call(request, DeltaSender::without_receiver())
        .await
        .expect_err("it speaks no TLS");
    assert_eq!(err.failure, TRANSIENT);
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn connection_closed_without_a_response_is_transient_with_unknown_usage() {
    let err = fault(Vec::new()).await;
    assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED));
    let message = err.to_string();
    assert!(message.starts_with("OpenAI closed the connection before it answered"), "{message}");
}

/// Before the head, before the first event, and in the middle.
#[tokio::test]
async fn hang_ends_at_the_deadline_and_is_transient() {
    let words = Step::send(format!("data: {FIRST_DELTA}\n\n"));
    for steps in [
        vec![Step::Hang],
        vec![event_stream(), Step::Hang],
        vec![event_stream(), words, Step::Hang],
    ] {
        let server = Raw::start(steps).await;
        let registry = providers_at(&server.url);
        let mut request = request("openai:some-model");
        request.deadline = Instant::now() + Duration::from_millis(100);
        let err =
            registry.call(request, DeltaSender::without_receiver()).await.expect_err("it hangs");
        assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED));
        assert_eq!(err.to_string(), "openai:some-model did not answer within the time limit");
    }
}

#[tokio::test]
async fn complete_answer_is_returned_while_the_connection_stays_open() {
    let whole = format!("data: {FIRST_DELTA}\n\ndata: {STOP}\n\n");
    let server = Raw::start(vec![event_stream(), Step::send(whole), Step::Hang]).await;
    let registry = providers_at(&server.url);
    let (deltas, mut watched) = DeltaSender::new(8);
    let request_with = registry.call(request("openai:some-model"), deltas);
    let watching = async {
        watched.recv().await.expect("the words come");
        // From here on only the paused clock moves.
        tokio::time::pause();
    };
    let (answer, ()) = tokio::join!(request_with, watching);
    let answer = answer.expect("it is whole");
    assert_eq!((answer.text.as_str(), answer.finish_reason), ("Tabs are", FinishReason::Complete));
    assert_eq!(answer.usage, Usage::UNREPORTED);
}

#[tokio::test]
async fn error_status_counts_even_if_its_body_is_cut_or_too_long() {
    let retry_after = Some(Duration::from_secs(3));
    let head = "HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 1000000\r\n\r\n";
    for body in ["{\"error\":".to_owned(), "x".repeat(999_999)] {
        let err = fault(vec![Step::send(head), Step::send(body)]).await;
        assert_eq!(err.failure, CallFailure::Transient { retry_after });
        assert_eq!(err.to_string(), "OpenAI rate limit reached (429)");
    }
}

#[tokio::test]
async fn malformed_json_is_transient() {
    for broken in [r#"{"choices":[{"delta":"#, "null", "[]", "hello"] {
        let err = fault(events(&[FIRST_DELTA, broken, STOP])).await;
        assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED), "{broken}");
        assert_eq!(err.to_string(), "OpenAI sent a malformed response");
    }
}

#[tokio::test]
async fn data_after_the_end_does_not_change_the_answer() {
    for noise in ["nonsense", r#"{"error":{"type":"overloaded_error"}}"#] {
        let packets = events(&[FIRST_DELTA, STOP, noise]);
        let words = format!("data: {FIRST_DELTA}\n\ndata: {STOP}\n\ndata: {noise}\n\n");
        for steps in [packets, vec![event_stream(), Step::send(words)]] {
            let answer = answer_to(ProviderKind::OpenAi, steps).await.expect("it was whole before");
            assert_eq!(
                (answer.text.as_str(), answer.finish_reason),
                ("Tabs are", FinishReason::Complete)
            );
        }
    }
}

#[tokio::test]
async fn stream_without_its_end_is_transient_and_not_a_complete_answer() {
    let clean = events(&[FIRST_DELTA]);
    let half_an_event =
        vec![event_stream(), Step::send(format!("data: {FIRST_DELTA}\n\ndata: {STOP}"))];
    let chunked = vec![Step::send(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
         400\r\ndata: {FIRST_DELTA}\n\n"
    ))];
    let nothing = vec![event_stream()];
    let refusal = events(&[r#"{"choices":[{"delta":{"refusal":"I"}}]}"#]);
    for steps in [clean, half_an_event, chunked, nothing, refusal] {
        let err = fault(steps).await;
        assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED));
        assert_eq!(err.to_string(), "OpenAI closed the connection before the answer was complete");
    }
}

#[tokio::test]
async fn anthropic_or_gemini_stream_without_its_end_is_transient() {
    let anthropic = concat!(
        r#"{"type":"message_start","#,
        r#""message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#
    );
    let gemini = concat!(
        r#"{"candidates":[{"content":{"parts":[{"text":"Tabs"}]}}],"#,
        r#""usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1}}"#
    );
    let begun = [(ProviderKind::Anthropic, anthropic), (ProviderKind::Gemini, gemini)];
    for (kind, event) in begun {
        let err = answer_to(kind, events(&[event])).await.expect_err("it was cut");
        assert_eq!(err.failure, TRANSIENT, "{kind:?}");
        let unknown = Usage { completion_tokens: None, ..Usage::reported(9, 0) };
        assert_eq!(err.usage, unknown, "{kind:?}: the first count is not the last");
    }
}

#[tokio::test]
async fn error_event_in_a_successful_response_is_a_failure() {
    let overloaded = r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let unknown = r#"{"error":{"code":"model_not_found","message":"No such model"}}"#;
    for (error, failure, name) in [
        (overloaded, TRANSIENT, "overloaded_error"),
        (unknown, CallFailure::Permanent, "model_not_found"),
    ] {
        let message = format!("OpenAI sent an error instead of an answer ({name})");
        let whole_body = fault(refusal("200 OK", "", error)).await;
        assert_eq!((whole_body.failure, whole_body.to_string()), (failure, message.clone()));
        let in_the_stream = fault(events(&[FIRST_DELTA, error, STOP])).await;
        assert_eq!((in_the_stream.failure, in_the_stream.to_string()), (failure, message));
    }
    let event = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let err = answer_to(ProviderKind::Anthropic, events(&[event])).await.expect_err("it is one");
    assert_eq!(err.to_string(), "Anthropic sent an error instead of an answer (overloaded_error)");
    let array = r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Bad"}}]"#;
    let err =
        answer_to(ProviderKind::Gemini, refusal("400 Bad Request", "", array)).await.unwrap_err();
    assert_eq!(
        err.to_string(),
        "Gemini rejected the request for some-model (400, INVALID_ARGUMENT)"
    );
}

#[tokio::test]
async fn wrong_content_type_is_transient() {
    for content_type in ["text/html", "application/json", ""] {
        let body = format!("data: {FIRST_DELTA}\n\ndata: {STOP}\n\n");
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: ";
        let err = fault(vec![Step::send(format!("{head}{content_type}\r\n\r\n{body}"))]).await;
        assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED));
        assert_eq!(err.to_string(), "OpenAI sent neither an event stream nor JSON");
    }
}

#[tokio::test]
async fn endless_answer_is_cut_at_its_limit() {
    let words = format!("data: {FIRST_DELTA}\n\n");
    let answer =
        answer_to(ProviderKind::OpenAi, vec![event_stream(), Step::Endless(words.into())]).await;
    let answer = answer.expect("it is cut, not lost");
    assert_eq!(answer.finish_reason, FinishReason::Truncated);
    assert_eq!(answer.text.len(), 600 * 32 + 1024);
    assert_eq!(answer.usage, Usage::UNREPORTED);
}

#[tokio::test]
async fn usage_reported_before_a_cut_is_not_the_usage_of_the_answer() {
    let usage = r#"{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1}}"#;
    let words = "x".repeat(100_000);
    let words = format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{words}"}}]}}}}]}}"#);
    let answer =
        answer_to(ProviderKind::Gemini, events(&[usage, &words])).await.expect("it is cut");
    assert_eq!(answer.usage, Usage { completion_tokens: None, ..Usage::reported(9, 0) });
}

#[tokio::test]
async fn endless_stream_without_text_is_permanent() {
    for noise in [": keep-alive\n\n".repeat(1000), "data: {\"choices\":[]}\n\n".repeat(1000)] {
        let err = fault(vec![event_stream(), Step::Endless(noise.into())]).await;
        assert_eq!((err.failure, err.usage), (CallFailure::Permanent, Usage::UNREPORTED));
        assert_eq!(err.to_string(), "OpenAI sent a response larger than 16384 KiB");
    }
}

#[tokio::test]
async fn endless_line_is_permanent() {
    let err = fault(vec![event_stream(), Step::Endless(vec![b'x'; 65_536])]).await;
    assert_eq!(err.failure, CallFailure::Permanent);
    assert_eq!(err.to_string(), "OpenAI sent a response larger than 1024 KiB");
}

#[tokio::test]
async fn answer_of_ten_megabytes_is_cut_or_refused() {
    let words = "tabs ".repeat(200);
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n");
    let stream = event.repeat(10 * 1024 * 1024 / event.len());
    let end = format!("data: {STOP}\n\n");
    let steps = vec![event_stream(), Step::send(stream), Step::send(end)];
    let answer = answer_to(ProviderKind::OpenAi, steps).await.expect("it is cut");
    assert_eq!(
        (answer.finish_reason, answer.text.len()),
        (FinishReason::Truncated, 600 * 32 + 1024)
    );

    let words = "x".repeat(100_000);
    let at_once =
        format!(r#"{{"choices":[{{"delta":{{"content":"{words}"}},"finish_reason":"stop"}}]}}"#);
    let answer =
        answer_to(ProviderKind::OpenAi, events(&[&at_once, "[DONE]"])).await.expect("it is cut");
    assert_eq!((answer.finish_reason, answer.usage), (FinishReason::Truncated, Usage::UNREPORTED));

    let words = "x".repeat(10 * 1024 * 1024);
    let at_once = format!("{{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}");
    let err = fault(events(&[&at_once, STOP])).await;
    assert_eq!(err.failure, CallFailure::Permanent);
}

#[tokio::test]
async fn empty_answer_is_transient_with_its_usage() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3}}"#;
    for blank in ["", "   ", "\\n\\t"] {
        let words = format!(r#"{{"choices":[{{"delta":{{"content":"{blank}"}}}}]}}"#);
        let err = fault(events(&[&words, STOP, usage, "[DONE]"])).await;
        assert_eq!(err.failure, TRANSIENT);
        assert_eq!(err.usage.completion_tokens, Some(3));
        assert_eq!(err.to_string(), "OpenAI sent an empty answer");
    }
    let cut = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
    let err = fault(events(&[cut, "[DONE]"])).await;
    let message = "OpenAI used all 600 tokens of the limit before it wrote any text";
    assert_eq!((err.failure, err.to_string().as_str()), (TRANSIENT, message));
}

#[tokio::test]
async fn invalid_utf_8_is_transient() {
    let mut broken = b"data: {\"choices\":[{\"delta\":{\"content\":\"".to_vec();
    broken.extend_from_slice(b"\xff\xfe\xc3");
    broken.extend_from_slice(b"\"}}]}\n\n");
    let end = Step::send(format!("data: {STOP}\n\n"));
    let err = fault(vec![event_stream(), Step::Send(broken), end]).await;
    assert_eq!((err.failure, err.usage), (TRANSIENT, Usage::UNREPORTED));
    assert_eq!(err.to_string(), "OpenAI sent a malformed response");
}

/// A dropped call closes its connection, so that the provider stops and charges no further tokens.
#[tokio::test]
async fn dropped_call_closes_its_connection() {
    let words = format!("data: {FIRST_DELTA}\n\n");
    let server = Raw::start(vec![
        event_stream(),
        Step::send(words),
        Step::Endless(b": still here\n\n".to_vec()),
    ])
    .await;
    let registry = providers_at(&server.url);
    let (deltas, mut watched) = DeltaSender::new(8);
    let request_with =
        tokio::spawn(async move { registry.call(request("openai:some-model"), deltas).await });
    watched.recv().await.expect("it began");
    request_with.abort();
    assert!(request_with.await.expect_err("it was given up").is_cancelled());
    // The server accepts one connection at a time: it is free again only after
    // the first has closed.
    let registry = providers_at(&server.url);
    let (deltas, mut watched) = DeltaSender::new(8);
    let again = registry.call(request("openai:some-model"), deltas);
    tokio::select! {
        first = watched.recv() => assert_eq!(first.as_deref(), Some("Tabs are")),
        answer = again => panic!("it never ends: {answer:?}"),
    }
}
