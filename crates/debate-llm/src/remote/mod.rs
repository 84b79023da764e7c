//! Models over HTTP: one question, one request, one stream of events or one whole completion.

mod anthropic;
mod client;
mod draft;
mod gemini;
mod openai;
mod piece;
mod retry_after;
mod sse;

use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use debate_app::Clock;
use debate_app::llm::{Answer, Ask, Deltas, LlmError};
use debate_core::Usage;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::timeout;

use self::draft::{Draft, State};
use self::piece::{Complaint, Piece};
use self::sse::Decoder;
use crate::config::{ConfigError, Key, Kind, Provider};
use crate::fault::{self, ErrorNames};

/// The most bytes of an answer that are read, whatever they are: an endless stream of comments ends
/// here at the latest.
const RESPONSE_BYTES_MOST: usize = 16 * 1024 * 1024;

/// The most bytes of a refusal that are read: enough for its names.
const REFUSAL_BYTES_MOST: usize = 64 * 1024;

/// How long a provider that has finished its answer may take to tell what it cost, or one that has
/// refused to tell why.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// A provider that can be asked.
pub(crate) struct Remote {
    kind: Kind,
    base: Url,
    key: Option<Key>,
    client: Client,
    clock: Arc<dyn Clock>,
}

/// An answer on its way.
struct Stream {
    response: Response,
    decoder: Decoder,
    bytes: usize,
}

impl Remote {
    pub(crate) fn new(provider: Provider, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let Provider { name, kind, base_url, key } = provider;
        let base = base_url.as_deref().unwrap_or(kind.usual_place());
        let base = client::place(base).ok_or_else(|| ConfigError::BaseUrl(name.clone()))?;
        let client = client::client(&name, &base)?;
        Ok(Self { kind, base, key, client, clock })
    }

    /// Asks once.
    pub(crate) async fn ask(&self, ask: &Ask, deltas: Deltas) -> Result<Answer, LlmError> {
        let response = self.send(ask).await?;
        if !response.status().is_success() {
            return Err(self.refused(ask, response).await);
        }
        if !is_event_stream(&response) {
            return self.read_completion(ask, response, deltas).await;
        }
        self.listen(ask, response, deltas).await
    }

    async fn send(&self, ask: &Ask) -> Result<Response, LlmError> {
        let body = match self.kind {
            Kind::OpenAi | Kind::Ollama => openai::body(ask, &self.base),
            Kind::Anthropic => anthropic::body(ask),
            Kind::Gemini => gemini::body(ask),
        };
        let mut request = self
            .client
            .post(self.url(ask))
            .header(ACCEPT, "text/event-stream, application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        if self.kind == Kind::Anthropic {
            request = request.header("anthropic-version", anthropic::VERSION);
        }
        if let Some(key) = &self.key {
            let (name, value) = match self.kind {
                Kind::OpenAi | Kind::Ollama => {
                    (AUTHORIZATION.as_str(), format!("Bearer {}", key.secret()))
                }
                Kind::Anthropic => ("x-api-key", key.secret().to_owned()),
                Kind::Gemini => ("x-goog-api-key", key.secret().to_owned()),
            };
            let mut value = HeaderValue::try_from(value).expect("a key is printable ASCII");
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request.send().await.map_err(|err| unreached(ask, &err))
    }

    /// Where a question goes. The model's name is one segment of a path at most, so it can't lead
    /// anywhere else.
    fn url(&self, ask: &Ask) -> Url {
        let mut url = self.base.clone();
        let mut path = url.path_segments_mut().expect("a place to connect to has a path");
        path.pop_if_empty();
        match self.kind {
            Kind::OpenAi | Kind::Ollama => path.extend(["chat", "completions"]),
            Kind::Anthropic => path.push("messages"),
            Kind::Gemini => {
                path.extend(["models", &format!("{}:streamGenerateContent", ask.model.model())])
            }
        };
        drop(path);
        if self.kind == Kind::Gemini {
            url.set_query(Some("alt=sse"));
        }
        url
    }

    async fn listen(
        &self,
        ask: &Ask,
        response: Response,
        deltas: Deltas,
    ) -> Result<Answer, LlmError> {
        let mut stream = Stream { response, decoder: Decoder::default(), bytes: 0 };
        let mut draft = Draft::new(ask, deltas);
        while draft.state() == State::Open && self.hear(&mut stream, &mut draft).await? {}
        // The answer is whole. What it cost is worth a moment, but not the answer.
        let bill = async {
            while draft.state() == State::Finished
                && self.hear(&mut stream, &mut draft).await.unwrap_or(false)
            {}
        };
        let _ = timeout(AFTERWARDS, bill).await;
        draft.finished()
    }

    /// Adds what comes next to the answer; whether anything came.
    async fn hear(&self, stream: &mut Stream, draft: &mut Draft<'_>) -> Result<bool, LlmError> {
        let chunk = stream.response.chunk().await.map_err(|_| draft.broken_off())?;
        let Some(chunk) = chunk else { return Ok(false) };
        stream.bytes = stream.bytes.saturating_add(chunk.len());
        if stream.bytes > RESPONSE_BYTES_MOST {
            return Err(draft.too_much(RESPONSE_BYTES_MOST));
        }
        let events = stream.decoder.feed(&chunk);
        for data in events.map_err(|_| draft.too_much(sse::EVENT_BYTES_MOST))? {
            match self.read(&data) {
                Ok(pieces) => pieces.into_iter().for_each(|piece| draft.take(piece)),
                // What follows the end can't undo it.
                Err(_) if draft.state() != State::Open => return Ok(false),
                Err(Complaint::Error(names)) => return Err(draft.error(&names, self.secret())),
                Err(Complaint::Malformed) => return Err(draft.malformed()),
            }
        }
        Ok(true)
    }

    fn read(&self, data: &[u8]) -> Result<Vec<Piece>, Complaint> {
        match self.kind {
            Kind::OpenAi | Kind::Ollama => openai::read(data),
            Kind::Anthropic => anthropic::read(data),
            Kind::Gemini => gemini::read(data),
        }
    }

    async fn refused(&self, ask: &Ask, response: Response) -> LlmError {
        let status = response.status().as_u16();
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|text| retry_after::wait(text, self.clock.now()));
        let names = error_names(response).await.unwrap_or_default();
        fault::of_status(status, retry_after, &names, ask, self.secret())
    }

