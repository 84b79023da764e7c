//! HTTP/1.1 requests to one server: TCP, a proxy where the environment names one, TLS.
//!
//! hyper without a pooling client above it. TCP with both address families and the environment's
//! proxies come from hyper-util, TLS from rustls (decisions/0075). Redirects are not followed and
//! nothing is retried.

use std::error::Error;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::tls;
use crate::{BaseUrl, TlsError, client_config, trusted_roots};

/// A server that connections can be opened to.
pub struct Endpoint {
    url: BaseUrl,
    connect_timeout: Duration,
    proxies: Option<Matcher>,
    /// Loaded with the first `https` connection: reading the system's roots takes milliseconds.
    tls: OnceLock<Arc<ClientConfig>>,
}

/// A connection that speaks HTTP.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<hyper::Result<()>>,
    host: String,
    /// Precedes the path of every request: the prefix of the URL, and the origin for a
    /// proxy of plain HTTP.
    prefix: String,
    proxy_authorization: Option<HeaderValue>,
}

/// The body of a response.
#[derive(Debug)]
pub struct Body(Incoming);

/// A request without a response.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// No connection was opened, so nothing was sent.
    #[error("{0}")]
    Connect(io::Error),
    /// The server could not prove its name, so nothing was sent.
    #[error("the certificate is not trusted: {0}")]
    Untrusted(String),
    /// The connection ended. The server may have executed the request.
    #[error("connection lost: {message}")]
    Closed {
        /// The whole chain of causes.
        message: String,
        /// The error of the system, if there was one.
        kind: Option<io::ErrorKind>,
    },
    /// The peer does not speak HTTP.
    #[error("{0}")]
    NotHttp(String),
    /// A body has more bytes than the caller accepts.
    #[error("the response has more than {0} bytes")]
    TooLarge(usize),
}

impl Endpoint {
    /// A server that is reached directly. `connect_timeout` limits TCP, proxy and TLS together.
    #[must_use]
    pub const fn new(url: BaseUrl, connect_timeout: Duration) -> Self {
        Self { url, connect_timeout, proxies: None, tls: OnceLock::new() }
    }

    /// Uses the proxies of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower
    /// case, except for this machine.
    #[must_use]
    pub fn with_environment_proxies(self) -> Self {
        let proxies = (!self.url.is_loopback()).then(Matcher::from_env);
        Self { proxies, ..self }
    }

    /// The URL of the server.
    #[must_use]
    pub const fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// Loads the trusted roots if the URL needs them, so that a problem shows before a request.
    pub fn prepare_tls(&self) -> Result<(), TlsError> {
        if self.url.tls { self.tls_config().map(drop) } else { Ok(()) }
    }

    /// Opens a new connection, through the proxy if there is one.
    pub async fn connect(&self) -> Result<Connection, NetError> {
        let opened = timeout(self.connect_timeout, self.open()).await;
        opened.unwrap_or_else(|_| {
            let message = "connecting timed out";
            Err(NetError::Connect(io::Error::new(io::ErrorKind::TimedOut, message)))
        })
    }

