//! Requests to the server: one connection each, retried where a retry can help.

mod arena;
mod events;
mod forum;
mod http_client;
mod runner;
#[cfg(test)]
mod tests;

pub(crate) use arena::DebateEvent;
pub(crate) use events::{EventStream, ServerEvent, StreamEnd};
pub(crate) use forum::{ForumEvent, ForumPage, forum_data, forum_page};
pub(crate) use http_client::{ApiResponse, HttpClient, ProofPurpose, RetryBudget, TransportError};
pub(crate) use runner::{RunEvent, parse_body, parse_empty_body, parse_run_listing};

use std::fmt;
use std::io;
use std::time::Duration;

use debate_net::NetError;
use debate_wire::Success;
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;
use crate::output::ProgressLog;
use crate::settings::{ClientSettings, Token, WhenRefused};

/// The time limit of an ordinary request. The server's own limit is shorter.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(70);

/// A client of one server, with its limits for retries.
pub(crate) struct Client {
    pub(crate) http: HttpClient,
    pub(crate) notes: ProgressLog,
    retry_deadline: Duration,
    pause_min: Duration,
    when_refused: WhenRefused,
}

/// A request. A retry sends it again unchanged, with the same idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    /// Path and query, without the prefix of the server's URL.
    pub(crate) path: String,
    pub(crate) body: Option<Vec<u8>>,
    /// The idempotency key of a write whose body has no field for it.
    pub(crate) key: Option<String>,
    /// Whether the request carries the token.
    pub(crate) authorized: bool,
    pub(crate) credentials: Credentials,
}

/// The secrets of the arena that a request carries, each in a header of its own.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    pub(crate) seat: Option<Token>,
    pub(crate) invite: Option<Token>,
    pub(crate) arbitrator: Option<ArbitratorToken>,
}

/// The arbitrator token for one server.
#[derive(Clone)]
pub(crate) struct ArbitratorToken {
    pub(crate) token: Token,
    /// Whether the server must prove that it has the token before it gets it.
    pub(crate) wants_proof: bool,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// The result of one attempt.
pub(crate) enum Attempted<T> {
    /// The server accepted the request; the decoded response.
    Success(T),
    /// A failure that a retry would repeat.
    Rejected(Failure),
    /// A failure that may pass, and the minimum pause that the server asks for.
    Retryable(Failure, Option<Duration>),
}

/// The result of all attempts.
pub(crate) struct Completed<T> {
    pub(crate) outcome: Result<T, Failure>,
    /// Whether an earlier attempt may have succeeded although its answer was lost.
    pub(crate) repeated: bool,
}

/// Decodes a successful response; none if it has another shape.
pub(crate) type Decode<T> = fn(&ApiResponse) -> Option<T>;

impl ApiRequest {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            path: path.into(),
            body: None,
            key: None,
            authorized: true,
            credentials: Credentials::default(),
        }
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    pub(crate) fn post(path: impl Into<String>, body: &impl Serialize) -> Result<Self, Failure> {
        let body = serde_json::to_vec(body).map_err(|err| Failure::Local(err.to_string()))?;
        Ok(Self { method: Method::POST, body: Some(body), ..Self::get(path) })
    }

    pub(crate) fn put(path: impl Into<String>) -> Self {
        Self { method: Method::PUT, ..Self::get(path) }
    }

    /// A POST without a body.
    pub(crate) fn command(path: impl Into<String>) -> Self {
        Self { method: Method::POST, ..Self::get(path) }
    }

    /// Adds the secrets of the arena.
    pub(crate) fn with_credentials(self, credentials: Credentials) -> Self {
        Self { credentials, ..self }
    }

    /// Adds the token of a seat, if there is one.
    pub(crate) fn with_seat(self, seat: Option<&Token>) -> Self {
        let seat = seat.cloned();
        Self { credentials: Credentials { seat, ..self.credentials }, ..self }
    }

    /// Adds an idempotency key, so that repeated requests are executed once.
    pub(crate) fn with_key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }
}

impl Client {
    pub(crate) fn new(settings: &ClientSettings) -> Self {
        let client = Self::with_token(settings.token.clone(), settings);
        Self { http: client.http.with_proof(), ..client }
    }

    /// A client that sends another token than the server's, or none.
    pub(crate) fn with_token(token: Option<Token>, settings: &ClientSettings) -> Self {
        Self {
            http: HttpClient::new(settings.url.clone(), token),
            notes: ProgressLog { quiet: settings.quiet },
            retry_deadline: settings.retry_deadline,
            pause_min: settings.pause_min,
            when_refused: settings.when_refused,
        }
    }

    /// A client that sends each request once and prints nothing.
    pub(crate) const fn without_retries(http: HttpClient) -> Self {
        Self {
            http,
            notes: ProgressLog { quiet: true },
            retry_deadline: Duration::ZERO,
            pause_min: Duration::ZERO,
            when_refused: WhenRefused::Fail,
        }
    }

