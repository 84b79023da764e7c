//! Models over HTTP: one request, answered by one stream of events or one complete response.

mod answer_builder;
mod answer_part;
mod anthropic;
mod gemini;
mod openai;
mod retry_after;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use debate_app::Clock;
use debate_app::llm::{Answer, DeltaSender, LlmError, LlmRequest};
use debate_core::Usage;
use debate_net::{BaseUrl, Body, Endpoint, NetError, SseDecoder};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::{Request, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;
use tokio::time::timeout;

use self::answer_builder::{AnswerBuilder, AnswerPhase};
use self::answer_part::{AnswerPart, EventError};
use crate::config::{ConfigError, Key, Provider, ProviderKind};
use crate::error::{self, ErrorCodes};

/// The time limit for a connection, its proxy and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of a response that are read, also of comments that are not part of the answer.
const RESPONSE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The largest event, and the largest response that is not a stream.
const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// The most bytes of an error response that are read for its error codes.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// The time limit for the usage after a complete answer, and for the body of an error response.
const TRAILING_TIMEOUT: Duration = Duration::from_secs(5);

const AGENT: &str = concat!("aweave/", env!("CARGO_PKG_VERSION"));

/// The characters of a model's name that must be encoded in a segment of a path.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A provider over HTTP.
pub(crate) struct RemoteProvider {
    kind: ProviderKind,
    key: Option<Key>,
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
}

/// A response that is being read.
struct EventReader {
    body: Body,
    decoder: SseDecoder,
    bytes: usize,
}

impl RemoteProvider {
    pub(crate) fn new(provider: Provider, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let Provider { name, kind, base_url, key } = provider;
        let url = base_url.as_deref().unwrap_or(kind.default_base_url());
        let url = BaseUrl::parse(url).ok_or_else(|| ConfigError::BaseUrl(name.clone()))?;
        let endpoint = Endpoint::new(url, CONNECT_TIMEOUT).with_environment_proxies();
        endpoint.prepare_tls().map_err(|err| ConfigError::Tls(name, err.to_string()))?;
        Ok(Self { kind, key, endpoint, clock })
    }

    /// Makes one call. Each call is recorded before it is made, so nothing is retried here.
    pub(crate) async fn call(
        &self,
        request: &LlmRequest,
        deltas: DeltaSender,
    ) -> Result<Answer, LlmError> {
        let response = self.send(request).await.map_err(|err| connection_error(request, &err))?;
        if !response.status().is_success() {
            return Err(self.refusal(request, response).await);
        }
        if !is_event_stream(&response) {
            return self.read_response(request, response.into_body(), deltas).await;
        }
        self.read_stream(request, response.into_body(), deltas).await
    }

    async fn send(&self, request: &LlmRequest) -> Result<Response<Body>, NetError> {
        let body = match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => {
                openai::body(request, self.endpoint.url())
            }
            ProviderKind::Anthropic => anthropic::body(request),
            ProviderKind::Gemini => gemini::body(request),
        };
        let mut http = Request::post(self.path(request))
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "text/event-stream, application/json")
            .header(CONTENT_TYPE, "application/json");
        if self.kind == ProviderKind::Anthropic {
            http = http.header("anthropic-version", anthropic::VERSION);
        }
        if let Some(key) = &self.key {
            let (name, value) = self.key_header(key);
            http = http.header(name, value);
        }
        let http = http.body(Bytes::from(body.to_string()));
        let http = http.map_err(|err| NetError::NotHttp(err.to_string()))?;
        self.endpoint.connect().await?.send(http).await
    }

    fn key_header(&self, key: &Key) -> (HeaderName, HeaderValue) {
        let (name, value) = match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => {
                (AUTHORIZATION, format!("Bearer {}", key.secret()))
            }
            ProviderKind::Anthropic => {
                (HeaderName::from_static("x-api-key"), key.secret().to_owned())
            }
            ProviderKind::Gemini => {
                (HeaderName::from_static("x-goog-api-key"), key.secret().to_owned())
            }
        };
        let mut value = HeaderValue::try_from(value).expect("a key is printable ASCII");
        value.set_sensitive(true);
        (name, value)
    }

    /// The path of a request below the base URL. The model's name is at most one segment, so it
    /// cannot lead to another path.
    fn path(&self, request: &LlmRequest) -> String {
        match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => "/chat/completions".to_owned(),
            ProviderKind::Anthropic => "/messages".to_owned(),
            ProviderKind::Gemini => {
                let model = utf8_percent_encode(request.model.model(), SEGMENT);
                format!("/models/{model}:streamGenerateContent?alt=sse")
            }
        }
    }

    async fn read_stream(
        &self,
        request: &LlmRequest,
        body: Body,
        deltas: DeltaSender,
    ) -> Result<Answer, LlmError> {
        let decoder = SseDecoder::new(EVENT_BYTES_MAX);
        let mut reader = EventReader { body, decoder, bytes: 0 };
        let mut builder = AnswerBuilder::new(request, deltas);
        while builder.progress() == AnswerPhase::Open
            && self.read_chunk(&mut reader, &mut builder).await?
        {}
        // The answer is complete. Its usage may still follow, but a failure no longer matters.
        let usage = async {
            while builder.progress() == AnswerPhase::Finished
                && self.read_chunk(&mut reader, &mut builder).await.unwrap_or(false)
            {}
        };
        let _ = timeout(TRAILING_TIMEOUT, usage).await;
        builder.finish()
    }

    /// Adds the next chunk to the answer. Returns whether there was one.
    async fn read_chunk(
        &self,
        reader: &mut EventReader,
        builder: &mut AnswerBuilder<'_>,
    ) -> Result<bool, LlmError> {
        let chunk = reader.body.chunk().await.map_err(|_| builder.incomplete())?;
        let Some(chunk) = chunk else { return Ok(false) };
        reader.bytes = reader.bytes.saturating_add(chunk.len());
        if reader.bytes > RESPONSE_BYTES_MAX {
            return Err(builder.too_large(RESPONSE_BYTES_MAX));
        }
        let events = reader.decoder.feed(&chunk);
        for event in events.map_err(|_| builder.too_large(EVENT_BYTES_MAX))? {
            match self.parse_event(&event.data) {
                Ok(parts) => parts.into_iter().for_each(|part| builder.add(part)),
                // An event after the end cannot invalidate the answer.
                Err(_) if builder.progress() != AnswerPhase::Open => return Ok(false),
                Err(EventError::Error(codes)) => return Err(builder.error(&codes, self.secret())),
                Err(EventError::Malformed) => return Err(builder.malformed()),
            }
        }
        Ok(true)
    }

    fn parse_event(&self, data: &[u8]) -> Result<Vec<AnswerPart>, EventError> {
        match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => openai::parse_event(data),
            ProviderKind::Anthropic => anthropic::parse_event(data),
            ProviderKind::Gemini => gemini::parse_event(data),
        }
    }

    async fn refusal(&self, request: &LlmRequest, response: Response<Body>) -> LlmError {
        let status = response.status().as_u16();
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|text| retry_after::wait(text, self.clock.now()));
        let codes = read_error_codes(response.into_body()).await.unwrap_or_default();
        error::from_status(status, retry_after, &codes, request, self.secret())
    }

    /// Reads a success that is not an event stream: a complete JSON response, or an error object.
    async fn read_response(
        &self,
        request: &LlmRequest,
        body: Body,
        deltas: DeltaSender,
    ) -> Result<Answer, LlmError> {
        let mut builder = AnswerBuilder::new(request, deltas);
        let body = body.collect(EVENT_BYTES_MAX).await.map_err(|err| match err {
            NetError::TooLarge(limit) => builder.too_large(limit),
            NetError::Connect(_)
            | NetError::Untrusted(_)
            | NetError::Closed { .. }
            | NetError::NotHttp(_) => builder.incomplete(),
        })?;
        let Ok(body) = serde_json::from_slice::<Value>(&body) else {
            let provider = error::provider(&request.model);
            let message = format!("{provider} sent neither an event stream nor JSON");
            return Err(error::transient(message, Usage::UNREPORTED));
        };
        if let Some(codes) = ErrorCodes::from_body(&body) {
            return Err(error::from_error_object(&codes, Usage::ZERO, request, self.secret()));
        }
        let parts = match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => openai::parse_response(&body),
            ProviderKind::Anthropic => anthropic::parse_response(&body),
            ProviderKind::Gemini => gemini::parse_response(&body),
        };
        for part in parts.map_err(|_| builder.malformed())? {
            builder.add(part);
        }
        // A complete body is a complete answer, also without a finish reason.
        builder.add(AnswerPart::End);
        builder.finish()
    }

    fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(Key::secret)
    }
}

