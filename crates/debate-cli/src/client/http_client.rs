//! One request to the server over one connection, with the token once the server may have it, and
//! its retries: pauses that double, with jitter, until a deadline. A server on this machine proves
//! that it has the token first, on the connection that carries the request, so that no other
//! process can take the port in between.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use debate_core::Backoff;
use debate_net::{BaseUrl, Body, Connection, Endpoint, NetError};
use debate_wire::arena::{ARBITRATOR_HEADER, INVITE_HEADER, SEAT_HEADER};
use debate_wire::{Proof, Success, hex, proof_text};
use hmac::{Hmac, KeyInit, Mac};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LINK, RETRY_AFTER, SERVER, USER_AGENT};
use hyper::http::request::Builder;
use hyper::{HeaderMap, Response};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{ApiRequest, ArbitratorToken, Credentials};
use crate::failure::Failure;
use crate::output::ProgressLog;
use crate::settings::Token;

/// The time limit for a connection, and for the proof of the token.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest response that is held in memory.
const RESPONSE_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The largest response to a request for a proof.
const PROOF_BYTES_MAX: usize = 64 * 1024;

const AGENT: &str = concat!("aw/", env!("CARGO_PKG_VERSION"));

/// A server and the token for it.
pub(crate) struct HttpClient {
    endpoint: Endpoint,
    token: Option<Token>,
    /// Whether a server on this machine must prove that it has the token before it gets it.
    wants_proof: bool,
}

/// A request without a response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransportError {
    /// The connection could not be opened, or it failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server on this machine did not prove that it has the secret.
    #[error("it did not prove that it has {0}; {0} was not sent")]
    Unproven(ProofPurpose),
    /// The response did not arrive in time.
    #[error("no response in time")]
    Timeout,
}

/// The secret that a server proves to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProofPurpose {
    /// The server's token.
    Server,
    /// The arbitrator token.
    Arbitrator,
}

impl ProofPurpose {
    /// The name in the request and in the text of the proof.
    const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Arbitrator => "arbitrator",
        }
    }
}

impl fmt::Display for ProofPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "the token",
            Self::Arbitrator => "the arbitrator token",
        })
    }
}

/// A complete response, not yet decoded.
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
    /// The `Link` header, which has the address of the next page of a list.
    pub(crate) link: Option<String>,
    server: Option<String>,
}

impl ApiResponse {
    pub(super) fn new(status: u16, headers: &HeaderMap, body: Vec<u8>) -> Self {
        let text = |name| headers.get(name)?.to_str().ok();
        let seconds = text(RETRY_AFTER).and_then(|text| text.trim().parse().ok());
        Self {
            status,
            retry_after: seconds.map(Duration::from_secs),
            body,
            link: text(LINK).map(str::to_owned),
            server: text(SERVER).map(str::to_owned),
        }
    }

    /// Status and server, for messages about an unexpected response.
    pub(crate) fn describe(&self) -> String {
        let server = self.server.as_deref().map(|name| format!(" from {name}"));
        format!("HTTP {}{}", self.status, server.unwrap_or_default())
    }
}

impl HttpClient {
    pub(crate) const fn new(url: BaseUrl, token: Option<Token>) -> Self {
        Self { endpoint: Endpoint::new(url, CONNECT_TIMEOUT), token, wants_proof: false }
    }

    /// Demands a proof of the token from a server on this machine. For the server's own token.
    pub(crate) fn with_proof(self) -> Self {
        Self { wants_proof: self.url().is_loopback(), ..self }
    }

    pub(crate) const fn url(&self) -> &BaseUrl {
        self.endpoint.url()
    }

    /// Sends a request and reads the whole response, both within `limit`.
    pub(crate) async fn send(
        &self,
        request: &ApiRequest,
        limit: Duration,
    ) -> Result<ApiResponse, TransportError> {
        let exchange = async {
            let (head, body) = self.open(request, &[]).await?.into_parts();
            let body = body.collect(RESPONSE_BYTES_MAX).await?;
            Ok(ApiResponse::new(head.status.as_u16(), &head.headers, body))
        };
        timeout(limit, exchange).await.unwrap_or(Err(TransportError::Timeout))
    }

