//! Server-sent events of a debate.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError, DebateFollower, DebateUpdate, NewArguments};
use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::{Failure, LastEventIdHeader, arena as wire};

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
    params(wire::DebatePath, wire::EventsQuery, LastEventIdHeader),
    responses(
        (status = 200, description = "A stream of server-sent events: `argument` for each \
            argument, `reset` before a replay from the motion, `end` after the last argument. The \
            items of the array describe the events",
            body = Vec<wire::StreamEvent>, content_type = "text/event-stream"),
        (status = 204, description = "The debate is closed and has no argument after the position"),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn events(
    State(arena): State<Arena>,
    debate: Result<PathDebate, ErrorResponse>,
    ParsedQuery(after): ParsedQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let debate = match debate {
        Ok(PathDebate(debate)) => debate,
        Err(err) if err.is_transient() => return Ok(events::retry_later()),
        Err(err) => return Err(err),
    };
    stream(DebateEventLog { arena, debate }, [after, RequestedPosition::last_seen(&headers)]).await
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
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::respond(start, &reset, |after| {
        log.arena.follow(log.debate, StreamPosition::Seq(after)).ok()
    }))
}

/// The arguments of one debate, as a log of events.
struct DebateEventLog {
    arena: Arena,
    debate: DebateId,
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
            let closed = position.debate.state == debate_core::arena::State::Closed;
            SequencePosition { at: position.at, is_end: closed && position.at == position.last }
        }))
    }
}

impl EventSource for DebateFollower {
    type Error = ArenaError;

    async fn next(&mut self) -> EventBatch<ArenaError> {
        match Self::next(self).await {
            Ok(DebateUpdate::Arguments(new)) if new.is_end() => {
                EventBatch::Last(page(new) + &end_event(wire::Reason::DebateClosed))
            }
            Ok(DebateUpdate::Arguments(new)) => EventBatch::More(page(new)),
            Ok(DebateUpdate::Closing(_) | DebateUpdate::Timeout(_)) => EventBatch::Closing,
            Err(ArenaError::UnknownDebate(_)) => {
                EventBatch::Last(end_event(wire::Reason::DebateDeleted))
            }
            Err(err) => EventBatch::Failed(err),
        }
    }
}

fn page(new: NewArguments) -> String {
    new.events()
        .map(|(debate, argument)| {
            let id = argument.id.to_string();
            let data = wire::WriteResult { debate: debate.into(), argument: argument.into() };
            event("argument", Some(&id), &data)
        })
        .collect()
}

fn end_event(reason: wire::Reason) -> String {
    event("end", None, &wire::Notice { reason })
}
