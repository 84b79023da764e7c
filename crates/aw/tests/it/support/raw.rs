//! A plain TCP connection, for requests that no HTTP client would send.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::contract::{self, Answer};
use crate::support::{HANG, Server};

pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    /// Received bytes after the responses that were read.
    unread: Vec<u8>,
}

/// A response as received from the socket.
#[derive(Debug)]
pub(crate) struct RawReply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl RawReply {
    /// Compares the response to this request with the OpenAPI document.
    fn check(&self, request: &[u8]) {
        let request = String::from_utf8_lossy(request);
        let mut words = request.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return };
        let content_type = self.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-type").then(|| value.trim())
        });
        contract::check(&Answer {
            method,
            path,
            status: self.status,
            content_type: content_type.unwrap_or_default(),
            body: &self.body,
        });
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|err| panic!("not JSON ({err}): {}\n\n{}", self.head, self.body))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Connection {
    pub(crate) async fn open(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).await.expect("the server listens");
        Self { stream, unread: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the server reads");
    }

    /// Sends one request and reads one response.
    pub(crate) async fn exchange(server: &Server, bytes: &[u8]) -> RawReply {
        let mut connection = Self::open(server).await;
        connection.send(bytes).await;
        let reply = connection.reply().await;
        reply.check(bytes);
        reply
    }

    /// Reads one response with a Content-Length. Only streams have none.
    pub(crate) async fn reply(&mut self) -> RawReply {
        let read = async {
            loop {
                if let Some(reply) = take_reply(&mut self.unread) {
                    return reply;
                }
                let count = self.stream.read_buf(&mut self.unread).await;
                let so_far = String::from_utf8_lossy(&self.unread);
                assert_ne!(count.expect("the server writes"), 0, "cut off: {so_far}");
            }
        };
        tokio::time::timeout(HANG, read).await.expect("the server answers")
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let mut byte = [0; 1];
        let read = tokio::time::timeout(HANG, self.stream.read(&mut byte)).await;
        let is_over = matches!(read.expect("the server closes it"), Ok(0) | Err(_));
        is_over && self.unread.is_empty()
    }
}

/// Removes the first response from `bytes` if it is complete.
fn take_reply(bytes: &mut Vec<u8>) -> Option<RawReply> {
    let body_at = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..body_at - 4]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let length: usize = length.unwrap_or_default();
    let body = bytes.get(body_at..body_at + length)?;
    let body = String::from_utf8_lossy(body).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    bytes.drain(..body_at + length);
    Some(RawReply { status, head, body })
}
