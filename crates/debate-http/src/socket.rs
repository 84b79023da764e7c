//! A client's socket that does not wait for ever, in either direction.
//!
//! hyper has one limit for "the next request has not come": it can't tell an idle connection from
//! one that sends its head a byte a minute. This can, and it also gives up on a client that stops
//! taking what it is sent. A timer exists only while something is late, so that an idle connection
//! costs no more than it must.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long the two things may take that a client can drag out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// A request's head, from its first byte.
    pub(crate) head: Duration,
    /// A client's taking anything at all of what it is sent.
    pub(crate) stall: Duration,
}

/// Whether a request is being answered; shared with whoever answers it.
#[derive(Debug, Default)]
pub(crate) struct Phase {
    answering: AtomicBool,
}

impl Phase {
    /// A request's head is complete.
    pub(crate) fn begin(&self) {
        self.answering.store(true, Ordering::Relaxed);
    }

    /// Its answer has begun; what comes in next belongs to another request.
    pub(crate) fn end(&self) {
        self.answering.store(false, Ordering::Relaxed);
    }

    fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Relaxed)
    }
}

pub(crate) struct Socket {
    stream: TcpStream,
    phase: Arc<Phase>,
    patience: Patience,
    head_due: Option<Pin<Box<Sleep>>>,
    stall_due: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, phase: Arc<Phase>, patience: Patience) -> Self {
        Self { stream, phase, patience, head_due: None, stall_due: None }
    }

    /// After a write: nothing is late if it went through, else the clock is running.
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
        due.as_mut().poll(cx).map(|()| Err(too_late("the client takes nothing")))
    }
}

fn timer(span: Duration) -> Pin<Box<Sleep>> {
    Box::pin(sleep_until(Instant::now() + span))
}

fn too_late(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
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
            Some(due) => due.as_mut().poll(cx).map(|()| Err(too_late("the head is too slow"))),
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
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
