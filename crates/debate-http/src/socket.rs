//! A client's socket with time limits in both directions.
//!
//! hyper has one limit for the arrival of the next request: it does not distinguish an idle
//! connection from one that sends its head a byte a minute. This module does, and it also closes
//! the connection of a client that accepts no data. A timer exists only while something is late, so
//! that an idle connection needs little memory. It also detects a disconnect while hyper does not
//! read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

/// The number of bytes that are read ahead of hyper.
const AHEAD_BYTES_MAX: usize = 4096;

/// The time limits on slow clients.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StallLimits {
    /// A request's head, from its first byte.
    pub(crate) head: Duration,
    /// The acceptance of any byte of a response.
    pub(crate) stall: Duration,
}

/// The phase of a connection, shared with the request in progress.
#[derive(Debug)]
pub(crate) struct Phase {
    answering: AtomicBool,
    upgraded: AtomicBool,
    closing: watch::Receiver<()>,
}

impl Phase {
    /// `closing` changes when the server closes.
    pub(crate) fn new(closing: watch::Receiver<()>) -> Self {
        Self { answering: AtomicBool::new(false), upgraded: AtomicBool::new(false), closing }
    }

    /// A request's head is complete.
    pub(crate) fn begin(&self) {
        self.answering.store(true, Ordering::Relaxed);
    }

    /// Its response has begun; the next bytes belong to another request.
    pub(crate) fn end(&self) {
        self.answering.store(false, Ordering::Relaxed);
    }

    /// The connection was upgraded. The bytes after that are not the head of a request.
    pub(crate) fn upgrade(&self) {
        self.upgraded.store(true, Ordering::Relaxed);
    }

    /// Whether the server closes: a response that begins now is the connection's last.
    pub(crate) fn is_last(&self) -> bool {
        self.closing.has_changed().unwrap_or(true)
    }

    fn is_upgraded(&self) -> bool {
        self.upgraded.load(Ordering::Relaxed)
    }

    fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Relaxed)
    }
}

pub(crate) struct Socket {
    stream: TcpStream,
    phase: Arc<Phase>,
    patience: StallLimits,
    head_due: Option<Pin<Box<Sleep>>>,
    stall_due: Option<Pin<Box<Sleep>>>,
    /// Bytes that were read ahead of hyper.
    ahead: Vec<u8>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, phase: Arc<Phase>, patience: StallLimits) -> Self {
        Self { stream, phase, patience, head_due: None, stall_due: None, ahead: Vec::new() }
    }

    /// While a request is handled and bytes of the next one have arrived, hyper reads no further
    /// and does not detect a disconnect: a long poll would wait for a client that has left.
    fn look_ahead(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        while self.phase.is_answering() && !self.phase.is_upgraded() {
            if self.ahead.len() >= AHEAD_BYTES_MAX {
                return Ok(());
            }
            let mut room = [0; 512];
            let mut room = ReadBuf::new(&mut room);
            match Pin::new(&mut self.stream).poll_read(cx, &mut room) {
                Poll::Pending => return Ok(()),
                Poll::Ready(outcome) => outcome?,
            }
            if room.filled().is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    "client disconnected",
                ));
            }
            self.ahead.extend_from_slice(room.filled());
            // hyper may wait for these bytes: the rest of a body.
            cx.waker().wake_by_ref();
        }
        Ok(())
    }

    /// Reads, and returns bytes that were read ahead first.
    fn take_in(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let rest = self.ahead.split_off(self.ahead.len().min(buffer.remaining()));
        buffer.put_slice(&self.ahead);
        self.ahead = rest;
        Poll::Ready(Ok(()))
    }

    /// After a write: stops the timer if the write succeeded, else starts it.
    fn watch_stall<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stall_due = None;
            return outcome;
        }
        let patience = self.patience.stall;
        let due = self.stall_due.get_or_insert_with(|| timer(patience));
        due.as_mut().poll(cx).map(|()| Err(timeout_error("client accepts no data")))
    }
}

fn timer(span: Duration) -> Pin<Box<Sleep>> {
    Box::pin(sleep_until(Instant::now() + span))
}

fn timeout_error(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = self.take_in(cx, buffer);
        if self.phase.is_answering() {
            self.head_due = None;
            return outcome;
        }
        if outcome.is_ready() {
            if buffer.filled().len() > before && self.head_due.is_none() {
                self.head_due = Some(timer(self.patience.head));
            }
            return outcome;
        }
        match &mut self.head_due {
            Some(due) => {
                due.as_mut().poll(cx).map(|()| Err(timeout_error("request header too slow")))
            }
            None => Poll::Pending,
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch_stall(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch_stall(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look_ahead(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
