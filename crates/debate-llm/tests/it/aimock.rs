//! The same outcomes against an independent server: npm's @copilotkit/aimock.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use debate_app::llm::{Answer, DeltaSender, FinishReason, Llm, LlmError};
use debate_core::{CallFailure, Usage};
use debate_llm::{Configuration, Key, Provider, ProviderKind, Registry};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::support::{HANG, KEY, registry, request_with, watched};

/// The protocols that the server speaks.
const KINDS: [ProviderKind; 3] =
    [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini];

const TRANSIENT: CallFailure = CallFailure::Transient { retry_after: None };

/// The folder in which `scripts/test` installs the npm packages.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node_modules")
}

/// A running server, which ends with its test, and the providers that use it.
struct Aimock {
    registry: Registry,
    _server: Child,
}

impl Aimock {
    async fn start() -> Self {
        assert!(packages().join("@copilotkit").exists(), "scripts/test installs the packages");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients/aimock.cjs");
        let mut server = Command::new("node")
            .arg(script)
            .env("NODE_PATH", packages())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node is installed");
        let mut lines = BufReader::new(server.stdout.take().expect("it was piped")).lines();
        let url = loop {
            let line = timeout(HANG, lines.next_line()).await.expect("it starts");
            let line = line.expect("it prints text").expect("it says where it is");
            if line.starts_with("http://") {
                break line;
            }
        };
        let providers = KINDS.map(|kind| Provider {
            name: kind.name().to_owned(),
            kind,
            base_url: Some(match kind {
                ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Ollama => {
                    format!("{url}/v1")
                }
                ProviderKind::Gemini => format!("{url}/v1beta"),
            }),
            key: Some(Key::new(KEY).expect("it can be sent")),
        });
        let registry =
            registry(Configuration { providers: providers.into(), commands: Vec::new() });
        Self { registry, _server: server }
    }

    async fn call(&self, kind: ProviderKind, question: &str) -> Result<Answer, LlmError> {
        let request = request_with(&format!("{}:some-model", kind.name()), question);
        self.registry.call(request, DeltaSender::without_receiver()).await
    }
}

#[tokio::test]
async fn answer_is_streamed_in_parts_with_its_usage() {
    let aimock = Aimock::start().await;
    for kind in KINDS {
        let request = request_with(&format!("{}:some-model", kind.name()), "say it whole");
        let (answer, shown) = watched(&aimock.registry, request).await;
        let answer = answer.expect("it is whole");
        assert_eq!(answer.text, "Tabs – naturally. ✓ Said whole.", "{kind:?}");
        assert_eq!((answer.finish_reason, &shown), (FinishReason::Complete, &answer.text));
        let told = Usage::reported(11, 7);
        assert_eq!(answer.usage, told, "{kind:?}");
        // This server leaves Gemini's `modelVersion` out.
        let named = (kind != ProviderKind::Gemini).then_some("some-model");
        assert_eq!(answer.model.as_deref(), named);
    }
}

#[tokio::test]
async fn refused_truncated_and_empty_answers_are_distinguished() {
    let aimock = Aimock::start().await;
    for kind in KINDS {
        let cut = aimock.call(kind, "stop short").await.expect("a cut answer is one");
        assert_eq!((cut.finish_reason, cut.text.as_str()), (FinishReason::Truncated, "Tabs are"));
        let empty = aimock.call(kind, "say nothing").await.expect_err("it is empty");
        assert_eq!(empty.failure, TRANSIENT, "{kind:?}");
    }
    let refused =
        aimock.call(ProviderKind::OpenAi, "decline").await.expect("a refusal is an answer");
    assert_eq!(refused.finish_reason, FinishReason::Refused);
}

#[tokio::test]
async fn error_status_is_transient_or_permanent_with_a_message() {
    let aimock = Aimock::start().await;
    for kind in KINDS {
        let later = CallFailure::Transient { retry_after: Some(Duration::from_secs(9)) };
        for (question, failure, status) in [
            ("slow down", later, "429"),
            ("fall over", TRANSIENT, "500"),
            ("overload", TRANSIENT, "529"),
            ("wrong key", CallFailure::Permanent, "401"),
        ] {
            let err = aimock.call(kind, question).await.expect_err("it is refused");
            assert_eq!(err.failure, failure, "{kind:?} {question}");
            assert_eq!(err.usage, Usage::ZERO);
            let message = err.to_string();
            let names_provider = message.to_lowercase().contains(kind.name());
            assert!(message.contains(status) && names_provider, "{message}");
        }
    }
}

#[tokio::test]
async fn broken_stream_is_transient() {
    let aimock = Aimock::start().await;
    for kind in KINDS {
        for question in ["break off", "hang up", "talk nonsense", "drop it"] {
            let err = aimock.call(kind, question).await.expect_err("it is no answer");
            assert!(
                matches!(err.failure, CallFailure::Transient { .. }),
                "{kind:?} {question}: {err}"
            );
        }
    }
}
