//! Real clients, one connection each: HTTP/1.1 with keep-alive.
//!
//! An exchange is one write and usually one read, into buffers that the connection keeps. A full
//! HTTP client would cost more CPU per request, taken from the cores that the server needs.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, ensure};
use httparse::Status;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::http::{Method, StatusCode};

/// The size of one read: enough for the complete response to a claim, head included.
const READ_BYTES: usize = 4096;

/// More headers than any response of the server has.
const HEADERS_MAX: usize = 32;

/// A request and the status that its response must have.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: Method,
    path: String,
    /// Additional headers, each with its line end.
    headers: String,
    body: String,
    expected: StatusCode,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, String::new(), StatusCode::OK)
    }

    /// A write that must create something: status 201. A replay (200) would be a
    /// bug of this program.
    pub(crate) fn post(path: impl Into<String>, body: String) -> Self {
        Self::new(Method::POST, path, body, StatusCode::CREATED)
    }

    /// A write that creates nothing: status 200.
    pub(crate) fn command(path: impl Into<String>, body: String) -> Self {
        Self::new(Method::POST, path, body, StatusCode::OK)
    }

    fn new(method: Method, path: impl Into<String>, body: String, expected: StatusCode) -> Self {
        Self { method, path: path.into(), headers: String::new(), body, expected }
    }

    /// The same request with one more header.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.extend([name, ": ", value, "\r\n"]);
        self
    }

    fn write_to(&self, request: &mut Vec<u8>, host: SocketAddr) -> std::io::Result<()> {
        let Self { method, path, headers, body, .. } = self;
        write!(request, "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}")?;
        if *method == Method::POST {
            let length = body.len();
            write!(request, "content-type: application/json\r\ncontent-length: {length}\r\n")?;
        }
        write!(request, "\r\n{body}")
    }
}

/// An HTTP/1.1 connection, kept alive.
pub(crate) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    /// The request that was sent last.
    request: Vec<u8>,
    /// The bytes of its response that were read so far.
    answer: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = dial(address).await?;
        Ok(Self { address, stream, request: Vec::new(), answer: Vec::new() })
    }

    /// Returns the response body; any other status than the expected one is an
    /// error that contains it.
    pub(crate) async fn exchange(&mut self, request: &Request) -> anyhow::Result<&[u8]> {
        let head = self.send(request).await?;
        let length = head.content_length.context("a response without a content-length")?;
        let total_bytes = head.bytes + length;
        while self.answer.len() < total_bytes {
            self.read_more().await?;
        }
        ensure!(self.answer.len() == total_bytes, "more bytes than the response");
        let body = self.answer.get(head.bytes..).unwrap_or_default();
        let (Request { method, path, expected, .. }, status) = (request, head.status);
        ensure!(
            status == *expected,
            "{method} {path} answered {status} instead of {expected}: {}",
            String::from_utf8_lossy(body)
        );
        Ok(body)
    }

    /// The same, parsed as JSON, without its envelope.
    pub(crate) async fn exchange_json(&mut self, request: &Request) -> anyhow::Result<Value> {
        envelope_data(self.exchange(request).await?)
    }

    /// Returns the status, whatever it is. The body stays unread, so the connection
    /// cannot be used again.
    pub(crate) async fn status(mut self, request: &Request) -> anyhow::Result<StatusCode> {
        Ok(self.send(request).await?.status)
    }

    /// Reads a response to the end of the connection.
    pub(crate) async fn read_to_end(mut self, request: &Request) -> anyhow::Result<()> {
        let head = self.send(request).await?;
        ensure!(head.status == request.expected, "the stream answered {}", head.status);
        self.stream.read_to_end(&mut self.answer).await.context("the connection broke")?;
        Ok(())
    }

    /// Starts a stream that does not end, and returns the connection with the bytes read so far.
    pub(crate) async fn stream(mut self, path: String) -> anyhow::Result<(TcpStream, Vec<u8>)> {
        let head = self.send(&Request::get(path)).await?;
        ensure!(head.status == StatusCode::OK, "the stream answered {}", head.status);
        self.answer.drain(..head.bytes);
        Ok((self.stream, self.answer))
    }

    /// Sends the request and reads at least to the end of the response head.
    async fn send(&mut self, request: &Request) -> anyhow::Result<Head> {
        self.request.clear();
        self.answer.clear();
        request.write_to(&mut self.request, self.address)?;
        self.stream.write_all(&self.request).await.context("a request could not be sent")?;
        loop {
            self.read_more().await?;
            if let Some(head) = Head::parse(&self.answer)? {
                return Ok(head);
            }
        }
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        read_more(&mut self.stream, &mut self.answer).await
    }
}