    /// Sends a request and returns the beginning of the response; the body is read as it arrives.
    pub(crate) async fn open(
        &self,
        request: &ApiRequest,
        headers: &[(&str, &str)],
    ) -> Result<Response<Body>, TransportError> {
        let mut connection = self.endpoint.connect().await?;
        let token = match self.token.as_ref().filter(|_| request.authorized) {
            Some(token) if self.wants_proof => {
                prove(&mut connection, ProofPurpose::Server, token, self.url()).await?
            }
            token => token,
        };
        let mut builder = head(request);
        for (name, secret) in self.arena_headers(request, &mut connection).await? {
            builder = builder.header(name, secret.secret());
        }
        if let Some(token) = token {
            builder = builder.header(AUTHORIZATION, token.header());
        }
        if let Some(key) = &request.key {
            builder = builder.header("idempotency-key", key);
        }
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        if request.body.is_some() {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        let body = Bytes::from(request.body.clone().unwrap_or_default());
        Ok(send_to(&mut connection, builder, body).await?)
    }

    /// The headers with secrets of the arena. The server proves first that it has the arbitrator
    /// token, if that is demanded; a server without one fails.
    async fn arena_headers<'r>(
        &self,
        request: &'r ApiRequest,
        connection: &mut Connection,
    ) -> Result<Vec<(&'static str, &'r Token)>, TransportError> {
        let Credentials { seat, invite, arbitrator } = &request.credentials;
        let seat = seat.iter().map(|token| (SEAT_HEADER, token));
        let invite = invite.iter().map(|token| (INVITE_HEADER, token));
        let mut headers: Vec<_> = seat.chain(invite).collect();
        if let Some(ArbitratorToken { token, wants_proof }) = arbitrator {
            const PURPOSE: ProofPurpose = ProofPurpose::Arbitrator;
            if *wants_proof {
                let proven = prove(connection, PURPOSE, token, self.url()).await?;
                proven.ok_or(TransportError::Unproven(PURPOSE))?;
            }
            headers.push((ARBITRATOR_HEADER, token));
        }
        Ok(headers)
    }
}

/// Method, path and the headers of every request.
fn head(request: &ApiRequest) -> Builder {
    hyper::Request::builder()
        .method(request.method.clone())
        .uri(&request.path)
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, "application/json, text/event-stream")
}

async fn send_to(
    connection: &mut Connection,
    builder: Builder,
    body: Bytes,
) -> Result<Response<Body>, NetError> {
    let request = builder.body(body).map_err(|err| NetError::NotHttp(err.to_string()))?;
    connection.send(request).await
}

/// The token if the server proves that it has it, none if the server has no token. The proof uses
/// the connection of the request, so that no other program can answer in between.
async fn prove<'t>(
    connection: &mut Connection,
    purpose: ProofPurpose,
    token: &'t Token,
    url: &BaseUrl,
) -> Result<Option<&'t Token>, TransportError> {
    let nonce = Nonce::new(purpose);
    let exchange = async {
        let response = send_to(connection, head(&nonce.request()), Bytes::new()).await?;
        let status = response.status().as_u16();
        let body = response.into_body().collect(PROOF_BYTES_MAX).await.unwrap_or_default();
        Ok::<_, NetError>((status, body))
    };
    let answered = timeout(CONNECT_TIMEOUT, exchange).await;
    let (status, body) = answered.map_err(|_| TransportError::Timeout)??;
    connection.ready().await?;
    match nonce.check(status, &body, token, url.port) {
        ProofResult::HasToken => Ok(Some(token)),
        ProofResult::NoToken => Ok(None),
        ProofResult::Failed => Err(TransportError::Unproven(purpose)),
    }
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofResult {
    /// The server has the token.
    HasToken,
    /// The server has no token, so it gets none.
    NoToken,
    /// The server does not have this token, or another program uses the port.
    Failed,
}

/// A number that is used once, and the secret that is to be proven with it.
pub(super) struct Nonce {
    digits: String,
    purpose: ProofPurpose,
}

