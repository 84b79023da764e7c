//! Following: server-sent events, by the letter of what our server sends.

use std::marker::PhantomData;
use std::time::Duration;

use bytes::Bytes;
use debate_wire::arena::{Notice, Reason, Written};
use http_body_util::{BodyExt, Collected, Limited};
use hyper::HeaderMap;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use tokio::time::timeout;

use super::line::answer;
use super::{Broken, Client, Request, Tried};

/// How long a stream may be silent: the server says every 15 s that it still lives.
const SILENCE: Duration = Duration::from_secs(45);

/// How long the server has to begin.
const BEGINNING: Duration = Duration::from_secs(15);

/// The `retry:` of a stream that was not turned away.
const USUAL_RETRY: Duration = Duration::from_secs(2);

/// The longest event that makes sense: an argument of a megabyte, escaped.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most of a refusal that is read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// What a stream of one kind tells.
pub(crate) trait Streamed: Sized {
    /// An event by its name, its id and its data; none if it is none of ours, as one of a newer
    /// server.
    fn read(name: &str, id: Option<&str>, data: &str) -> Option<serde_json::Result<Self>>;
    /// There was nothing left to send.
    fn over() -> Self;
    /// The connection is gone; come back.
    fn lost(why: String) -> Self;
}

/// What comes off the stream of an arena's debate.
#[derive(Debug)]
pub(crate) enum Event {
    /// An argument, and the debate as it stood after it.
    Argument(Box<Written>),
    /// The position was none of this debate's; all of it follows.
    Reset,
    /// No more will come.
    End(Reason),
    /// The connection is gone; come back.
    Lost(String),
}

impl Streamed for Event {
    fn read(name: &str, _: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
        match name {
            "argument" => Some(serde_json::from_str(data).map(Self::Argument)),
            "reset" => Some(Ok(Self::Reset)),
            "end" => {
                let notice = serde_json::from_str::<Notice>(data);
                Some(notice.map(|notice| Self::End(notice.reason)))
            }
            _ => None,
        }
    }

    fn over() -> Self {
        Self::End(Reason::DebateClosed)
    }

    fn lost(why: String) -> Self {
        Self::Lost(why)
    }
}

/// An open stream.
pub(crate) struct Follower<E> {
    /// None: there was nothing left to send.
    body: Option<Incoming>,
    buffer: Vec<u8>,
    /// The last `retry:` of the stream.
    retry: Duration,
    tells: PhantomData<E>,
}

impl Client {
    /// Opens the stream of an arena's debate at `path`, after the argument or the place `seen`.
    pub(crate) async fn follow(&self, path: &str, seen: Option<&str>) -> Tried<Follower<Event>> {
        self.stream(path.to_owned(), seen).await
    }

    /// Opens a stream after the event `seen`.
    pub(crate) async fn stream<E>(&self, path: String, seen: Option<&str>) -> Tried<Follower<E>> {
        let request = Request::get(path);
        let position = seen.map(|id| ("last-event-id", id));
        let opening = self.line.open(&request, position.as_slice());
        let response = match timeout(BEGINNING, opening).await {
            Ok(Ok(response)) => response,
            Ok(Err(broken)) => return self.broken(&broken),
            Err(_) => return self.broken(&Broken::Slow),
        };
        let (head, body) = response.into_parts();
        match head.status.as_u16() {
            200 if is_stream(&head.headers) => Tried::Done(Follower::of(Some(body))),
            204 => Tried::Done(Follower::of(None)),
            status => {
                let body = Limited::new(body, REFUSAL_BYTES_MAX).collect();
                let body = timeout(BEGINNING, body).await;
                let body = body.map(|read| read.map(Collected::to_bytes).unwrap_or_default());
                let said = answer(status, &head.headers, body.unwrap_or_default());
                // Whatever it is that went well, it is no stream.
                self.judge(&said, |_| None)
            }
        }
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

impl<E> Follower<E> {
    const fn of(body: Option<Incoming>) -> Self {
        Self { body, buffer: Vec::new(), retry: Duration::ZERO, tells: PhantomData }
    }

    /// How long to stay away after the stream has ended, if the server wants that longer than
    /// usual: it turns a client away with a stream that ends at once.
    pub(crate) fn pause(&self) -> Option<Duration> {
        (self.retry > USUAL_RETRY).then_some(self.retry)
    }
}

impl<E: Streamed> Follower<E> {
    pub(crate) async fn next(&mut self) -> E {
        loop {
            match self.take_block() {
                Some(Ok(event)) => return event,
                Some(Err(err)) => return E::lost(format!("cannot decode an event: {err}")),
                None => {}
            }
            let Some(body) = &mut self.body else { return E::over() };
            match timeout(SILENCE, body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let bytes: Bytes = frame.into_data().unwrap_or_default();
                    self.buffer.extend_from_slice(&bytes);
                }
                Ok(Some(Err(err))) => return E::lost(err.to_string()),
                Ok(None) => return E::lost("the server ended the stream".to_owned()),
                Err(_) => return E::lost(format!("no data from the server for {SILENCE:?}")),
            }
            if self.buffer.len() > EVENT_BYTES_MAX {
                return E::lost(format!("an event has more than {EVENT_BYTES_MAX} bytes"));
            }
        }
    }

    /// The next event that has come whole. Comments and `retry:` are none.
    fn take_block(&mut self) -> Option<serde_json::Result<E>> {
        loop {
            let end = self.buffer.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            let block = String::from_utf8_lossy(&block);
            if let Some(ms) = field(&block, "retry").and_then(|value| value.parse().ok()) {
                self.retry = Duration::from_millis(ms);
            }
            if let Some(event) = parse(&block) {
                return Some(event);
            }
        }
    }
}

fn field<'b>(block: &'b str, name: &str) -> Option<&'b str> {
    let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.strip_prefix(' ').unwrap_or(value))
}

fn parse<E: Streamed>(block: &str) -> Option<serde_json::Result<E>> {
    let data = field(block, "data")?;
    E::read(field(block, "event")?, field(block, "id"), data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(text: &str) -> Follower<Event> {
        Follower { buffer: text.as_bytes().to_vec(), ..Follower::of(None) }
    }

    #[tokio::test]
    async fn comments_retries_and_unknown_events_are_passed_over() {
        let mut stream =
            fed("retry: 2000\n\n: still here\n\nevent: novelty\ndata: {}\n\nevent: reset\n\
             data: {\"reason\":\"unknown_position\"}\n\nevent: end\n\
             data: {\"reason\":\"debate_deleted\"}\n\n");
        assert!(matches!(stream.next().await, Event::Reset));
        assert!(matches!(stream.next().await, Event::End(Reason::DebateDeleted)));
    }

    #[tokio::test]
    async fn client_that_is_turned_away_stays_away_as_long_as_the_server_says() {
        for (text, pause) in [
            ("retry: 45000\n: rate limit reached, come back\n\n", Some(Duration::from_secs(45))),
            ("retry: 2000\n\n", None),
            ("retry: soon\n\n", None),
            ("", None),
        ] {
            let mut stream = fed(text);
            assert!(matches!(stream.next().await, Event::End(_)), "nothing else was sent");
            assert_eq!(stream.pause(), pause, "{text}");
        }
    }

    #[tokio::test]
    async fn an_event_that_makes_no_sense_is_a_lost_connection() {
        let mut stream = fed("event: argument\ndata: {\"debate\":1}\n\n");
        assert!(matches!(stream.next().await, Event::Lost(_)));
    }
}
