//! A debate as a stream of server-sent events.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use debate_app::StoreError;
use debate_app::arena::{Arena, ArenaError, Heard, News, Since, Subscription};
use debate_core::{DebateId, Seq};
use debate_wire::{Failure, arena as wire};
use futures_util::stream;
use serde::Serialize;

use super::parse::Position;
use crate::parsed::{InPath, InQuery};
use crate::problem::Problem;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How soon a client comes back after a dropped stream, and how soon when there was no room.
const RETRY: &str = "retry: 2000\n\n";
const RETRY_LATER: &str = "retry: 5000\n: as many follow as may, come back\n\n";
const RETRY_AWAY: &str = "retry: 5000\n: the storage is away, come back\n\n";

/// How long a stream is silent before it says that it still lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Follow a debate as server-sent events
#[utoipa::path(
    get, path = "/debates/{id}/events", tag = "arena",
    params(wire::DebatePath, wire::EventsQuery,
        ("Last-Event-ID" = Option<String>, Header,
            description = "The id of the last event seen: what a browser sends by itself")),
    responses(
        (status = 200, description = "`argument` events with the argument's id, each with \
            `debate` and `argument`; `reset` before a full replay; `end` when all is said",
            body = String, content_type = "text/event-stream"),
        (status = 204, description = "Closed, and nothing is left to send"),
        (status = 404, description = "No such debate", body = Failure),
    )
)]
pub(crate) async fn events(
    State(arena): State<Arena>,
    InPath(debate): InPath<DebateId>,
    InQuery(after): InQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let asked = [after, last_event_id(&headers)];
    let start = match find_start(&arena, debate, asked).await {
        Err(ArenaError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => Start::Later,
        found => found?,
    };
    Ok(answer(&arena, debate, start))
}

fn last_event_id(headers: &HeaderMap) -> Option<Position> {
    let value = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty())?;
    // What is no position at all is one we don't know: the client is told, and begins anew.
    Some(value.to_str().map_or(Position::Unknown, Position::parse))
}

/// Where a stream begins.
#[derive(Clone, Copy)]
enum Start {
    /// After this place.
    After(Seq),
    /// At the beginning, because nothing asked for is a place here.
    Anew,
    /// Nowhere: all has been said and seen.
    Over,
    /// Nobody can tell at present.
    Later,
}

/// The later of the positions that were asked for.
async fn find_start(
    arena: &Arena,
    debate: DebateId,
    asked: [Option<Position>; 2],
) -> Result<Start, ArenaError> {
    let mut places = Vec::new();
    for position in asked.iter().flatten() {
        if let Some(since) = position.since() {
            places.extend(arena.locate(debate, since).await?);
        }
    }
    let asked_nothing = asked.iter().flatten().next().is_none();
    if asked_nothing {
        places.extend(arena.locate(debate, Since::Start).await?);
    }
    let Some(place) = places.into_iter().max_by_key(|place| place.at) else {
        // Answers 404 where there is no debate either.
        arena.locate(debate, Since::Start).await?;
        return Ok(Start::Anew);
    };
    let closed = place.debate.state == debate_core::arena::State::Closed;
    Ok(if closed && place.at == place.last { Start::Over } else { Start::After(place.at) })
}

fn answer(arena: &Arena, debate: DebateId, start: Start) -> Response {
    let (since, opening) = match start {
        Start::Over => return StatusCode::NO_CONTENT.into_response(),
        Start::Later => return stream_of(Body::from(RETRY_AWAY)),
        Start::After(seq) => (Since::Seq(seq), RETRY.to_owned()),
        Start::Anew => {
            let notice = wire::Notice { reason: wire::Reason::UnknownPosition };
            (Since::Start, format!("{RETRY}{}", event("reset", None, &notice)))
        }
    };
    stream_of(match arena.subscribe(debate, since) {
        Ok(subscription) => follow(subscription, opening),
        Err(_) => Body::from(RETRY_LATER),
    })
}

/// Also when there is nothing to send yet: a refusal would stop a browser's `EventSource` for good,
/// a stream that just ends brings it back.
fn stream_of(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

/// What is still to be done on a stream.
enum Stage {
    Opening(Subscription, String),
    Following(Subscription),
    Over,
}

fn follow(subscription: Subscription, opening: String) -> Body {
    let stages = stream::unfold(Stage::Opening(subscription, opening), |stage| async {
        match stage {
            Stage::Opening(subscription, text) => {
                Some((Ok::<_, ArenaError>(Bytes::from(text)), Stage::Following(subscription)))
            }
            Stage::Following(subscription) => further(subscription).await,
            Stage::Over => None,
        }
    });
    Body::from_stream(stages)
}

/// The next bytes of the stream: a page of events, a heartbeat, or the end.
async fn further(mut subscription: Subscription) -> Option<(Result<Bytes, ArenaError>, Stage)> {
    match tokio::time::timeout(HEARTBEAT, subscription.next()).await {
        Err(_) => Some((Ok(Bytes::from_static(b":\n\n")), Stage::Following(subscription))),
        Ok(Ok(Heard::News(news))) => {
            let over = news.is_the_end();
            let mut text = page(news);
            if over {
                text.push_str(&ended(wire::Reason::DebateClosed));
            }
            let stage = if over { Stage::Over } else { Stage::Following(subscription) };
            Some((Ok(text.into()), stage))
        }
        Ok(Err(ArenaError::NoSuchDebate(_))) => {
            Some((Ok(ended(wire::Reason::DebateDeleted).into()), Stage::Over))
        }
        // Just the end: the client comes back, here or elsewhere, and asks for the rest.
        Ok(Ok(Heard::Closing(_) | Heard::Nothing(_))) => None,
        Ok(Err(err)) => Some((Err(err), Stage::Over)),
    }
}

fn page(news: News) -> String {
    news.events()
        .map(|(debate, argument)| {
            let id = argument.id.to_string();
            let data = wire::Written { debate: debate.into(), argument: argument.into() };
            event("argument", Some(&id), &data)
        })
        .collect()
}

fn ended(reason: wire::Reason) -> String {
    event("end", None, &wire::Notice { reason })
}

/// One event. JSON has no bare line breaks, so its data is one line whatever was said.
fn event(name: &str, id: Option<&str>, data: &impl Serialize) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = serde_json::to_string(data).expect("our own types are made of strings and lists");
    format!("event: {name}\n{id}data: {data}\n\n")
}
