//! An HTTP client that distinguishes answered requests, lost responses and requests
//! that were never sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;

/// Longer than any response of a correct server, the longest wait included.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(75);

/// One server of a run, by its address.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    /// The address as `127.0.0.1:PORT`.
    pub(crate) address: String,
}

/// Servers that are used in turn, so that clients move between them.
#[derive(Debug)]
pub(crate) struct RoundRobin {
    first: Api,
    others: Vec<Api>,
    turn: AtomicUsize,
}

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The server sent a complete response.
    Answered(Reply),
    /// The request was not sent: the server does not listen.
    NotSent,
    /// The request may have arrived; no complete response came back.
    Lost(String),
}

/// A complete response of the server.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Whether the server marked it as the response to an earlier request.
    pub(crate) replayed: bool,
    /// Seconds until a retry is allowed.
    pub(crate) retry_after: Option<u64>,
    /// The envelope, data or error included.
    pub(crate) body: Value,
}

impl Api {
    pub(crate) fn new(port: u16) -> anyhow::Result<Self> {
        // In a build of all crates the library supports TLS and requires a default provider,
        // although no connection here is encrypted. Fails only if one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).build()?;
        Ok(Self { http, address: format!("127.0.0.1:{port}") })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.http.get(self.url(path))).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        answer(self.http.post(self.url(path)).json(body)).await
    }

    /// A request whose response is a stream; the client's time limit must not cut it.
    pub(crate) fn stream(&self, path: &str) -> RequestBuilder {
        self.http.get(self.url(path)).timeout(Duration::from_hours(1))
    }

    /// The response to a GET, which must be answered.
    pub(crate) async fn get_answered(&self, path: &str) -> anyhow::Result<Reply> {
        match self.get(path).await {
            Answer::Answered(reply) => Ok(reply),
            Answer::NotSent => anyhow::bail!("no server listens at {}", self.address),
            Answer::Lost(why) => anyhow::bail!("GET {path} was not answered: {why}"),
        }
    }
}

impl RoundRobin {
    pub(crate) fn new(first: Api, others: Vec<Api>) -> Self {
        Self { first, others, turn: AtomicUsize::new(0) }
    }

    pub(crate) fn next(&self) -> &Api {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % (self.others.len() + 1);
        self.others.get(turn).unwrap_or(&self.first)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Api> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

async fn answer(request: RequestBuilder) -> Answer {
    let response = match request.send().await {
        Ok(response) => response,
        Err(err) if err.is_connect() => return Answer::NotSent,
        Err(err) => return Answer::Lost(root_cause(&err)),
    };
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let replayed = header("idempotent-replayed") == Some("true");
    let retry_after = header("retry-after").and_then(|text| text.parse().ok());
    let status = response.status();
    match response.bytes().await {
        Ok(bytes) => {
            let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
            Answer::Answered(Reply { status, replayed, retry_after, body })
        }
        Err(err) => Answer::Lost(root_cause(&err)),
    }
}

/// The innermost cause: the error of the socket.
fn root_cause(err: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = err;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

impl Reply {
    pub(crate) fn data(&self) -> &Value {
        self.body.get("data").unwrap_or(&Value::Null)
    }

    pub(crate) fn error(&self) -> &Value {
        self.body.get("error").unwrap_or(&Value::Null)
    }

    /// The error code; empty for a success.
    pub(crate) fn code(&self) -> &str {
        self.error().get("code").and_then(Value::as_str).unwrap_or_default()
    }

    /// Status and code: `503 STORAGE_UNAVAILABLE`.
    pub(crate) fn summary(&self) -> String {
        format!("{} {}", self.status.as_u16(), self.code()).trim_end().to_owned()
    }
}
