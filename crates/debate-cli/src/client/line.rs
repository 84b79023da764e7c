//! One request over one connection: TCP, TLS where the URL says so, HTTP/1.1.
//!
//! hyper itself, without a client above it: a command makes one request or two, so there is nothing
//! to pool, nothing to redirect to, and nothing of it to be paid for at start (decisions/0009).

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, LINK, RETRY_AFTER, SERVER, USER_AGENT,
};
use hyper::{HeaderMap, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::proof::{Nonce, Proven};
use super::{Request, tls};
use crate::address::ServerUrl;
use crate::settings::Token;

/// How long a machine has to take a connection, before it counts as away.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// The longest answer that is held in memory.
const ANSWER_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The longest answer to a request for a proof that is read.
const PROOF_BYTES_MAX: usize = 64 * 1024;

/// Who calls.
const AGENT: &str = concat!("aw/", env!("CARGO_PKG_VERSION"));

/// A connection that speaks HTTP, and what drives it.
type Spoken = (SendRequest<Full<Bytes>>, JoinHandle<hyper::Result<()>>);

/// A server that can be called.
pub(crate) struct Line {
    url: ServerUrl,
    token: Option<Token>,
    /// Whether a server on this machine must prove that it has the token before it gets it.
    wants_proof: bool,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    /// Nobody took the connection.
    #[error("{0}")]
    NoConnection(io::Error),
    /// Whoever answers there can't show that it is the server.
    #[error("the certificate is not trusted: {0}")]
    Untrusted(String),
    /// The server on this machine did not prove that it has the token.
    #[error("it did not prove that it has the token; the token was not sent")]
    Unproven,
    /// The connection was lost, and with it the answer.
    #[error("connection lost: {0}")]
    Cut(String),
    /// What came is no HTTP.
    #[error("{0}")]
    NoHttp(String),
    /// It took too long.
    #[error("no response in time")]
    Slow,
}

/// An answer, whole.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Bytes,
    /// Where a list goes on.
    pub(crate) link: Option<String>,
    server: Option<String>,
}

impl Answer {
    /// What came, for someone who expected something else.
    pub(crate) fn describe(&self) -> String {
        let server = self.server.as_deref().map(|name| format!(" from {name}"));
        format!("HTTP {}{}", self.status, server.unwrap_or_default())
    }
}

impl Line {
    pub(crate) const fn new(url: ServerUrl, token: Option<Token>) -> Self {
        Self { url, token, wants_proof: false }
    }

    /// The same for the server's own token: a server on this machine must prove that it has it.
    pub(crate) fn with_proof(self) -> Self {
        Self { wants_proof: self.url.is_loopback(), ..self }
    }

