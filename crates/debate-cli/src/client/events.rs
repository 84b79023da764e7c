//! Event streams of the server: opening, decoding, and their end.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::time::Duration;

use debate_net::{Body, SseDecoder, SseEvent};
use hyper::HeaderMap;
use hyper::header::CONTENT_TYPE;
use tokio::time::timeout;

use super::{ApiRequest, ApiResponse, Attempted, Client, TransportError};

/// The longest silence of a stream. The server sends a comment every 15 s.
const SILENCE_MAX: Duration = Duration::from_secs(45);

/// The time limit for the beginning of a response.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);

/// The `retry:` of a stream that the server accepted.
const USUAL_RETRY: Duration = Duration::from_secs(2);

/// The largest event: an argument of a megabyte, escaped.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most bytes of an error response that are read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// The events of one kind of stream.
pub(crate) trait ServerEvent: Sized {
    /// Decodes an event by its name, id and data; none for a name that this client does not know.
    fn decode(name: &str, id: Option<&str>, data: &str) -> Option<serde_json::Result<Self>>;
    /// The event for a stream that has nothing left to send.
    fn end() -> Self;
    /// The event for a lost connection; the caller reconnects.
    fn lost(cause: String) -> Self;
}

/// The reason why a followed stream ended.
pub(crate) enum StreamEnd {
    /// The followed item has ended, or the reader has closed standard output.
    Finished,
    /// The connection was lost, with its cause; the caller reconnects.
    Disconnected(String),
}

/// A stream of events that the server has accepted.
pub(crate) struct EventStream<E> {
    /// None if the server had nothing left to send.
    body: Option<Body>,
    decoder: SseDecoder,
    decoded: VecDeque<SseEvent>,
    kind: PhantomData<E>,
}

impl Client {
    /// Opens a stream after the event `seen`.
    pub(crate) async fn stream<E>(
        &self,
        path: String,
        seen: Option<&str>,
    ) -> Attempted<EventStream<E>> {
        let request = ApiRequest::get(path);
        let position = seen.map(|id| ("last-event-id", id));
        let opening = self.http.open(&request, position.as_slice());
        let response = match timeout(OPEN_TIMEOUT, opening).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return self.classify_error(&error),
            Err(_) => return self.classify_error(&TransportError::Timeout),
        };
        let (head, body) = response.into_parts();
        match head.status.as_u16() {
            200 if is_stream(&head.headers) => Attempted::Success(EventStream::new(Some(body))),
            204 => Attempted::Success(EventStream::new(None)),
            status => {
                let body = timeout(OPEN_TIMEOUT, body.collect(REFUSAL_BYTES_MAX)).await;
                let body = body.map(Result::unwrap_or_default).unwrap_or_default();
                let response = ApiResponse::new(status, &head.headers, body);
                // A success that is not an event stream cannot be used.
                self.classify(&response, |_| None)
            }
        }
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

impl<E> EventStream<E> {
    fn new(body: Option<Body>) -> Self {
        let decoder = SseDecoder::new(EVENT_BYTES_MAX);
        Self { body, decoder, decoded: VecDeque::new(), kind: PhantomData }
    }

    /// The pause before a reconnect if the server asks for a longer one than usual: it rejects a
    /// client with a stream that ends at once.
    pub(crate) fn pause(&self) -> Option<Duration> {
        self.decoder.retry().filter(|retry| *retry > USUAL_RETRY)
    }
}

impl<E: ServerEvent> EventStream<E> {
    /// The next event. Events with unknown names are skipped.
    pub(crate) async fn next(&mut self) -> E {
        loop {
            while let Some(event) = self.decoded.pop_front() {
                match decode(&event) {
                    Some(Ok(event)) => return event,
                    Some(Err(err)) => return E::lost(format!("cannot decode an event: {err}")),
                    None => {}
                }
            }
            let Some(body) = &mut self.body else { return E::end() };
            let chunk = match timeout(SILENCE_MAX, body.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return E::lost("the server ended the stream".to_owned()),
                Ok(Err(err)) => return E::lost(err.to_string()),
                Err(_) => return E::lost(format!("no data from the server for {SILENCE_MAX:?}")),
            };
            match self.decoder.feed(&chunk) {
                Ok(events) => self.decoded.extend(events),
                Err(err) => return E::lost(err.to_string()),
            }
        }
    }
}

fn decode<E: ServerEvent>(event: &SseEvent) -> Option<serde_json::Result<E>> {
    let name = String::from_utf8_lossy(&event.name);
    let id = event.id.as_ref().map(|id| String::from_utf8_lossy(id));
    E::decode(&name, id.as_deref(), &String::from_utf8_lossy(&event.data))
}

#[cfg(test)]
mod tests {
    use debate_wire::arena::Reason;

    use super::super::DebateEvent;
    use super::*;

    fn stream(text: &str) -> EventStream<DebateEvent> {
        let mut stream = EventStream::new(None);
        let events = stream.decoder.feed(text.as_bytes()).expect("the events are short");
        stream.decoded.extend(events);
        stream
    }

    #[tokio::test]
    async fn comments_retries_and_unknown_events_are_skipped() {
        let mut stream = stream(
            "retry: 2000\n\n: still here\n\nevent: novelty\ndata: {}\n\nevent: reset\n\
             data: {\"reason\":\"unknown_position\"}\n\nevent: end\n\
             data: {\"reason\":\"debate_deleted\"}\n\n",
        );
        assert!(matches!(stream.next().await, DebateEvent::Reset));
        assert!(matches!(stream.next().await, DebateEvent::End(Reason::DebateDeleted)));
    }

    #[tokio::test]
    async fn rejected_client_pauses_as_long_as_the_server_says() {
        for (text, pause) in [
            ("retry: 45000\n: rate limit reached, come back\n\n", Some(Duration::from_secs(45))),
            ("retry: 2000\n\n", None),
            ("retry: soon\n\n", None),
            ("", None),
        ] {
            let mut stream = stream(text);
            assert!(matches!(stream.next().await, DebateEvent::End(_)), "nothing else was sent");
            assert_eq!(stream.pause(), pause, "{text}");
        }
    }

    #[tokio::test]
    async fn event_that_cannot_be_decoded_is_a_lost_connection() {
        let mut stream = stream("event: argument\ndata: {\"debate\":1}\n\n");
        assert!(matches!(stream.next().await, DebateEvent::Lost(_)));
    }
}
