//! Real clients, one connection each: HTTP/1.1 with keep-alive.
//!
//! An exchange is one write and, as a rule, one read, into buffers that the connection keeps. A
//! whole HTTP client would cost more than that for each request, paid from the cores the server
//! needs.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, ensure};
use httparse::Status;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::http::{Method, StatusCode};

/// Room for another read: for the whole answer to a claim, with its head.
const READ_BYTES: usize = 4096;

/// More headers than an answer of the server's has.
const HEADERS_MAX: usize = 32;

/// What is asked, and what must come back.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    /// Beside those that every request has, each with its end of line.
    headers: String,
    body: String,
    expected: StatusCode,
}

impl Ask {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, String::new(), StatusCode::OK)
    }

    /// A write; a replayed one would be a mistake of ours, so 200 is not good enough.
    pub(crate) fn post(path: impl Into<String>, body: String) -> Self {
        Self::new(Method::POST, path, body, StatusCode::CREATED)
    }

    /// A write that makes nothing new.
    pub(crate) fn command(path: impl Into<String>, body: String) -> Self {
        Self::new(Method::POST, path, body, StatusCode::OK)
    }

    fn new(method: Method, path: impl Into<String>, body: String, expected: StatusCode) -> Self {
        Self { method, path: path.into(), headers: String::new(), body, expected }
    }

    /// The same, with one more header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
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
    /// What has come of its answer.
    answer: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = dial(address).await?;
        Ok(Self { address, stream, request: Vec::new(), answer: Vec::new() })
    }

    /// The answer's body; any other status than the expected one is an error that shows it.
    pub(crate) async fn ask(&mut self, ask: &Ask) -> anyhow::Result<&[u8]> {
        let head = self.send(ask).await?;
        let length = head.content_length.context("an answer without a content-length")?;
        let whole = head.bytes + length;
        while self.answer.len() < whole {
            self.read_more().await?;
        }
        ensure!(self.answer.len() == whole, "more came than the answer");
        let body = self.answer.get(head.bytes..).unwrap_or_default();
        let (Ask { method, path, expected, .. }, status) = (ask, head.status);
        ensure!(
            status == *expected,
            "{method} {path} answered {status} instead of {expected}: {}",
            String::from_utf8_lossy(body)
        );
        Ok(body)
    }

    /// The same, read as JSON, without its envelope.
    pub(crate) async fn data(&mut self, ask: &Ask) -> anyhow::Result<Value> {
        data_of(self.ask(ask).await?)
    }

    /// Only the status, whatever it is. What else comes stays unread, so the connection is used up.
    pub(crate) async fn status(mut self, ask: &Ask) -> anyhow::Result<StatusCode> {
        Ok(self.send(ask).await?.status)
    }

    /// Reads an answer to the end of the connection.
    pub(crate) async fn exhaust(mut self, ask: &Ask) -> anyhow::Result<()> {
        let head = self.send(ask).await?;
        ensure!(head.status == ask.expected, "the stream answered {}", head.status);
        self.stream.read_to_end(&mut self.answer).await.context("the connection broke")?;
        Ok(())
    }

    /// Gives the connection up to a stream that never ends by itself, with what has come of it.
    pub(crate) async fn stream(mut self, path: String) -> anyhow::Result<(TcpStream, Vec<u8>)> {
        let head = self.send(&Ask::get(path)).await?;
        ensure!(head.status == StatusCode::OK, "the stream answered {}", head.status);
        self.answer.drain(..head.bytes);
        Ok((self.stream, self.answer))
    }

    /// Sends the request and reads on to the end of the answer's head at least.
    async fn send(&mut self, ask: &Ask) -> anyhow::Result<Head> {
        self.request.clear();
        self.answer.clear();
        ask.write_to(&mut self.request, self.address)?;
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

/// Waits for more bytes, and adds them to those that have come.
pub(crate) async fn read_more(stream: &mut TcpStream, came: &mut Vec<u8>) -> anyhow::Result<()> {
    came.reserve(READ_BYTES);
    let count = stream.read_buf(came).await.context("the connection broke")?;
    ensure!(count > 0, "the server closed the connection");
    Ok(())
}

/// What is to be known of an answer's head.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    /// Its own length.
    bytes: usize,
    status: StatusCode,
    content_length: Option<usize>,
}

