//! A raw connection for operations that no client library supports: half a request, a socket that
//! is not read, ten thousand at once.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;

/// The maximum number of bytes that are searched for a response.
const REPLY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A connection and its received, unparsed bytes.
pub(crate) struct RawConnection {
    pub(crate) stream: TcpStream,
    address: String,
    unread: Vec<u8>,
}

/// A response as received.
#[derive(Debug)]
pub(crate) struct RawReply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl RawReply {
    /// The result of a long poll: whether there is something new.
    pub(crate) fn has_new_argument(&self) -> Option<bool> {
        self.body.pointer("/data/has_new_argument").and_then(Value::as_bool)
    }
}

impl RawConnection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        Ok(Self { stream, address: address.to_owned(), unread: Vec::new() })
    }

    /// A connection with a small receive buffer.
    pub(crate) async fn open_narrow(address: &str, buffer_bytes: u32) -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(buffer_bytes)?;
        let stream = socket.connect(address.parse::<SocketAddr>()?).await?;
        Ok(Self { stream, address: address.to_owned(), unread: Vec::new() })
    }

    pub(crate) async fn send(&mut self, text: &str) -> anyhow::Result<()> {
        Ok(self.stream.write_all(text.as_bytes()).await?)
    }

    /// Sends a GET for `path`; `headers` are complete lines.
    pub(crate) async fn get(&mut self, path: &str, headers: &str) -> anyhow::Result<()> {
        let address = self.address.clone();
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n")).await
    }

    /// Like `get`, in HTTP/1.0, which sends a stream without chunks.
    pub(crate) async fn get_plain(&mut self, path: &str) -> anyhow::Result<()> {
        let address = self.address.clone();
        self.send(&format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n")).await
    }

    /// Sends the head of a POST with `Expect: 100-continue`, so that the server reports when it
    /// starts to read the body.
    pub(crate) async fn post_head(&mut self, path: &str, length: usize) -> anyhow::Result<()> {
        let address = self.address.clone();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
        ))
        .await
    }

    /// Reads one response with a content length, or one without a body.
    pub(crate) async fn reply(&mut self, timeout: Duration) -> anyhow::Result<RawReply> {
        let read = async {
            loop {
                if let Some(reply) = self.take_reply()? {
                    return Ok(reply);
                }
                if !self.read_more().await? {
                    bail!("cut off after {:?}", String::from_utf8_lossy(&self.unread));
                }
            }
        };
        tokio::time::timeout(timeout, read).await.context("no answer came")?
    }

    /// The head of a response whose body is a stream.
    pub(crate) async fn head(&mut self, timeout: Duration) -> anyhow::Result<String> {
        let read = async {
            loop {
                let text = String::from_utf8_lossy(&self.unread).into_owned();
                if let Some((head, rest)) = text.split_once("\r\n\r\n") {
                    self.unread = rest.as_bytes().to_vec();
                    return Ok(head.to_owned());
                }
                if !self.read_more().await? {
                    bail!("cut off after {text:?}");
                }
            }
        };
        tokio::time::timeout(timeout, read).await.context("no head came")?
    }

    /// Reads until the other side closes; also returns whether it closed in an orderly way.
    pub(crate) async fn read_to_end(
        &mut self,
        timeout: Duration,
    ) -> anyhow::Result<(String, bool)> {
        let read = async {
            loop {
                match self.read_more().await {
                    Ok(true) => {}
                    Ok(false) => return true,
                    Err(_) => return false,
                }
            }
        };
        let orderly = tokio::time::timeout(timeout, read).await.context("it stays open")?;
        Ok((String::from_utf8_lossy(&self.unread).into_owned(), orderly))
    }

    /// Whether unread bytes have arrived.
    pub(crate) fn has_unread(&self) -> bool {
        let mut byte = [0; 1];
        let would_block = |err: &std::io::Error| err.kind() == std::io::ErrorKind::WouldBlock;
        !self.unread.is_empty() || !self.stream.try_read(&mut byte).is_err_and(|e| would_block(&e))
    }

    async fn read_more(&mut self) -> anyhow::Result<bool> {
        let count = self.stream.read_buf(&mut self.unread).await?;
        anyhow::ensure!(self.unread.len() <= REPLY_BYTES_MAX, "an endless answer");
        Ok(count > 0)
    }

    fn take_reply(&mut self) -> anyhow::Result<Option<RawReply>> {
        let text = String::from_utf8_lossy(&self.unread).into_owned();
        let Some((head, rest)) = text.split_once("\r\n\r\n") else { return Ok(None) };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let length: usize = length.unwrap_or_default();
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.with_context(|| format!("an odd head: {head}"))?;
        let body = serde_json::from_str(body).unwrap_or(Value::Null);
        let reply = RawReply { status, head: head.to_owned(), body };
        self.unread.drain(..head.len() + 4 + length);
        Ok(Some(reply))
    }

    /// Upgrades the connection to a WebSocket.
    pub(crate) async fn upgrade(self, query: &str) -> anyhow::Result<WebSocketStream<TcpStream>> {
        let url = format!("ws://{}/ws?{query}", self.address);
        let (socket, _) = tokio_tungstenite::client_async(url, self.stream).await?;
        Ok(socket)
    }
}