    /// Sends a request, with retries until the deadline, and decodes the arena's envelope.
    pub(crate) async fn request<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
    ) -> Result<T, Failure> {
        self.request_with(request, arena_data).await.outcome
    }

    /// Sends a request, with retries for `limit`, and decodes the arena's envelope.
    pub(crate) async fn request_within<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
        limit: Duration,
    ) -> Result<T, Failure> {
        self.retry(request, arena_data, limit).await.outcome
    }

    /// Sends a request, with retries until the deadline, and decodes the response with `decode`.
    pub(crate) async fn request_with<T>(
        &self,
        request: &ApiRequest,
        decode: Decode<T>,
    ) -> Completed<T> {
        self.retry(request, decode, self.retry_deadline).await
    }

    async fn retry<T>(
        &self,
        request: &ApiRequest,
        decode: Decode<T>,
        limit: Duration,
    ) -> Completed<T> {
        let mut budget = self.retry_budget(limit);
        let mut repeated = false;
        loop {
            let attempted = self.attempt_with(request, REQUEST_TIMEOUT, decode).await;
            let (failure, retry_after) = match attempted {
                Attempted::Success(data) => return Completed { outcome: Ok(data), repeated },
                Attempted::Rejected(failure) => {
                    return Completed { outcome: Err(failure), repeated };
                }
                Attempted::Retryable(failure, retry_after) => (failure, retry_after),
            };
            repeated = true;
            if let Err(failure) = budget.pause(failure, retry_after, self.notes).await {
                return Completed { outcome: Err(failure), repeated };
            }
        }
    }

    /// Sends a request once; the response must arrive within `limit`.
    pub(crate) async fn attempt<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
        limit: Duration,
    ) -> Attempted<T> {
        self.attempt_with(request, limit, arena_data).await
    }

    /// Sends a request once and decodes the response with `decode`.
    pub(crate) async fn attempt_with<T>(
        &self,
        request: &ApiRequest,
        limit: Duration,
        decode: Decode<T>,
    ) -> Attempted<T> {
        match self.http.send(request, limit).await {
            Ok(response) => self.classify(&response, decode),
            Err(error) => self.classify_error(&error),
        }
    }

    pub(crate) fn retry_budget(&self, limit: Duration) -> RetryBudget {
        RetryBudget::new(limit, self.pause_min)
    }

    pub(crate) fn classify_error<T>(&self, error: &TransportError) -> Attempted<T> {
        let url = || self.http.url().to_string();
        match error {
            TransportError::Net(NetError::NotHttp(_) | NetError::TooLarge(_)) => {
                Attempted::Rejected(Failure::NotAnAweaveServer {
                    url: url(),
                    what: error.to_string(),
                })
            }
            TransportError::Net(NetError::Untrusted(_)) => {
                Attempted::Rejected(self.unreachable(error.to_string()))
            }
            TransportError::Unproven(purpose) => {
                Attempted::Rejected(Failure::ServerNotProven { url: url(), purpose: *purpose })
            }
            TransportError::Net(NetError::Connect(err)) if self.is_absent(err) => {
                Attempted::Rejected(self.unreachable(error.to_string()))
            }
            TransportError::Net(NetError::Connect(_) | NetError::Closed { .. })
            | TransportError::Timeout => {
                Attempted::Retryable(self.unreachable(error.to_string()), None)
            }
        }
    }

    /// Whether no server listens on this machine and the command does not wait for one.
    fn is_absent(&self, err: &io::Error) -> bool {
        self.when_refused == WhenRefused::Fail
            && self.http.url().is_loopback()
            && err.kind() == io::ErrorKind::ConnectionRefused
    }

    /// The failure of a server that does not answer.
    pub(crate) fn unreachable(&self, cause: String) -> Failure {
        Failure::Unreachable { url: self.http.url().to_string(), cause, again: None }
    }

    fn classify<T>(&self, response: &ApiResponse, decode: Decode<T>) -> Attempted<T> {
        if (200..300).contains(&response.status) {
            return match decode(response) {
                Some(data) => Attempted::Success(data),
                None => Attempted::Rejected(self.unexpected_response(response)),
            };
        }
        let refusal = refusal(response);
        match response.status {
            429 | 502..=504 => {
                // A proxy in front of a server that restarts sends a page of its own.
                let away = || self.unreachable(response.describe());
                Attempted::Retryable(refusal.unwrap_or_else(away), response.retry_after)
            }
            _ => Attempted::Rejected(refusal.unwrap_or_else(|| self.unexpected_response(response))),
        }
    }

    /// The failure of a response that no aweave server sends.
    pub(crate) fn unexpected_response(&self, response: &ApiResponse) -> Failure {
        Failure::NotAnAweaveServer { url: self.http.url().to_string(), what: response.describe() }
    }
}

/// The data in the arena's envelope.
pub(crate) fn arena_data<T: DeserializeOwned>(response: &ApiResponse) -> Option<T> {
    serde_json::from_slice::<Success<T>>(&response.body).ok().map(|success| success.data)
}

/// The error of the server. The forum's envelope differs from the others.
fn refusal(response: &ApiResponse) -> Option<Failure> {
    let error = error_body(response)?;
    let body: Value = serde_json::from_slice(&response.body).ok()?;
    let is_forum = body.get("ok").and_then(Value::as_bool) == Some(false);
    Some(if is_forum { Failure::from_forum(error) } else { Failure::from_server(error) })
}

/// The server's error object, if the response contains one.
pub(crate) fn error_body(response: &ApiResponse) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(&response.body).ok()?;
    let mut error = body.get_mut("error")?.take();
    error.get("code")?.as_str()?;
    // The runner adds a sentence beside the envelope, for clients that do not know the envelope.
    let detail = body.get_mut("detail").map(Value::take).filter(Value::is_string);
    if let (Some(detail), Some(fields)) = (detail, error.as_object_mut())
        && fields.get("message") != Some(&detail)
    {
        fields.insert("detail".to_owned(), detail);
    }
    Some(error)
}
