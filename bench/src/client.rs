//! Real clients, one connection each: HTTP/1.1 with keep-alive, server-sent events, WebSocket.
//!
//! A connection is driven by the task that uses it. hyper's own way, a task of its own for each
//! connection, would cost two more wake-ups a request, paid from the cores the server needs.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::Poll;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

/// What is asked, and what must come back.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    body: Bytes,
    expected: StatusCode,
}

impl Ask {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        let (path, body) = (path.into(), Bytes::new());
        Self { method: Method::GET, path, body, expected: StatusCode::OK }
    }

    /// A write; a replayed one would be a mistake of ours, so 200 is not good enough.
    pub(crate) fn post(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        let (path, body) = (path.into(), body.into());
        Self { method: Method::POST, path, body, expected: StatusCode::CREATED }
    }
}

/// An HTTP/1.1 connection, kept alive.
pub(crate) struct Client {
    host: HeaderValue,
    wire: Wire,
    sender: SendRequest<Full<Bytes>>,
}

struct Wire(Pin<Box<Connection<TokioIo<TcpStream>, Full<Bytes>>>>);

impl Wire {
    /// Sees `exchange` through, moving bytes meanwhile.
    async fn drive<T>(
        &mut self,
        exchange: impl Future<Output = hyper::Result<T>>,
    ) -> anyhow::Result<T> {
        let mut exchange = pin!(exchange);
        poll_fn(|cx| {
            if let Poll::Ready(done) = exchange.as_mut().poll(cx) {
                return Poll::Ready(done.map_err(Into::into));
            }
            let closed = self.0.as_mut().poll(cx);
            // What the connection just read may be what the exchange waits for.
            match (exchange.as_mut().poll(cx), closed) {
                (Poll::Ready(done), _) => Poll::Ready(done.map_err(Into::into)),
                (Poll::Pending, Poll::Ready(Err(err))) => Poll::Ready(Err(err.into())),
                (Poll::Pending, Poll::Ready(Ok(()))) => {
                    Poll::Ready(Err(anyhow::anyhow!("the server closed the connection")))
                }
                (Poll::Pending, Poll::Pending) => Poll::Pending,
            }
        })
        .await
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let io = TokioIo::new(dial(address).await?);
        let (sender, connection) = http1::handshake(io).await?;
        let host = HeaderValue::try_from(address.to_string())?;
        Ok(Self { host, wire: Wire(Box::pin(connection)), sender })
    }

    /// The answer's body; any other status than the expected one is an error that shows it.
    pub(crate) async fn ask(&mut self, ask: &Ask) -> anyhow::Result<Bytes> {
        let request = self.request(ask)?;
        let sender = &mut self.sender;
        let exchange = async move {
            let response = send(sender, request).await?;
            let status = response.status();
            Ok((status, response.into_body().collect().await?.to_bytes()))
        };
        let (status, body) = self.wire.drive(exchange).await?;
        let Ask { method, path, expected, .. } = ask;
        ensure!(
            status == *expected,
            "{method} {path} answered {status} instead of {expected}: {}",
            String::from_utf8_lossy(&body)
        );
        Ok(body)
    }

    /// The same, read as JSON, without its envelope.
    pub(crate) async fn data(&mut self, ask: &Ask) -> anyhow::Result<Value> {
        data_of(&self.ask(ask).await?)
    }

    /// Only the status, whatever it is.
    pub(crate) async fn status(&mut self, ask: &Ask) -> anyhow::Result<StatusCode> {
        let request = self.request(ask)?;
        Ok(self.wire.drive(send(&mut self.sender, request)).await?.status())
    }

    fn request(&self, ask: &Ask) -> anyhow::Result<Request<Full<Bytes>>> {
        let mut request = Request::new(Full::new(ask.body.clone()));
        *request.method_mut() = ask.method.clone();
        *request.uri_mut() = ask.path.parse()?;
        request.headers_mut().insert(HOST, self.host.clone());
        if ask.method == Method::POST {
            let json = HeaderValue::from_static("application/json");
            request.headers_mut().insert(CONTENT_TYPE, json);
        }
        Ok(request)
    }

    /// Gives the connection up to a stream of events that never ends by itself.
    pub(crate) async fn events(mut self, path: String) -> anyhow::Result<Events> {
        let request = self.request(&Ask::get(path))?;
        let response = self.wire.drive(send(&mut self.sender, request)).await?;
        ensure!(response.status() == StatusCode::OK, "the stream answered {}", response.status());
        let body = response.into_body();
        Ok(Events { wire: self.wire, _sender: self.sender, body, unread: Vec::new() })
    }
}

