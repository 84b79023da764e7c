//! Server-sent events: the start position, the events and the end of a stream of any context.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use debate_core::{Admission, Seq};
use futures_util::stream;
use serde::Serialize;

/// The content type of a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The reconnection delay of clients: usually, and when the server is overloaded.
const RETRY: &str = "retry: 2000\n\n";
const RETRY_LATER: &str = "retry: 5000\n: too many clients are waiting; reconnect later\n\n";
const RETRY_AWAY: &str = "retry: 5000\n: the database is unavailable; reconnect later\n\n";

/// The interval of heartbeat comments on a silent stream.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Whether the client names the last event that it received.
pub(crate) fn has_position(headers: &HeaderMap) -> bool {
    headers.get(LAST_EVENT_ID).is_some_and(|value| !value.is_empty())
}

/// The position that a client requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestedPosition<I> {
    /// The id of an event.
    Id(I),
    /// The number of a position.
    Seq(Seq),
    /// Neither: the stream begins with `reset`, then from the start.
    Unknown,
}

impl<I: std::str::FromStr> RequestedPosition<I> {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        // The number first: an original id can be any text.
        match (text.parse(), text.parse()) {
            (Ok(number), _) => Self::Seq(Seq::new(number)),
            (Err(_), Ok(id)) => Self::Id(id),
            (Err(_), Err(_)) => Self::Unknown,
        }
    }

    /// The position in the header `Last-Event-ID` of a client that reconnects.
    pub(crate) fn last_seen(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty())?;
        Some(str::from_utf8(value.as_bytes()).map_or(Self::Unknown, Self::parse))
    }
}

/// An existing position of a log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SequencePosition {
    pub(crate) at: Seq,
    /// Whether the log has ended at this position.
    pub(crate) is_end: bool,
}

/// A log of events with numbered positions.
pub(crate) trait EventLog: Sync {
    type Id: Send + Sync;
    type Error: Send;

    /// The existing position for a requested one, if there is one.
    fn locate(
        &self,
        position: RequestedPosition<Self::Id>,
    ) -> impl Future<Output = Result<Option<SequencePosition>, Self::Error>> + Send;
}

/// The start of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StreamStart {
    /// After an existing position.
    After(Seq),
    /// From the start with `reset`, because no requested position exists.
    Reset,
    /// No stream: the client has received everything.
    Ended,
    /// Not known while the database is unavailable.
    Unavailable,
}

impl StreamStart {
    /// Starts after the later of the requested positions.
    pub(crate) async fn find<S: EventLog>(
        sequence: &S,
        requested: [Option<RequestedPosition<S::Id>>; 2],
    ) -> Result<Self, S::Error> {
        let is_unspecified = requested.iter().flatten().next().is_none();
        let mut found = Vec::new();
        for position in requested.into_iter().flatten() {
            found.extend(sequence.locate(position).await?);
        }
        if let Some(position) = found.into_iter().max_by_key(|position| position.at) {
            return Ok(Self::from(position));
        }
        // Fails if the log does not exist.
        let beginning = sequence.locate(RequestedPosition::Seq(Seq::START)).await?;
        Ok(beginning.filter(|_| is_unspecified).map_or(Self::Reset, Self::from))
    }

    /// The position after which the stream begins; none if there is no stream.
    pub(crate) const fn position(self) -> Option<Seq> {
        match self {
            Self::After(seq) => Some(seq),
            Self::Reset => Some(Seq::START),
            Self::Ended | Self::Unavailable => None,
        }
    }
}

impl From<SequencePosition> for StreamStart {
    fn from(position: SequencePosition) -> Self {
        if position.is_end { Self::Ended } else { Self::After(position.at) }
    }
}

/// The next part of a stream.
#[derive(Debug)]
pub(crate) enum EventBatch<E> {
    /// Events, and more follow.
    More(String),
    /// The last events of the stream.
    Last(String),
    /// The server is stopping; the client reconnects and continues.
    Closing,
    /// The source failed; the stream ends.
    Failed(E),
}

/// The source of a stream's events.
pub(crate) trait EventSource: Send + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    /// The next events. Cancel safe.
    fn next(&mut self) -> impl Future<Output = EventBatch<Self::Error>> + Send;

    /// Called with each heartbeat comment.
    fn note_heartbeat(&self) {}
}

/// The response to a client that follows from `start`. `feed` opens the source after a position, if
/// the limit on waiting clients allows; `reset` is the data of the `reset` event.
pub(crate) fn respond<F: EventSource>(
    start: StreamStart,
    reset: &impl Serialize,
    feed: impl FnOnce(Seq) -> Option<F>,
) -> Response {
    let (after, opening) = match start {
        StreamStart::Ended => return StatusCode::NO_CONTENT.into_response(),
        StreamStart::Unavailable => return retry_later(),
        StreamStart::After(seq) => (seq, RETRY.to_owned()),
        StreamStart::Reset => (Seq::START, format!("{RETRY}{}", event("reset", None, reset))),
    };
    event_stream(match feed(after) {
        Some(feed) => follow(feed, opening),
        None => Body::from(RETRY_LATER),
    })
}

/// The response to a client whose stream cannot be read while the database is unavailable.
pub(crate) fn retry_later() -> Response {
    event_stream(Body::from(RETRY_AWAY))
}

/// The response to a client that a rate limit refuses: a stream that ends at once with the time to
/// reconnect.
pub(crate) fn over_limit(admission: &Admission) -> Response {
    let seconds = admission.retry_after_seconds().unwrap_or(1).max(1);
    let retry_ms = seconds.saturating_mul(1000);
    event_stream(Body::from(format!(
        "retry: {retry_ms}\n: rate limit reached; reconnect later\n\n"
    )))
}

/// Also used for refusals: an error would stop a browser's `EventSource` permanently,
/// but it reconnects after a stream that ends.
fn event_stream(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)),
        (ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

/// The remaining work of a stream.
enum StreamPhase<F> {
    Opening(F, String),
    Following(F),
    Ended,
}

fn follow<F: EventSource>(feed: F, opening: String) -> Body {
    let stages = stream::unfold(StreamPhase::Opening(feed, opening), |stage| async {
        match stage {
            StreamPhase::Opening(feed, text) => {
                Some((Ok(Bytes::from(text)), StreamPhase::Following(feed)))
            }
            StreamPhase::Following(feed) => next_chunk(feed).await,
            StreamPhase::Ended => None,
        }
    });
    Body::from_stream(stages)
}

/// The next bytes of the stream: a page of events, a heartbeat, or the end.
async fn next_chunk<F: EventSource>(
    mut feed: F,
) -> Option<(Result<Bytes, F::Error>, StreamPhase<F>)> {
    match tokio::time::timeout(HEARTBEAT, feed.next()).await {
        Err(_) => {
            feed.note_heartbeat();
            Some((Ok(Bytes::from_static(b":\n\n")), StreamPhase::Following(feed)))
        }
        Ok(EventBatch::More(text)) => Some((Ok(text.into()), StreamPhase::Following(feed))),
        Ok(EventBatch::Last(text)) => Some((Ok(text.into()), StreamPhase::Ended)),
        Ok(EventBatch::Closing) => None,
        Ok(EventBatch::Failed(err)) => Some((Err(err), StreamPhase::Ended)),
    }
}

/// One event. JSON contains no line breaks, so the data is one line.
pub(crate) fn event(name: &str, id: Option<&str>, data: &impl Serialize) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = serde_json::to_string(data).expect("our own types are made of strings and lists");
    format!("event: {name}\n{id}data: {data}\n\n")
}