    async fn open(&self) -> Result<Connection, NetError> {
        let uri = self.url.origin().parse::<Uri>();
        let uri = uri.map_err(|err| NetError::NotHttp(err.to_string()))?;
        let proxy = self.proxies.as_ref().and_then(|proxies| proxies.intercept(&uri));
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        // A request is one small packet and must not wait for more data.
        connector.set_nodelay(true);
        let mut connection = match &proxy {
            Some(proxy) if proxy.uri().scheme_str() != Some("http") => {
                let message = "proxies must have an http:// address";
                return Err(NetError::Connect(io::Error::new(io::ErrorKind::Unsupported, message)));
            }
            Some(proxy) if self.url.tls => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), connector);
                if let Some(authorization) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(authorization.clone());
                }
                self.speak(tunnel.oneshot(uri).await.map_err(|err| connect_error(&err))?).await?
            }
            Some(proxy) => {
                let stream = connector.oneshot(proxy.uri().clone()).await;
                self.speak(stream.map_err(|err| connect_error(&err))?).await?
            }
            None => {
                let stream = connector.oneshot(uri).await;
                self.speak(stream.map_err(|err| connect_error(&err))?).await?
            }
        };
        if let Some(proxy) = proxy.filter(|_| !self.url.tls) {
            connection.prefix = self.url.to_string();
            connection.proxy_authorization = proxy.basic_auth().cloned();
        }
        Ok(connection)
    }

    async fn speak(&self, stream: TokioIo<TcpStream>) -> Result<Connection, NetError> {
        if !self.url.tls {
            return self.handshake(stream.into_inner()).await;
        }
        let config = self.tls_config().map_err(|err| NetError::Untrusted(err.to_string()))?;
        self.handshake(tls::start(config, &self.url.host, stream.into_inner()).await?).await
    }

    async fn handshake<S>(&self, stream: S) -> Result<Connection, NetError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (sender, driver) = handshake.map_err(|err| http_error(&err))?;
        Ok(Connection {
            sender,
            driver: tokio::spawn(driver),
            host: self.url.authority.clone(),
            prefix: self.url.path.clone(),
            proxy_authorization: None,
        })
    }

    fn tls_config(&self) -> Result<Arc<ClientConfig>, TlsError> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(client_config(trusted_roots(None)?)?);
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }
}

impl Connection {
    /// Sends a request and returns the beginning of the response. The path of the request follows
    /// the prefix of the URL; the `Host` header is added.
    pub async fn send(&mut self, request: Request<Bytes>) -> Result<Response<Body>, NetError> {
        let (mut head, body) = request.into_parts();
        let uri = format!("{}{}", self.prefix, head.uri);
        head.uri = uri.parse().map_err(|_| NetError::NotHttp(format!("invalid path {uri}")))?;
        let host = HeaderValue::try_from(&self.host);
        let host = host.map_err(|err| NetError::NotHttp(err.to_string()))?;
        head.headers.insert(HOST, host);
        if let Some(authorization) = &self.proxy_authorization {
            head.headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        let sent = self.sender.send_request(Request::from_parts(head, Full::new(body))).await;
        match sent {
            Ok(response) => Ok(response.map(Body)),
            // Only the task that drives the connection knows why it ended.
            Err(err) if err.is_canceled() => Err(match (&mut self.driver).await {
                Ok(Err(cause)) => http_error(&cause),
                Ok(Ok(())) | Err(_) => http_error(&err),
            }),
            Err(err) => Err(http_error(&err)),
        }
    }

    /// Waits until the connection can carry another request.
    pub async fn ready(&mut self) -> Result<(), NetError> {
        self.sender.ready().await.map_err(|err| http_error(&err))
    }
}

impl Body {
    /// The next bytes; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, NetError> {
        while let Some(frame) = self.0.frame().await {
            let frame = frame.map_err(|err| http_error(&err))?;
            // Trailers are of no interest.
            if let Ok(bytes) = frame.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The whole body, of at most `bytes_max` bytes.
    pub async fn collect(mut self, bytes_max: usize) -> Result<Vec<u8>, NetError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > bytes_max {
                return Err(NetError::TooLarge(bytes_max));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

/// The causes of an error, the error itself first.
fn chain<'e>(err: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(err), |&err| err.source())
}

fn connect_error(err: &(dyn Error + 'static)) -> NetError {
    let cause = chain(err).filter_map(|err| err.downcast_ref::<io::Error>()).last();
    NetError::Connect(match cause {
        Some(cause) => io::Error::new(cause.kind(), cause.to_string()),
        None => io::Error::other(err.to_string()),
    })
}

fn http_error(err: &hyper::Error) -> NetError {
    let message = chain(err).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    // hyper has no predicate for a peer that speaks before it is asked, only these words.
    if err.is_parse() || message.contains("unexpected message") {
        return NetError::NotHttp("the response is not HTTP".to_owned());
    }
    let cause = chain(err).filter_map(|err| err.downcast_ref::<io::Error>()).last();
    NetError::Closed { message, kind: cause.map(io::Error::kind) }
}