/// Waits for more bytes and appends them to `received`.
pub(crate) async fn read_more(
    stream: &mut TcpStream,
    received: &mut Vec<u8>,
) -> anyhow::Result<()> {
    received.reserve(READ_BYTES);
    let count = stream.read_buf(received).await.context("the connection broke")?;
    ensure!(count > 0, "the server closed the connection");
    Ok(())
}

/// The parts of a response head that this client needs.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    /// The length of the head in bytes.
    bytes: usize,
    status: StatusCode,
    content_length: Option<usize>,
}

impl Head {
    /// Returns `None` while the head is incomplete.
    fn parse(received: &[u8]) -> anyhow::Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let Status::Complete(bytes) = response.parse(received).context("a malformed head")? else {
            return Ok(None);
        };
        let status = StatusCode::from_u16(response.code.context("a head without a status")?)?;
        let mut headers = response.headers.iter();
        let length = headers.find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let content_length = length.map(|header| content_length(header.value)).transpose()?;
        Ok(Some(Self { bytes, status, content_length }))
    }
}

fn content_length(value: &[u8]) -> anyhow::Result<usize> {
    let text = str::from_utf8(value).context("an invalid content-length")?;
    text.parse().with_context(|| format!("an invalid content-length: {text}"))
}

/// The content of the envelope.
pub(crate) fn envelope_data(body: &[u8]) -> anyhow::Result<Value> {
    let mut answer: Value = serde_json::from_slice(body)?;
    answer.get_mut("data").map(Value::take).context("a response without data")
}

/// A connection without Nagle's algorithm.
pub(crate) async fn dial(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(address).await.context("cannot connect")?;
    stream.set_nodelay(true)?;
    // Close with a reset: otherwise the ports of ten thousand closed connections would stay in
    // TIME_WAIT for a minute.
    stream.set_zero_linger()?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn head_is_parsed_only_when_complete() {
        let answer = b"HTTP/1.1 201 Created\r\nContent-Length: 3\r\nx-request-id: 1\r\n\r\n{}\n";
        let head = Head::parse(answer).unwrap().unwrap();
        assert_eq!((head.status, head.content_length), (StatusCode::CREATED, Some(3)));
        assert_eq!(answer.get(head.bytes..), Some(&b"{}\n"[..]));
        for cut in 0..head.bytes {
            assert_eq!(Head::parse(answer.get(..cut).unwrap()).unwrap(), None);
        }
    }

    #[test]
    fn malformed_head_is_an_error() {
        assert!(Head::parse(b"SMTP 220 ready\r\n\r\n").is_err());
        assert!(Head::parse(b"HTTP/1.1 099 Odd\r\n\r\n").is_err());
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\ncontent-length: 3,3\r\n\r\n").is_err());
    }

    /// The result of `request` against a server that sends `response` and closes.
    async fn exchange_with(request: &Request, response: &'static [u8]) -> anyhow::Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut client = Client::connect(listener.local_addr()?).await?;
        let (mut server, _) = listener.accept().await?;
        let mut sent = Vec::new();
        request.write_to(&mut sent, client.address)?;
        let serve = async move {
            server.read_exact(&mut sent).await?;
            server.write_all(response).await
        };
        let (served, body) = tokio::join!(serve, client.exchange(request));
        served?;
        body.map(<[u8]>::to_vec)
    }

    #[tokio::test]
    async fn response_with_the_expected_status_returns_its_body() {
        let written = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}";
        let request = Request::post("/debates", "{}".to_owned());
        assert_eq!(exchange_with(&request, written).await.unwrap(), b"{}");
    }

    #[tokio::test]
    async fn response_with_another_status_or_length_is_an_error() {
        let cases: [(&[u8], &str); 5] = [
            (
                b"HTTP/1.1 409 Conflict\r\ncontent-length: 4\r\n\r\nnope",
                "GET / answered 409 Conflict instead of 200 OK: nope",
            ),
            (b"HTTP/1.1 200 OK\r\n\r\n{}", "a response without a content-length"),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{", "the server closed the connection"),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}{}", "more bytes than the response"),
            (b"", "the server closed the connection"),
        ];
        for (answer, why) in cases {
            let err = exchange_with(&Request::get("/"), answer).await.unwrap_err();
            assert_eq!(err.to_string(), why);
        }
    }

    #[test]
    fn envelope_data_returns_the_data_field() {
        let data = envelope_data(br#"{"success":true,"data":{"total":3}}"#).unwrap();
        assert_eq!(data, serde_json::json!({"total": 3}));
        assert!(envelope_data(br#"{"success":false}"#).is_err());
    }
}
