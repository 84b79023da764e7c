//! A WebSocket's connection that detects the peer's Close frame.
//!
//! After an error the protocol's library reads nothing more, but the connection has to stay open
//! until the peer has received the server's Close frame and answered it. So this module follows the
//! lengths of incoming frames, which works even for frames that violate the protocol.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The opcode of a Close frame.
const CLOSE: u8 = 8;

/// The bytes of a frame's head, from the shortest to the longest.
const HEAD_BYTES_MIN: usize = 2;
const HEAD_BYTES_MAX: usize = 14;

/// A connection, and whether the peer has sent a Close frame over it.
pub(super) struct CloseWatch<S> {
    stream: S,
    frames: FrameCounter,
}

impl<S> CloseWatch<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, frames: FrameCounter::default() }
    }

    pub(super) fn has_close(&self) -> bool {
        self.frames.has_close
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CloseWatch<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.frames.take(buffer.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CloseWatch<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Finds where frames begin and end in the bytes of a connection.
#[derive(Debug, Default)]
struct FrameCounter {
    /// The bytes so far of the next frame's head.
    head: Vec<u8>,
    /// The number of bytes of the current frame's payload that have not arrived.
    payload_left: u64,
    /// Whether the current frame is a Close frame.
    is_close: bool,
    /// Whether a whole Close frame was received.
    has_close: bool,
}

impl FrameCounter {
    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let skipped = usize::try_from(self.payload_left).unwrap_or(usize::MAX).min(bytes.len());
            self.payload_left -= u64::try_from(skipped).unwrap_or(u64::MAX);
            bytes = bytes.get(skipped..).unwrap_or_default();
            if self.payload_left == 0 {
                bytes = self.take_head(bytes);
            }
        }
    }

    /// Takes the bytes of the next frame's head, and returns the rest.
    fn take_head<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        self.has_close |= std::mem::take(&mut self.is_close);
        let mut left = bytes.iter();
        for byte in left.by_ref() {
            self.head.push(*byte);
            if let Some(length) = payload_length(&self.head) {
                self.is_close = self.head.first().is_some_and(|first| first & 0x0f == CLOSE);
                self.payload_left = length;
                self.head.clear();
                break;
            }
        }
        if self.payload_left == 0 {
            self.has_close |= std::mem::take(&mut self.is_close);
        }
        left.as_slice()
    }
}

/// The payload's length, once the head is complete.
fn payload_length(head: &[u8]) -> Option<u64> {
    let [_, second, rest @ ..] = head else { return None };
    let key_bytes = if second & 0x80 == 0 { 0 } else { 4 };
    let (length_bytes, length) = match second & 0x7f {
        126 => (2, number(rest.get(..2)?)),
        127 => (8, number(rest.get(..8)?)),
        short => (0, u64::from(short)),
    };
    debug_assert!(head.len() <= HEAD_BYTES_MAX, "a head has an end");
    (head.len() >= HEAD_BYTES_MIN + length_bytes + key_bytes).then_some(length)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::FrameCounter;

    /// Whether a Close frame is found at the end of these frames and not before, for every split
    /// of their bytes.
    fn assert_close_at_the_end(frames: &[u8]) {
        for piece in [1, 2, 3, 7, frames.len()] {
            let mut counter = FrameCounter::default();
            let (last, before) = frames.split_last().expect("there are bytes");
            for bytes in before.chunks(piece) {
                counter.take(bytes);
                assert!(!counter.has_close, "too early, {piece} bytes at a time");
            }
            counter.take(&[*last]);
            assert!(counter.has_close, "{piece} bytes at a time");
        }
    }

    fn masked(first: u8, length: &[u8], payload: usize) -> Vec<u8> {
        [&[first], length, &[1, 2, 3, 4], &vec![0x88; payload]].concat()
    }

    #[test]
    fn close_frame_is_found_behind_frames_of_every_length() {
        let close = masked(0x88, &[0x82], 2);
        let long = 70_000_u64.to_be_bytes();
        for before in [
            Vec::new(),
            masked(0x81, &[0x80], 0),
            masked(0x81, &[0xfd], 125),
            masked(0x01, &[0xfe, 1, 0], 256),
            masked(0x82, &[&[0xff], &long[..]].concat(), 70_000),
        ] {
            assert_close_at_the_end(&[before, close.clone()].concat());
        }
    }

    #[test]
    fn close_frame_is_found_without_payload_without_mask_and_after_broken_frames() {
        assert_close_at_the_end(&masked(0x88, &[0x80], 0));
        assert_close_at_the_end(&[0x88, 0]);
        assert_close_at_the_end(&[0x88, 2, 3, 0xe8]);
        let reserved_bits = masked(0xf1, &[0x83], 3);
        let long_ping = masked(0x89, &[0xfe, 0, 126], 126);
        let close = masked(0x88, &[0x82], 2);
        assert_close_at_the_end(&[reserved_bits, long_ping, close].concat());
    }
}
