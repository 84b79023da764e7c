//! Clients that receive events: server-sent events and WebSocket, one connection each.

use std::net::SocketAddr;

use anyhow::{Context, anyhow, bail, ensure};
use futures_util::StreamExt;
use httparse::Status;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use crate::client::{Client, dial, read_more};

const LINE_END: &[u8] = b"\r\n";

/// A stream of server-sent events.
pub(crate) struct Events {
    stream: TcpStream,
    /// Received bytes, still in chunked encoding.
    raw: Vec<u8>,
    /// Decoded bytes that were not yet read as events.
    unread: Vec<u8>,
}

impl Events {
    pub(crate) async fn connect(address: SocketAddr, path: String) -> anyhow::Result<Self> {
        let (stream, raw) = Client::connect(address).await?.stream(path).await?;
        Ok(Self { stream, raw, unread: Vec::new() })
    }

    /// Waits for the next complete event of this name and skips others.
    pub(crate) async fn next_named(&mut self, name: &str) -> anyhow::Result<()> {
        loop {
            while let Some(block) = take_block(&mut self.unread) {
                if is_named(&block, name) {
                    return Ok(());
                }
                ensure!(!is_named(&block, "end"), "the stream ended");
            }
            while !take_chunk(&mut self.raw, &mut self.unread)? {
                read_more(&mut self.stream, &mut self.raw).await?;
            }
        }
    }
}

/// Decodes the first chunk; false while it is incomplete.
fn take_chunk(raw: &mut Vec<u8>, unread: &mut Vec<u8>) -> anyhow::Result<bool> {
    let size = httparse::parse_chunk_size(raw).map_err(|_| anyhow!("a malformed chunk"))?;
    let Status::Complete((start, size)) = size else { return Ok(false) };
    ensure!(size > 0, "the stream ended");
    let end = start + usize::try_from(size)?;
    let (Some(chunk), Some(rest)) = (raw.get(start..end), raw.get(end..)) else {
        return Ok(false);
    };
    if rest.len() < LINE_END.len() {
        return Ok(false);
    }
    ensure!(rest.starts_with(LINE_END), "a malformed chunk");
    unread.extend_from_slice(chunk);
    raw.drain(..end + LINE_END.len());
    Ok(true)
}

/// Takes everything up to the first blank line, inclusive.
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

/// A WebSocket that only reads.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    pub(crate) async fn connect(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        Self::try_connect(address, path).await?.context("the server has no such route")
    }

    /// Returns `None` if the server has no such route.
    pub(crate) async fn try_connect(
        address: SocketAddr,
        path: &str,
    ) -> anyhow::Result<Option<Self>> {
        let stream = dial(address).await?;
        // Ten thousand default buffers of 128 KiB each would dominate the measurement.
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

    /// Waits for the next event of this name and skips others. Pings are answered meanwhile.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_is_decoded_only_when_complete() {
        let sent = b"7\r\nevent: \r\n3\r\nend\r\n";
        let (mut raw, mut unread) = (Vec::new(), Vec::new());
        let mut taken = Vec::new();
        for (index, byte) in sent.iter().enumerate() {
            raw.push(*byte);
            if take_chunk(&mut raw, &mut unread).unwrap() {
                taken.push((index, unread.clone()));
            }
        }
        assert_eq!(taken, [(11, b"event: ".to_vec()), (19, b"event: end".to_vec())]);
        assert!(raw.is_empty());
    }

    #[test]
    fn last_or_malformed_chunk_is_an_error() {
        let tried = |sent: &[u8]| take_chunk(&mut sent.to_vec(), &mut Vec::new()).unwrap_err();
        assert_eq!(tried(b"0\r\n\r\n").to_string(), "the stream ended");
        assert_eq!(tried(b"x\r\n").to_string(), "a malformed chunk");
        assert_eq!(tried(b"1\r\nab\r\n").to_string(), "a malformed chunk");
    }

    #[test]
    fn event_is_parsed_only_when_complete() {
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
    fn event_is_matched_by_its_name_and_not_by_its_data() {
        assert!(is_named(b"event:argument\ndata: 1\n\n", "argument"));
        assert!(!is_named(b"event: end\ndata: event: argument\n\n", "argument"));
    }
}