    pub(crate) const fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// One request, one answer, in `time`.
    pub(crate) async fn send(&self, request: &Request, time: Duration) -> Result<Answer, Broken> {
        let exchange = async {
            let (head, body) = self.open(request, &[]).await?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|err| match err.downcast::<hyper::Error>() {
                Ok(err) => cut(&err),
                Err(_) => {
                    Broken::NoHttp(format!("the response has more than {ANSWER_BYTES_MAX} bytes"))
                }
            })?;
            Ok(answer(head.status.as_u16(), &head.headers, body.to_bytes()))
        };
        timeout(time, exchange).await.unwrap_or(Err(Broken::Slow))
    }

    /// Sends a request and gives back the answer's beginning; the rest is read as it comes.
    pub(crate) async fn open(
        &self,
        request: &Request,
        headers: &[(&str, &str)],
    ) -> Result<Response<Incoming>, Broken> {
        let (mut sender, driver) = self.connect().await?;
        let token = self.token.as_ref().filter(|_| request.authorized);
        let token = match token {
            Some(token) if self.wants_proof => self.proven(&mut sender, token).await?,
            given => given,
        };
        let mut building = self.head(request);
        if let Some(token) = token {
            building = building.header(AUTHORIZATION, token.header());
        }
        if let Some(key) = &request.key {
            building = building.header("idempotency-key", key);
        }
        for (name, value) in headers {
            building = building.header(*name, *value);
        }
        if request.body.is_some() {
            building = building.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(Bytes::from(request.body.clone().unwrap_or_default()));
        let sending = building.body(body).map_err(|err| Broken::NoHttp(err.to_string()))?;
        match sender.send_request(sending).await {
            // What went wrong with the connection itself, only its driver knows.
            Err(err) if err.is_canceled() => Err(driver.await.map_or_else(
                |_| cut(&err),
                |driven| driven.map_or_else(|why| cut(&why), |()| cut(&err)),
            )),
            other => other.map_err(|err| cut(&err)),
        }
    }

    /// What every request begins with.
    fn head(&self, request: &Request) -> hyper::http::request::Builder {
        hyper::Request::builder()
            .method(request.method.clone())
            .uri(format!("{}{}", self.url.base, request.path))
            .header(HOST, &self.url.authority)
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "application/json, text/event-stream")
    }

    /// The token if the server proves that it has it, none if the server has no token.
    async fn proven<'t>(
        &self,
        sender: &mut SendRequest<Full<Bytes>>,
        token: &'t Token,
    ) -> Result<Option<&'t Token>, Broken> {
        let nonce = Nonce::new();
        let question = self.head(&nonce.request()).body(Full::default());
        let question = question.map_err(|err| Broken::NoHttp(err.to_string()))?;
        let asked = async {
            let (head, body) = sender.send_request(question).await?.into_parts();
            let body = Limited::new(body, PROOF_BYTES_MAX).collect().await;
            Ok((head.status.as_u16(), body.map(Collected::to_bytes).unwrap_or_default()))
        };
        let answered = timeout(CONNECT_TIME, asked).await.map_err(|_| Broken::Slow)?;
        let (status, body) = answered.map_err(|err| cut(&err))?;
        sender.ready().await.map_err(|err| cut(&err))?;
        match nonce.check(status, &body, token, self.url.port) {
            Proven::Yes => Ok(Some(token)),
            Proven::NoToken => Ok(None),
            Proven::No => Err(Broken::Unproven),
        }
    }

    async fn connect(&self) -> Result<Spoken, Broken> {
        let address = (self.url.host.as_str(), self.url.port);
        let slow = || io::Error::new(io::ErrorKind::TimedOut, "connecting timed out");
        let connected = timeout(CONNECT_TIME, TcpStream::connect(address)).await;
        let stream = connected.map_err(|_| Broken::NoConnection(slow()))?;
        let stream = stream.map_err(Broken::NoConnection)?;
        // A request is one small packet, and waits for nothing.
        stream.set_nodelay(true).map_err(Broken::NoConnection)?;
        if self.url.tls {
            let secured = timeout(CONNECT_TIME, tls::secure(&self.url.host, stream)).await;
            speak(secured.map_err(|_| Broken::NoConnection(slow()))??).await
        } else {
            speak(stream).await
        }
    }
}

/// Starts HTTP on a connection. What drives it ends with the command.
async fn speak<S>(stream: S) -> Result<Spoken, Broken>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (sender, connection) = handshake.map_err(|err| cut(&err))?;
    Ok((sender, tokio::spawn(connection)))
}

/// The whole chain of causes: hyper's first words alone say little.
fn cut(err: &hyper::Error) -> Broken {
    let mut told = err.to_string();
    let mut cause = std::error::Error::source(err);
    while let Some(next) = cause {
        told = format!("{told}: {next}");
        cause = next.source();
    }
    // Who speaks before being asked is no HTTP server either; these words are all hyper has for it.
    let is_talk = err.is_parse() || told.contains("unexpected message");
    if is_talk { Broken::NoHttp("the response is not HTTP".to_owned()) } else { Broken::Cut(told) }
}

pub(super) fn answer(status: u16, headers: &HeaderMap, body: Bytes) -> Answer {
    let text = |name| headers.get(name)?.to_str().ok();
    let seconds = text(RETRY_AFTER).and_then(|text| text.trim().parse().ok());
    Answer {
        status,
        retry_after: seconds.map(Duration::from_secs),
        body,
        link: text(LINK).map(str::to_owned),
        server: text(SERVER).map(str::to_owned),
    }
}
