//! Shared parts of the tests: requests, registries, and a scripted server.

mod raw;

use std::sync::Arc;
use std::time::Duration;

use debate_app::llm::{Answer, DeltaSender, Llm, LlmError, LlmRequest};
use debate_app::{Clock, SystemClock};
use debate_core::{Bounded, Message, MessageRole, ModelName};
use debate_llm::{Configuration, Key, Provider, ProviderKind, Registry};
use tokio::time::Instant;

pub(crate) use raw::{Raw, Step, event_stream, events};

/// Turns a hang into a failure.
pub(crate) const HANG: Duration = Duration::from_mins(1);

pub(crate) const KEY: &str = "sk-canary-4242424242";

/// No text of a failure may contain it.
pub(crate) const PROMPT: &str = "wombat_canary prefers spaces to tabs";

pub(crate) fn model(name: &str) -> ModelName {
    ModelName::new(name).expect("tests name models rightly")
}

pub(crate) fn request(name: &str) -> LlmRequest {
    request_with(name, PROMPT)
}

pub(crate) fn request_with(name: &str, question: &str) -> LlmRequest {
    let message = |speaker, text: &str| Message { role: speaker, text: text.to_owned() };
    LlmRequest {
        model: model(name),
        prompt: vec![
            message(MessageRole::System, "You are debater A."),
            message(MessageRole::User, question),
        ],
        max_tokens: Bounded::constant::<600>(),
        deadline: Instant::now() + HANG,
    }
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

pub(crate) fn registry(configuration: Configuration) -> Registry {
    Registry::new(configuration, &clock()).expect("tests configure what can be")
}

/// One provider of each kind, all with the same base address.
pub(crate) fn providers_at(place: &str) -> Registry {
    let providers = ProviderKind::ALL.map(|kind| Provider {
        name: kind.name().to_owned(),
        kind,
        base_url: Some(place.to_owned()),
        key: Some(Key::new(KEY).expect("it can be sent")),
    });
    registry(Configuration { providers: providers.into(), commands: Vec::new() })
}

/// Calls the model and collects the streamed text.
pub(crate) async fn watched(
    registry: &Registry,
    request: LlmRequest,
) -> (Result<Answer, LlmError>, String) {
    let (deltas, mut watched) = DeltaSender::new(1024);
    let answer = registry.call(request, deltas).await;
    let mut shown = String::new();
    while let Ok(piece) = watched.try_recv() {
        shown.push_str(&piece);
    }
    (answer, shown)
}

/// Calls one provider that answers with `steps`.
pub(crate) async fn answer_to(kind: ProviderKind, steps: Vec<Step>) -> Result<Answer, LlmError> {
    let server = Raw::start(steps).await;
    let registry = providers_at(&server.url);
    let request = request(&format!("{}:some-model", kind.name()));
    registry.call(request, DeltaSender::without_receiver()).await
}