fn is_event_stream(response: &Response<Body>) -> bool {
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = header.and_then(|header| header.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
}

/// The error codes in the body of an error response; none if it is too long or too slow.
async fn read_error_codes(body: Body) -> Option<ErrorCodes> {
    let body = timeout(TRAILING_TIMEOUT, body.collect(REFUSAL_BYTES_MAX)).await.ok()?.ok()?;
    ErrorCodes::from_body(&serde_json::from_slice(&body).ok()?)
}

/// The error for a call without a status. It contains no URL.
fn connection_error(request: &LlmRequest, err: &NetError) -> LlmError {
    let provider = error::provider(&request.model);
    match err {
        NetError::Connect(cause) => {
            let message = format!("cannot connect to {provider}: {}", cause.kind());
            error::transient(message, Usage::ZERO)
        }
        NetError::Untrusted(_) => {
            let message = format!("cannot connect to {provider}: certificate not trusted");
            error::transient(message, Usage::ZERO)
        }
        NetError::Closed { kind, .. } => {
            let cause = kind.map(|kind| format!(": {kind}")).unwrap_or_default();
            let message = format!("{provider} closed the connection before it answered{cause}");
            error::transient(message, Usage::UNREPORTED)
        }
        NetError::NotHttp(_) | NetError::TooLarge(_) => {
            let message = format!("{provider} closed the connection before it answered");
            error::transient(message, Usage::UNREPORTED)
        }
    }
}