impl Head {
    /// None while it is not whole.
    fn parse(came: &[u8]) -> anyhow::Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let Status::Complete(bytes) = response.parse(came).context("a malformed head")? else {
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
    let text = str::from_utf8(value).context("an odd content-length")?;
    text.parse().with_context(|| format!("an odd content-length: {text}"))
}

/// What stands inside the envelope.
pub(crate) fn data_of(body: &[u8]) -> anyhow::Result<Value> {
    let mut answer: Value = serde_json::from_slice(body)?;
    answer.get_mut("data").map(Value::take).context("an answer without data")
}

/// A connection that sends at once.
pub(crate) async fn dial(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(address).await.context("cannot connect")?;
    stream.set_nodelay(true)?;
    // A reset instead of a farewell: else the ports of ten thousand connections that are over
    // would stay taken for a minute.
    stream.set_zero_linger()?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_head_is_read_only_when_it_is_whole() {
        let answer = b"HTTP/1.1 201 Created\r\nContent-Length: 3\r\nx-request-id: 1\r\n\r\n{}\n";
        let head = Head::parse(answer).unwrap().unwrap();
        assert_eq!((head.status, head.content_length), (StatusCode::CREATED, Some(3)));
        assert_eq!(answer.get(head.bytes..), Some(&b"{}\n"[..]));
        for cut in 0..head.bytes {
            assert_eq!(Head::parse(answer.get(..cut).unwrap()).unwrap(), None);
        }
    }

    #[test]
    fn a_head_that_makes_no_sense_is_an_error() {
        assert!(Head::parse(b"SMTP 220 ready\r\n\r\n").is_err());
        assert!(Head::parse(b"HTTP/1.1 099 Odd\r\n\r\n").is_err());
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\ncontent-length: 3,3\r\n\r\n").is_err());
    }

    /// What a client makes of an answer, after which the server is gone.
    async fn asked(ask: &Ask, answer: &'static [u8]) -> anyhow::Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut client = Client::connect(listener.local_addr()?).await?;
        let (mut server, _) = listener.accept().await?;
        let mut request = Vec::new();
        ask.write_to(&mut request, client.address)?;
        let serve = async move {
            server.read_exact(&mut request).await?;
            server.write_all(answer).await
        };
        let (served, body) = tokio::join!(serve, client.ask(ask));
        served?;
        body.map(<[u8]>::to_vec)
    }

    #[tokio::test]
    async fn an_answer_as_expected_gives_its_body() {
        let written = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}";
        let ask = Ask::post("/debates", "{}".to_owned());
        assert_eq!(asked(&ask, written).await.unwrap(), b"{}");
    }

    #[tokio::test]
    async fn every_other_answer_is_an_error_that_says_why() {
        let cases: [(&[u8], &str); 5] = [
            (
                b"HTTP/1.1 409 Conflict\r\ncontent-length: 4\r\n\r\nnope",
                "GET / answered 409 Conflict instead of 200 OK: nope",
            ),
            (b"HTTP/1.1 200 OK\r\n\r\n{}", "an answer without a content-length"),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{", "the server closed the connection"),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}{}", "more came than the answer"),
            (b"", "the server closed the connection"),
        ];
        for (answer, why) in cases {
            let err = asked(&Ask::get("/"), answer).await.unwrap_err();
            assert_eq!(err.to_string(), why);
        }
    }

    #[test]
    fn the_envelope_is_taken_off() {
        let data = data_of(br#"{"success":true,"data":{"total":3}}"#).unwrap();
        assert_eq!(data, serde_json::json!({"total": 3}));
        assert!(data_of(br#"{"success":false}"#).is_err());
    }
}
