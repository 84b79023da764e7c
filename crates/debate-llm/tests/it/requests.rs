//! What providers are sent: where, with which key, and exactly which words.

use debate_app::llm::{Deltas, Llm};
use debate_core::{Message, MessageRole};
use debate_llm::{Configuration, Key, Provider, ProviderKind};
use serde_json::{Value, json};

use crate::support::{KEY, PROMPT, Raw, Step, ask, model, providers_at, registry};

/// The head of the one request a provider of this kind gets, and its body.
async fn sent(name: &str) -> (String, Value) {
    let server = Raw::start(vec![Step::send("HTTP/1.1 500 No\r\nConnection: close\r\n\r\n")]).await;
    let mut ask = ask(name);
    let again = Message { role: MessageRole::Assistant, text: "Hm.".to_owned() };
    ask.prompt.push(again);
    ask.prompt.push(Message { role: MessageRole::User, text: "Once more.".to_owned() });
    let answer = providers_at(&server.url).ask(ask, Deltas::unwatched()).await;
    answer.expect_err("the server has trouble");
    let [request] = server.requests().try_into().expect("a failed call is not made twice");
    let (head, body) = request.split_once("\r\n\r\n").expect("it has a head");
    (head.to_owned(), serde_json::from_str(body).expect("the body is JSON"))
}

fn has(head: &str, header: &str) -> bool {
    head.lines().any(|line| line.eq_ignore_ascii_case(header))
}

#[tokio::test]
async fn openai_and_its_kin_are_sent_chat_completions() {
    for name in ["openai:some-model-max", "ollama:llama3.2:3b"] {
        let (head, body) = sent(name).await;
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
async fn anthropic_is_sent_messages() {
    let (head, body) = sent("anthropic:some-model").await;
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
async fn gemini_is_sent_contents_with_the_key_in_a_header_only() {
    let (head, body) = sent("gemini:some-model").await;
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
async fn a_models_name_leads_nowhere_else() {
    for name in ["../../admin", "x?key=1", "x#y", "x/../../..", "%2e%2e/x"] {
        let (head, _) = sent(&format!("gemini:{name}")).await;
        let line = head.lines().next().expect("it has one");
        assert!(line.starts_with("POST /v1/models/"), "{line}");
        assert!(line.ends_with(":streamGenerateContent?alt=sse HTTP/1.1"), "{line}");
        assert_eq!(line.matches('/').count(), 4, "{line}");
    }
}

#[tokio::test]
async fn a_provider_without_a_key_is_sent_none() {
    let server = Raw::start(vec![Step::send("HTTP/1.1 500 No\r\nConnection: close\r\n\r\n")]).await;
    let local = Provider {
        name: "vllm".to_owned(),
        kind: ProviderKind::OpenAi,
        base_url: Some(format!("{}/", server.url)),
        key: None,
    };
    let registry = registry(Configuration { providers: vec![local], commands: Vec::new() });
    assert_eq!(registry.check_model(&model("vllm:any")), Ok(()));
    let answer = registry.ask(ask("vllm:any"), Deltas::unwatched()).await;
    answer.expect_err("the server has trouble");
    let requests = server.requests();
    assert!(requests[0].starts_with("POST /v1/chat/completions"), "one slash too many");
    assert!(!requests[0].to_ascii_lowercase().contains("authorization"));
    assert!(Key::new("two words").is_err() && Key::new("").is_err() && Key::new("é").is_err());
}
