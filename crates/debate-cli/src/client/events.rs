//! Following a debate: server-sent events, by the letter of what our server sends.

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
use crate::fault::Fault;

/// How long a stream may be silent: the server says every 15 s that it still lives.
const SILENCE: Duration = Duration::from_secs(45);

/// How long the server has to begin.
const BEGINNING: Duration = Duration::from_secs(15);

/// The longest event that makes sense: an argument of a megabyte, escaped.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most of a refusal that is read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// What comes off a stream.
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

/// An open stream.
pub(crate) struct Follower {
    /// None: there was nothing left to send.
    body: Option<Incoming>,
    buffer: Vec<u8>,
}

impl Client {
    /// Opens the stream of a debate, after the argument `seen`.
    pub(crate) async fn follow(&self, debate: &str, seen: Option<&str>) -> Tried<Follower> {
        let request = Request::get(format!("/debates/{debate}/events"));
        let position = seen.map(|id| ("last-event-id", id));
        let opening = self.line.open(&request, position.as_slice());
        let response = match timeout(BEGINNING, opening).await {
            Ok(Ok(response)) => response,
            Ok(Err(broken)) => return self.broken(&broken),
            Err(_) => return self.broken(&Broken::Slow),
        };
        let (head, body) = response.into_parts();
        match head.status.as_u16() {
            200 if is_stream(&head.headers) => {
                Tried::Done(Follower { body: Some(body), buffer: Vec::new() })
            }
            204 => Tried::Done(Follower { body: None, buffer: Vec::new() }),
            status => {
                let body = Limited::new(body, REFUSAL_BYTES_MAX).collect();
                let body = timeout(BEGINNING, body).await;
                let body = body.map(|read| read.map(Collected::to_bytes).unwrap_or_default());
                let said = answer(status, &head.headers, body.unwrap_or_default());
                match self.judge::<serde_json::Value>(&said) {
                    Tried::Done(_) => Tried::Refused(self.stranger(&said)),
                    Tried::Refused(fault) => Tried::Refused(fault),
                    Tried::Again(fault, after) => Tried::Again(fault, after),
                }
            }
        }
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

impl Follower {
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            match self.take_block() {
                Some(Ok(event)) => return event,
                Some(Err(fault)) => return Event::Lost(fault.to_string()),
                None => {}
            }
            let Some(body) = &mut self.body else { return Event::End(Reason::DebateClosed) };
            match timeout(SILENCE, body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let bytes: Bytes = frame.into_data().unwrap_or_default();
                    self.buffer.extend_from_slice(&bytes);
                }
                Ok(Some(Err(err))) => return Event::Lost(err.to_string()),
                Ok(None) => return Event::Lost("the server ended the stream".to_owned()),
                Err(_) => return Event::Lost("the server has fallen silent".to_owned()),
            }
            if self.buffer.len() > EVENT_BYTES_MAX {
                return Event::Lost("an event without end".to_owned());
            }
        }
    }

    /// The next event that has come whole. Comments and `retry:` are none.
    fn take_block(&mut self) -> Option<Result<Event, Fault>> {
        loop {
            let end = self.buffer.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            if let Some(event) = parse(&String::from_utf8_lossy(&block)) {
                return Some(event);
            }
        }
    }
}

fn parse(block: &str) -> Option<Result<Event, Fault>> {
    let field = |name: &str| {
        let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(value.strip_prefix(' ').unwrap_or(value))
    };
    let data = field("data")?;
    let garbled = |err: serde_json::Error| Fault::Local(format!("an event makes no sense: {err}"));
    match field("event")? {
        "argument" => Some(serde_json::from_str(data).map(Event::Argument).map_err(garbled)),
        "reset" => Some(Ok(Event::Reset)),
        "end" => {
            let notice = serde_json::from_str::<Notice>(data).map_err(garbled);
            Some(notice.map(|notice| Event::End(notice.reason)))
        }
        // An event of a newer server is none of ours.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(text: &str) -> Follower {
        Follower { body: None, buffer: text.as_bytes().to_vec() }
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
    async fn an_event_that_makes_no_sense_is_a_lost_connection() {
        let mut stream = fed("event: argument\ndata: {\"debate\":1}\n\n");
        assert!(matches!(stream.next().await, Event::Lost(_)));
    }
}
