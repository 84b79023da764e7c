//! Requests to providers: path, key and exact body.

use debate_app::llm::{DeltaSender, Llm};
use debate_core::{Message, MessageRole};
use debate_llm::{Configuration, Key, Provider, ProviderKind};
use serde_json::{Value, json};

use crate::support::{KEY, PROMPT, Raw, Step, model, providers_at, registry, request};

/// The head and the body of the request that a provider of this kind receives.
async fn sent_request(name: &str) -> (String, Value) {
    let server = Raw::start(vec![Step::send("HTTP/1.1 500 No\r\nConnection: close\r\n\r\n")]).await;
    let mut request = request(name);
    let again = Message { role: MessageRole::Assistant, text: "Hm.".to_owned() };
    request.prompt.push(again);
    request.prompt.push(Message { role: MessageRole::User, text: "Once more.".to_owned() });
    let answer = providers_at(&server.url).call(request, DeltaSender::without_receiver()).await;
    answer.expect_err("the server has trouble");
    let [request] = server.requests().try_into().expect("a failed call is not made twice");
    let (head, body) = request.split_once("\r\n\r\n").expect("it has a head");
    (head.to_owned(), serde_json::from_str(body).expect("the body is JSON"))
}

fn has(head: &str, header: &str) -> bool {
    head.lines().any(|line| line.eq_ignore_ascii_case(header))
}

#[tokio::test]
async fn openai_compatible_provider_receives_chat_completions() {
    for name in ["openai:some-model-max", "ollama:llama3.2:3b"] {
        let (head, body) = sent_request(name).await;
        assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
        assert!(has(&head, &format!("authorization: Bearer {KEY}")));
        let (_, model) = name.split_once(':').expect("it has one");
        let expected = json!({
            "model": model,
            "messages": [
                {"role": "system", "content": "You are debater A."},
                {"role": "user", "content": PROMPT},
                {"role": "assistant", "content": "Hm."},
                {"role": "user", "content": "Once more."},
            ],
            "max_tokens": 600,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        assert_eq!(body, expected);
    }
}

#[tokio::test]
async fn anthropic_receives_messages() {
    let (head, body) = sent_request("anthropic:some-model").await;
    assert!(head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{head}");
    assert!(has(&head, &format!("x-api-key: {KEY}")));
    assert!(has(&head, "anthropic-version: 2023-06-01"));
    let expected = json!({
        "model": "some-model",
        "system": [{"type": "text", "text": "You are debater A."}],
        "messages": [
            {"role": "user", "content": PROMPT},
            {"role": "assistant", "content": "Hm."},
            {"role": "user", "content": "Once more."},
        ],
        "max_tokens": 600,
        "stream": true,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn gemini_receives_contents_with_the_key_in_a_header_only() {
    let (head, body) = sent_request("gemini:some-model").await;
    let line = "POST /v1/models/some-model:streamGenerateContent?alt=sse HTTP/1.1\r\n";
    assert!(head.starts_with(line), "{head}");
    assert!(has(&head, &format!("x-goog-api-key: {KEY}")));
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "You are debater A."}]},
        "contents": [
            {"role": "user", "parts": [{"text": PROMPT}]},
            {"role": "model", "parts": [{"text": "Hm."}]},
            {"role": "user", "parts": [{"text": "Once more."}]},
        ],
        "generationConfig": {"maxOutputTokens": 600},
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn model_name_does_not_change_the_request_path() {
    for name in ["../../admin", "x?key=1", "x#y", "x/../../..", "%2e%2e/x"] {
        let (head, _) = sent_request(&format!("gemini:{name}")).await;
        let line = head.lines().next().expect("it has one");
        assert!(line.starts_with("POST /v1/models/"), "{line}");
        assert!(line.ends_with(":streamGenerateContent?alt=sse HTTP/1.1"), "{line}");
        assert_eq!(line.matches('/').count(), 4, "{line}");
    }
}

#[tokio::test]
async fn provider_without_a_key_receives_no_authorization() {
    let server = Raw::start(vec![Step::send("HTTP/1.1 500 No\r\nConnection: close\r\n\r\n")]).await;
    let local = Provider {
        name: "vllm".to_owned(),
        kind: ProviderKind::OpenAi,
        base_url: Some(format!("{}/", server.url)),
        key: None,
    };
    let registry = registry(Configuration { providers: vec![local], commands: Vec::new() });
    assert_eq!(registry.check_model(&model("vllm:any")), Ok(()));
    let answer = registry.call(request("vllm:any"), DeltaSender::without_receiver()).await;
    answer.expect_err("the server has trouble");
    let requests = server.requests();
    assert!(requests[0].starts_with("POST /v1/chat/completions"), "one slash too many");
    assert!(!requests[0].to_ascii_lowercase().contains("authorization"));
    assert!(Key::new("two words").is_err() && Key::new("").is_err() && Key::new("é").is_err());
}