impl Nonce {
    pub(super) fn new(purpose: ProofPurpose) -> Self {
        let digits = format!("{}{}", Uuid::now_v7().simple(), Uuid::now_v7().simple());
        Self { digits, purpose }
    }

    pub(super) fn request(&self) -> ApiRequest {
        let path = format!("/proof?of={}&nonce={}", self.purpose.name(), self.digits);
        ApiRequest { authorized: false, ..ApiRequest::get(path) }
    }

    /// Checks the answer to the request against the token and the port of the connection.
    pub(super) fn check(&self, status: u16, body: &[u8], token: &Token, port: u16) -> ProofResult {
        let Some(answer) = serde_json::from_slice::<Success<Proof>>(body).ok() else {
            return ProofResult::Failed;
        };
        let Some(proof) = answer.data.proof.filter(|_| status == 200) else {
            return if status == 200 { ProofResult::NoToken } else { ProofResult::Failed };
        };
        let key = Sha256::digest(token.secret());
        let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&key) else {
            return ProofResult::Failed;
        };
        mac.update(proof_text(self.purpose.name(), port, &self.digits).as_bytes());
        let expected = hex(&mac.finalize().into_bytes());
        if answer.data.port == port && expected == proof {
            ProofResult::HasToken
        } else {
            ProofResult::Failed
        }
    }
}

/// The longest pause that the client chooses itself.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// The remaining time for retries, and the next pause.
pub(crate) struct RetryBudget {
    deadline: Instant,
    backoff: Backoff,
    pause_min: Duration,
    failures: u32,
    has_noted: bool,
}

impl RetryBudget {
    pub(crate) fn new(limit: Duration, pause_min: Duration) -> Self {
        let backoff = Backoff {
            first: pause_min.max(Duration::from_millis(1)),
            factor: 2,
            longest: PAUSE_MAX.max(pause_min),
            // Clients that lost the same server must not return together.
            percent: (50, 150),
        };
        Self { deadline: Instant::now() + limit, backoff, pause_min, failures: 0, has_noted: false }
    }

    /// Starts again with the shortest pause, after a response arrived.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
        self.has_noted = false;
    }

    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Sleeps before the next attempt, at least `retry_after`. Returns the failure if the attempt
    /// would begin after the deadline.
    pub(crate) async fn pause(
        &mut self,
        failure: Failure,
        retry_after: Option<Duration>,
        notes: ProgressLog,
    ) -> Result<(), Failure> {
        let pause = self.backoff.pause(self.failures, Uuid::new_v4().as_fields().1);
        let pause = pause.max(self.pause_min).max(retry_after.unwrap_or_default());
        if pause >= self.remaining() {
            return Err(failure);
        }
        if !self.has_noted {
            let limit = self.remaining().as_secs_f64().ceil();
            notes.print(format_args!("retrying for up to {limit} s: {failure}"));
            self.has_noted = true;
        }
        tokio::time::sleep(pause).await;
        self.failures = self.failures.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: ProgressLog = ProgressLog { quiet: true };

    fn failure() -> Failure {
        Failure::Local("no".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_at_the_deadline() {
        let started = Instant::now();
        let mut budget = RetryBudget::new(Duration::from_secs(10), Duration::from_millis(100));
        let mut tries = 0;
        while budget.pause(failure(), None, QUIET).await.is_ok() {
            tries += 1;
        }
        assert!(started.elapsed() <= Duration::from_secs(10));
        assert!((5..30).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_respected_unless_it_ends_after_the_deadline() {
        let mut budget = RetryBudget::new(Duration::from_secs(10), Duration::from_millis(100));
        let started = Instant::now();
        let wanted = Some(Duration::from_secs(5));
        assert!(budget.pause(failure(), wanted, QUIET).await.is_ok());
        assert!(started.elapsed() >= Duration::from_secs(5));
        assert!(budget.pause(failure(), Some(Duration::from_mins(1)), QUIET).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn budget_of_zero_allows_one_attempt() {
        let mut budget = RetryBudget::new(Duration::ZERO, Duration::ZERO);
        assert!(budget.pause(failure(), None, QUIET).await.is_err());
    }
}
