//! A bare socket, for what no well-behaved client would send.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{HANG, Server};

pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
}

/// An answer as it came off the socket.
#[derive(Debug)]
pub(crate) struct RawReply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl RawReply {
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
        Self { stream }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the server reads");
    }

    /// Sends one request and reads one answer.
    pub(crate) async fn exchange(server: &Server, bytes: &[u8]) -> RawReply {
        let mut connection = Self::open(server).await;
        connection.send(bytes).await;
        connection.reply().await
    }

    /// One answer with a Content-Length, as all of ours have but the streamed ones.
    pub(crate) async fn reply(&mut self) -> RawReply {
        let read = async {
            let mut bytes = Vec::new();
            loop {
                if let Some(reply) = complete(&bytes) {
                    return reply;
                }
                let mut chunk = [0; 4096];
                let count = self.stream.read(&mut chunk).await.expect("the server writes");
                assert_ne!(count, 0, "cut off: {}", String::from_utf8_lossy(&bytes));
                bytes.extend_from_slice(&chunk[..count]);
            }
        };
        tokio::time::timeout(HANG, read).await.expect("the server answers")
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let mut byte = [0; 1];
        let read = tokio::time::timeout(HANG, self.stream.read(&mut byte)).await;
        matches!(read.expect("the server closes it"), Ok(0) | Err(_))
    }
}

fn complete(bytes: &[u8]) -> Option<RawReply> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let length: usize = length.unwrap_or_default();
    if body.len() < length {
        return None;
    }
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(RawReply { status, head: head.to_owned(), body: body.to_owned() })
}
