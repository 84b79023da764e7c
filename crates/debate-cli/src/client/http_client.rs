//! One request to the server over one connection, with the token once the server may have it.

use std::time::Duration;

use bytes::Bytes;
use debate_net::{BaseUrl, Body, Connection, Endpoint, NetError};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LINK, RETRY_AFTER, SERVER, USER_AGENT};
use hyper::http::request::Builder;
use hyper::{HeaderMap, Response};
use tokio::time::timeout;

use super::ApiRequest;
use super::proof::{Nonce, ProofResult};
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
    /// The server on this machine did not prove that it has the token.
    #[error("it did not prove that it has the token; the token was not sent")]
    Unproven,
    /// The response did not arrive in time.
    #[error("no response in time")]
    Timeout,
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
            Some(token) if self.wants_proof => prove(&mut connection, token, self.url()).await?,
            token => token,
        };
        let mut builder = head(request);
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
    token: &'t Token,
    url: &BaseUrl,
) -> Result<Option<&'t Token>, TransportError> {
    let nonce = Nonce::new();
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
        ProofResult::Failed => Err(TransportError::Unproven),
    }
}