async fn send(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> hyper::Result<Response<Incoming>> {
    sender.ready().await?;
    sender.send_request(request).await
}

/// What stands inside the envelope.
pub(crate) fn data_of(body: &[u8]) -> anyhow::Result<Value> {
    let mut answer: Value = serde_json::from_slice(body)?;
    answer.get_mut("data").map(Value::take).context("an answer without data")
}

/// The server's events, as they come.
pub(crate) struct Events {
    wire: Wire,
    /// hyper closes a connection whose sender is gone as soon as it may.
    _sender: SendRequest<Full<Bytes>>,
    body: Incoming,
    unread: Vec<u8>,
}

impl Events {
    /// Waits for the next whole event of this name, letting others pass.
    pub(crate) async fn next_named(&mut self, name: &str) -> anyhow::Result<()> {
        loop {
            while let Some(block) = take_block(&mut self.unread) {
                if is_named(&block, name) {
                    return Ok(());
                }
                ensure!(!is_named(&block, "end"), "the stream ended");
            }
            let body = &mut self.body;
            let frame = self.wire.drive(async { body.frame().await.transpose() }).await?;
            let frame = frame.context("the stream ended")?;
            if let Ok(bytes) = frame.into_data() {
                self.unread.extend_from_slice(&bytes);
            }
        }
    }
}

/// Takes everything up to and with the first blank line.
fn take_block(unread: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = unread.windows(2).position(|pair| pair == b"\n\n")? + 2;
    Some(unread.drain(..end).collect())
}

fn is_named(block: &[u8], name: &str) -> bool {
    let mut lines = block.split(|&byte| byte == b'\n');
    lines.any(|line| {
        line.strip_prefix(b"event:").is_some_and(|value| value.trim_ascii() == name.as_bytes())
    })
}

/// A WebSocket, read only.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    pub(crate) async fn connect(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        Self::try_connect(address, path).await?.context("the server has no such route")
    }

    /// None when the server has no such route.
    pub(crate) async fn try_connect(
        address: SocketAddr,
        path: &str,
    ) -> anyhow::Result<Option<Self>> {
        let stream = dial(address).await?;
        // Ten thousand of the default buffers, of 128 KiB each, would not be measuring the server.
        let small = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(0);
        let url = format!("ws://{address}{path}");
        match tokio_tungstenite::client_async_with_config(url, stream, Some(small)).await {
            Ok((socket, _)) => Ok(Some(Self(socket))),
            Err(SocketError::Http(refusal)) if refusal.status() == StatusCode::NOT_FOUND => {
                Ok(None)
            }
            Err(SocketError::Http(refusal)) => {
                let body = refusal.body().as_deref().unwrap_or_default();
                let (status, body) = (refusal.status(), String::from_utf8_lossy(body));
                bail!("{path} answered {status} instead of an upgrade: {body}")
            }
            Err(err) => Err(err.into()),
        }
    }

    /// Waits for the next event of this name, letting others pass. Pings are answered meanwhile.
    pub(crate) async fn next_named(&mut self, name: &str) -> anyhow::Result<()> {
        let opening = format!("{{\"event\":\"{name}\"");
        loop {
            match self.0.next().await.context("the socket ended")?? {
                Message::Text(text) if text.starts_with(&opening) => return Ok(()),
                Message::Close(reason) => bail!("the server closed the socket: {reason:?}"),
                Message::Text(_)
                | Message::Binary(_)
                | Message::Ping(_)
                | Message::Pong(_)
                | Message::Frame(_) => {}
            }
        }
    }
}

async fn dial(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(address).await.context("cannot connect")?;
    stream.set_nodelay(true)?;
    // A reset instead of a farewell: else the ports of ten thousand connections that are over
    // would stay taken for a minute.
    stream.set_zero_linger()?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_taken_only_when_it_is_whole() {
        let mut unread = b"retry: 2000\n\nevent: argument\nid: 7\ndata: {}\n".to_vec();
        let first = take_block(&mut unread).unwrap();
        assert!(!is_named(&first, "argument"));
        assert_eq!(take_block(&mut unread), None);
        unread.extend_from_slice(b"\n: heartbeat\n\n");
        assert!(is_named(&take_block(&mut unread).unwrap(), "argument"));
        assert!(!is_named(&take_block(&mut unread).unwrap(), "argument"));
        assert!(unread.is_empty());
    }

    #[test]
    fn an_event_is_known_by_its_name_and_not_by_what_it_carries() {
        assert!(is_named(b"event:argument\ndata: 1\n\n", "argument"));
        assert!(!is_named(b"event: end\ndata: event: argument\n\n", "argument"));
    }

    #[test]
    fn the_envelope_is_taken_off() {
        let data = data_of(br#"{"success":true,"data":{"total":3}}"#).unwrap();
        assert_eq!(data, serde_json::json!({"total": 3}));
        assert!(data_of(br#"{"success":false}"#).is_err());
    }
}
