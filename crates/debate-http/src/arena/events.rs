//! Server-sent events of a debate.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::arena::{Arena, ArenaError, Heard, News, Since, Subscription};
use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::{Failure, LastEventIdHeader, arena as wire};

use super::resolve::PathDebate;
use crate::events::{self, Feed, Next, Place, Position, Sequence, Start, event};
use crate::parsed::InQuery;
use crate::problem::Problem;

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
    debate: Result<PathDebate, Problem>,
    InQuery(after): InQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let debate = match debate {
        Ok(PathDebate(debate)) => debate,
        Err(problem) if problem.is_transient() => return Ok(events::put_off()),
        Err(problem) => return Err(problem),
    };
    let log = Log { arena, debate };
    let start = match Start::find(&log, [after, Position::last_seen(&headers)]).await {
        Err(ArenaError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => Start::Later,
        found => found?,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::answer(start, &reset, |after| log.arena.subscribe(debate, Since::Seq(after)).ok()))
}

/// A debate's sequence.
struct Log {
    arena: Arena,
    debate: DebateId,
}

impl Sequence for Log {
    type Id = Reference<ArgumentId>;
    type Error = ArenaError;

    async fn locate(&self, position: Position<Self::Id>) -> Result<Option<Place>, ArenaError> {
        let since = match position {
            Position::Id(reference) => match self.arena.find_argument(&reference).await? {
                Some(argument) => Since::Argument(argument),
                None => return Ok(None),
            },
            Position::Seq(seq) => Since::Seq(seq),
            Position::Unknown => return Ok(None),
        };
        let place = self.arena.locate(self.debate, since).await?;
        Ok(place.map(|place| {
            let closed = place.debate.state == debate_core::arena::State::Closed;
            Place { at: place.at, is_the_end: closed && place.at == place.last }
        }))
    }
}

impl Feed for Subscription {
    type Error = ArenaError;

    async fn next(&mut self) -> Next<ArenaError> {
        match Self::next(self).await {
            Ok(Heard::News(news)) if news.is_the_end() => {
                Next::Last(page(news) + &ended(wire::Reason::DebateClosed))
            }
            Ok(Heard::News(news)) => Next::More(page(news)),
            Ok(Heard::Closing(_) | Heard::Nothing(_)) => Next::Closing,
            Err(ArenaError::NoSuchDebate(_)) => Next::Last(ended(wire::Reason::DebateDeleted)),
            Err(err) => Next::Broken(err),
        }
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
