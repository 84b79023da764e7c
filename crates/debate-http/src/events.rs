//! Server-sent events: where a stream begins, how it goes on, and how it ends, whatever it tells.

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

/// How soon a client comes back after a dropped stream, and how soon when there was no room.
const RETRY: &str = "retry: 2000\n\n";
const RETRY_LATER: &str = "retry: 5000\n: too many clients are waiting; reconnect later\n\n";
const RETRY_AWAY: &str = "retry: 5000\n: the database is unavailable; reconnect later\n\n";

/// How long a stream is silent before it says that it still lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Whether a client says which event it has seen last.
pub(crate) fn has_position(headers: &HeaderMap) -> bool {
    headers.get(LAST_EVENT_ID).is_some_and(|value| !value.is_empty())
}

/// A place in a sequence as a stream's client names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position<I> {
    /// An event's id.
    Id(I),
    /// A place by its number.
    Seq(Seq),
    /// Neither: the client is told, and begins anew.
    Unknown,
}

impl<I: std::str::FromStr> Position<I> {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        // The number first: an original id can be any text.
        match (text.parse(), text.parse()) {
            (Ok(number), _) => Self::Seq(Seq::new(number)),
            (Err(_), Ok(id)) => Self::Id(id),
            (Err(_), Err(_)) => Self::Unknown,
        }
    }

    /// What a client says of itself that comes back.
    pub(crate) fn last_seen(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty())?;
        Some(str::from_utf8(value.as_bytes()).map_or(Self::Unknown, Self::parse))
    }
}

/// A place that a sequence has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: Seq,
    /// Whether nothing comes after it, and nothing ever will.
    pub(crate) is_the_end: bool,
}

/// Something that can be followed.
pub(crate) trait Sequence: Sync {
    type Id: Send + Sync;
    type Error: Send;

    /// Where a position is; none if there is no such place.
    fn locate(
        &self,
        position: Position<Self::Id>,
    ) -> impl Future<Output = Result<Option<Place>, Self::Error>> + Send;
}

/// Where a stream begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start {
    /// After this place.
    After(Seq),
    /// At the beginning, because nothing asked for is a place here.
    Anew,
    /// Nowhere: all has been said and seen.
    Over,
    /// Nobody can tell at present.
    Later,
}

impl Start {
    /// After the later of the positions that were asked for.
    pub(crate) async fn find<S: Sequence>(
        sequence: &S,
        asked: [Option<Position<S::Id>>; 2],
    ) -> Result<Self, S::Error> {
        let asked_nothing = asked.iter().flatten().next().is_none();
        let mut places = Vec::new();
        for position in asked.into_iter().flatten() {
            places.extend(sequence.locate(position).await?);
        }
        if let Some(place) = places.into_iter().max_by_key(|place| place.at) {
            return Ok(Self::from(place));
        }
        // Fails where there is nothing to follow either.
        let beginning = sequence.locate(Position::Seq(Seq::START)).await?;
        Ok(beginning.filter(|_| asked_nothing).map_or(Self::Anew, Self::from))
    }
}

impl From<Place> for Start {
    fn from(place: Place) -> Self {
        if place.is_the_end { Self::Over } else { Self::After(place.at) }
    }
}

/// What a stream tells next.
#[derive(Debug)]
pub(crate) enum Next<E> {
    /// This, and more is to come.
    More(String),
    /// This, and that was all.
    Last(String),
    /// Nothing more: the client comes back, here or elsewhere, and asks for the rest.
    Closing,
    /// Nothing more, by a failure.
    Broken(E),
}

/// Where a stream's events come from.
pub(crate) trait Feed: Send + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    /// What comes next. May be given up half-way: nothing is lost by it.
    fn next(&mut self) -> impl Future<Output = Next<Self::Error>> + Send;
}

/// The answer to whoever wants to follow from `start` on. `feed` opens the source after a place, if
/// there is room for one more; `reset` is said to whom begins anew.
pub(crate) fn answer<F: Feed>(
    start: Start,
    reset: &impl Serialize,
    feed: impl FnOnce(Seq) -> Option<F>,
) -> Response {
    let (after, opening) = match start {
        Start::Over => return StatusCode::NO_CONTENT.into_response(),
        Start::Later => return put_off(),
        Start::After(seq) => (seq, RETRY.to_owned()),
        Start::Anew => (Seq::START, format!("{RETRY}{}", event("reset", None, reset))),
    };
    stream_of(match feed(after) {
        Some(feed) => follow(feed, opening),
        None => Body::from(RETRY_LATER),
    })
}

/// The answer to a client whose stream cannot be found while storage is away.
pub(crate) fn put_off() -> Response {
    stream_of(Body::from(RETRY_AWAY))
}

/// The answer to a client that a rate limit refuses: a stream that ends at once and says when to
/// come back.
pub(crate) fn over_limit(admission: &Admission) -> Response {
    let seconds = admission.retry_after_seconds().unwrap_or(1).max(1);
    let retry_ms = seconds.saturating_mul(1000);
    stream_of(Body::from(format!("retry: {retry_ms}\n: rate limit reached; reconnect later\n\n")))
}

/// Also when there is nothing to send yet: a refusal would stop a browser's `EventSource` for good,
/// a stream that just ends brings it back.
fn stream_of(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)),
        (ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

/// What is still to be done on a stream.
enum Stage<F> {
    Opening(F, String),
    Following(F),
    Over,
}

fn follow<F: Feed>(feed: F, opening: String) -> Body {
    let stages = stream::unfold(Stage::Opening(feed, opening), |stage| async {
        match stage {
            Stage::Opening(feed, text) => Some((Ok(Bytes::from(text)), Stage::Following(feed))),
            Stage::Following(feed) => further(feed).await,
            Stage::Over => None,
        }
    });
    Body::from_stream(stages)
}

/// The next bytes of the stream: a page of events, a heartbeat, or the end.
async fn further<F: Feed>(mut feed: F) -> Option<(Result<Bytes, F::Error>, Stage<F>)> {
    match tokio::time::timeout(HEARTBEAT, feed.next()).await {
        Err(_) => Some((Ok(Bytes::from_static(b":\n\n")), Stage::Following(feed))),
        Ok(Next::More(text)) => Some((Ok(text.into()), Stage::Following(feed))),
        Ok(Next::Last(text)) => Some((Ok(text.into()), Stage::Over)),
        Ok(Next::Closing) => None,
        Ok(Next::Broken(err)) => Some((Err(err), Stage::Over)),
    }
}

/// One event. JSON has no bare line breaks, so its data is one line whatever was said.
pub(crate) fn event(name: &str, id: Option<&str>, data: &impl Serialize) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = serde_json::to_string(data).expect("our own types are made of strings and lists");
    format!("event: {name}\n{id}data: {data}\n\n")
}
