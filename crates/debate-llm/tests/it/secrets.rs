//! No key and no text of a prompt appears in printable values.

use debate_app::llm::{DeltaSender, Llm, LlmError};
use debate_llm::{Configuration, Key, Provider, ProviderKind};

use crate::support::{KEY, PROMPT, Raw, Step, event_stream, providers_at, request};

fn shows_nothing(err: &LlmError) {
    let printed = format!("{err} {err:?}");
    for secret in [KEY, "canary", "wombat", "spaces to tabs"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

/// A provider that repeats its request in every field that a provider can fill.
#[tokio::test]
async fn error_hides_key_and_prompt_that_a_provider_repeats() {
    let error = |name: &str| {
        format!(
            r#"{{"error":{{"message":"{KEY} {PROMPT}","type":"{name}","code":"{name}",
            "param":"{name}","status":"{name}"}}}}"#
        )
        .replace('\n', "")
    };
    for name in [KEY, PROMPT, "wombat_canary", "canary", "sk"] {
        let body = error(name);
        let status = |status: &str| {
            Step::send(format!(
                "HTTP/1.1 {status} {KEY}\r\nConnection: close\r\nContent-Type: text/{name}\r\n\
                 Retry-After: {KEY}\r\nX-Key: {KEY}\r\n\r\n{body}"
            ))
        };
        let in_the_stream = Step::send(format!("data: {body}\n\n"));
        let garbage = Step::send(format!("data: {KEY} {PROMPT}\n\n"));
        for steps in [
            vec![status("401")],
            vec![status("400")],
            vec![status("429")],
            vec![status("500")],
            vec![status("302")],
            vec![status("200")],
            vec![event_stream(), in_the_stream],
            vec![event_stream(), garbage],
            vec![Step::send(format!("{KEY} {PROMPT}\r\n\r\n"))],
        ] {
            for kind in ProviderKind::ALL {
                let server = Raw::start(steps.clone()).await;
                let request = request(&format!("{}:some-model", kind.name()));
                let answer =
                    providers_at(&server.url).call(request, DeltaSender::without_receiver()).await;
                shows_nothing(&answer.expect_err("none of it is an answer"));
            }
        }
    }
}

#[test]
fn debug_output_hides_keys_and_prompts() {
    let configuration = Configuration {
        providers: vec![Provider {
            name: "openai".to_owned(),
            kind: ProviderKind::OpenAi,
            base_url: None,
            key: Some(Key::new(KEY).expect("it can be sent")),
        }],
        commands: Vec::new(),
    };
    let printed = format!("{configuration:#?} {:#?}", request("openai:some-model"));
    assert!(printed.contains("Key(not shown)"));
    assert!(!printed.contains("canary") && !printed.contains("wombat"), "{printed}");
}
