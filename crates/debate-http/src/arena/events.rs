//! Server-sent events of a debate.

use std::sync::OnceLock;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError, DebateEvent, DebateFollower, NewArguments};
use debate_core::arena::{Credentials, Seat, Side};
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use debate_wire::{Failure, LastEventIdHeader, arena as wire};

use super::credentials::RequestCredentials;
use super::resolve::PathDebate;
use crate::error::ErrorResponse;
use crate::events::{
    self, EventBatch, EventLog, EventSource, RequestedPosition, SequencePosition, StreamStart,
    event,
};
use crate::extract::ParsedQuery;

/// Follow a debate with server-sent events
///
/// Sends all arguments after the requested position and then each new one. The server sends a
/// comment every 15 s while nothing happens.
#[utoipa::path(
    get, path = "/debates/{id}/events", tag = "arena",
    params(wire::DebatePath, wire::EventsQuery, LastEventIdHeader, wire::SeatHeader),
    responses(
        (status = 200, description = "A stream of server-sent events: `argument` for each \
            argument, `seat` for each change of a seat (not replayed), `reset` before a replay \
            from the motion, `end` after the last argument. The items of the array describe the \
            events",
            body = Vec<wire::StreamEvent>, content_type = "text/event-stream"),
        (status = 204, description = "The debate is closed and has no argument after the position"),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn events(
    State(arena): State<Arena>,
    debate: Result<PathDebate, ErrorResponse>,
    RequestCredentials(credentials): RequestCredentials,
    ParsedQuery(after): ParsedQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let debate = match debate {
        Ok(PathDebate(debate)) => debate,
        Err(err) if err.is_transient() => return Ok(events::retry_later()),
        Err(err) => return Err(err),
    };
    let log = DebateEventLog::new(arena, debate, credentials);
    stream(log, [after, RequestedPosition::last_seen(&headers)]).await
}

/// Streams the debate after the later of the requested positions.
async fn stream(
    log: DebateEventLog,
    requested: [Option<RequestedPosition<Reference<ArgumentId>>>; 2],
) -> Result<Response, ErrorResponse> {
    let start = match StreamStart::find(&log, requested).await {
        Err(ArenaError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => {
            StreamStart::Unavailable
        }
        found => found?,
    };
    let feed = match start.position() {
        Some(after) => match log.follow(after).await {
            Ok(feed) => Some(feed),
            Err(ArenaError::TooManyWaiters(_)) => None,
            Err(ArenaError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => {
                return Ok(events::retry_later());
            }
            Err(err) => return Err(err.into()),
        },
        None => None,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::respond(start, &reset, |_| feed))
}

/// The arguments of one debate, as a log of events.
struct DebateEventLog {
    arena: Arena,
    debate: DebateId,
    credentials: Credentials,
    /// The number of seat changes when the first position was located.
    seat_changes: OnceLock<Option<u32>>,
}

impl DebateEventLog {
    fn new(arena: Arena, debate: DebateId, credentials: Credentials) -> Self {
        Self { arena, debate, credentials, seat_changes: OnceLock::new() }
    }

    async fn follow(&self, after: Seq) -> Result<DebateEvents, ArenaError> {
        let (arena, credentials) = (self.arena.clone(), self.credentials);
        arena.note_presence(&credentials);
        let seat_changes = self.seat_changes.get().copied().flatten();
        let follower = arena.follow(self.debate, StreamPosition::Seq(after), seat_changes).await?;
        Ok(DebateEvents { follower, arena, credentials })
    }
}

impl EventLog for DebateEventLog {
    type Id = Reference<ArgumentId>;
    type Error = ArenaError;

    async fn locate(
        &self,
        position: RequestedPosition<Self::Id>,
    ) -> Result<Option<SequencePosition>, ArenaError> {
        let since = match position {
            RequestedPosition::Id(reference) => match self.arena.find_argument(&reference).await? {
                Some(argument) => StreamPosition::Item(argument),
                None => return Ok(None),
            },
            RequestedPosition::Seq(seq) => StreamPosition::Seq(seq),
            RequestedPosition::Unknown => return Ok(None),
        };
        let position = self.arena.locate(self.debate, since).await?;
        Ok(position.map(|position| {
            self.seat_changes.get_or_init(|| position.debate.seat_changes);
            let closed = position.debate.state == debate_core::arena::State::Closed;
            SequencePosition { at: position.at, is_end: closed && position.at == position.last }
        }))
    }
}

/// The events of one debate for one client.
struct DebateEvents {
    follower: DebateFollower,
    arena: Arena,
    credentials: Credentials,
}

impl EventSource for DebateEvents {
    type Error = ArenaError;

    async fn next(&mut self) -> EventBatch<ArenaError> {
        match self.follower.next().await {
            Ok(DebateEvent::Arguments(new)) if new.is_end() => {
                EventBatch::Last(page(new) + &end_event(wire::Reason::DebateClosed))
            }
            Ok(DebateEvent::Arguments(new)) => EventBatch::More(page(new)),
            Ok(DebateEvent::Seats(changed)) => EventBatch::More(seat_events(changed)),
            Ok(DebateEvent::Closing) => EventBatch::Closing,
            Err(ArenaError::UnknownDebate(_)) => {
                EventBatch::Last(end_event(wire::Reason::DebateDeleted))
            }
            Err(err) => EventBatch::Failed(err),
        }
    }

    fn note_heartbeat(&self) {
        self.arena.note_presence(&self.credentials);
    }
}

fn seat_events(changed: Vec<(Side, Seat)>) -> String {
    let changes = changed.into_iter();
    changes.map(|(side, seat)| event("seat", None, &wire::SeatChange::new(side, &seat))).collect()
}

fn page(new: NewArguments) -> String {
    new.events()
        .map(|(debate, argument)| {
            let id = argument.id.to_string();
            let data =
                wire::WriteResult { debate: debate.into(), argument: argument.into(), seat: None };
            event("argument", Some(&id), &data)
        })
        .collect()
}

fn end_event(reason: wire::Reason) -> String {
    event("end", None, &wire::Notice { reason })
}