    /// Reads a success that is no stream of events: a whole completion as JSON, or an error object.
    /// At most [`sse::EVENT_BYTES_MOST`] bytes are read.
    async fn read_completion(
        &self,
        ask: &Ask,
        mut response: Response,
        deltas: Deltas,
    ) -> Result<Answer, LlmError> {
        let mut draft = Draft::new(ask, deltas);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| draft.broken_off())? {
            body.extend_from_slice(&chunk);
            if body.len() > sse::EVENT_BYTES_MOST {
                return Err(draft.too_much(sse::EVENT_BYTES_MOST));
            }
        }
        let Ok(body) = serde_json::from_slice::<Value>(&body) else {
            let provider = fault::provider(&ask.model);
            let sentence = format!("{provider} sent neither an event stream nor JSON");
            return Err(fault::transient(sentence, Usage::NOT_TOLD));
        };
        if let Some(names) = ErrorNames::of(&body) {
            return Err(fault::instead_of_an_answer(&names, Usage::NOTHING, ask, self.secret()));
        }
        let pieces = match self.kind {
            Kind::OpenAi | Kind::Ollama => openai::read_whole(&body),
            Kind::Anthropic => anthropic::read_whole(&body),
            Kind::Gemini => gemini::read_whole(&body),
        };
        for piece in pieces.map_err(|_| draft.malformed())? {
            draft.take(piece);
        }
        // A body that is whole needs no reason for stopping to be an answer.
        draft.take(Piece::End);
        draft.finished()
    }

    fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(Key::secret)
    }
}

fn is_event_stream(response: &Response) -> bool {
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = header.and_then(|header| header.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
}

/// The names of the error that a body holds, as far as it is read.
async fn error_names(mut response: Response) -> Option<ErrorNames> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > REFUSAL_BYTES_MOST {
                break;
            }
        }
    };
    timeout(AFTERWARDS, reading).await.ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    ErrorNames::of(&body)
}

/// Why there is not even a status. The client's own words name the URL and stay inside.
fn unreached(ask: &Ask, err: &reqwest::Error) -> LlmError {
    let mut source = err.source();
    let mut why = None;
    while let Some(cause) = source {
        why = cause.downcast_ref::<io::Error>().map(io::Error::kind).or(why);
        source = cause.source();
    }
    let why = why.map(|kind| format!(": {kind}")).unwrap_or_default();
    let provider = fault::provider(&ask.model);
    if err.is_connect() || err.is_builder() {
        fault::transient(format!("cannot connect to {provider}{why}"), Usage::NOTHING)
    } else {
        let sentence = format!("{provider} closed the connection before it answered{why}");
        fault::transient(sentence, Usage::NOT_TOLD)
    }
}
