//! A debate that runs itself, as a stream of server-sent events.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::runner::{Delta, Heard, RunNews, Runner, RunnerError, Since, Subscription};
use debate_core::runner::Standing;
use debate_core::{RunId, TurnId};
use debate_wire::{LastEventIdHeader, runner as wire};

use crate::events::{self, Feed, Next, Place, Position, Sequence, Start, event};
use crate::parsed::{InPath, InQuery};
use crate::problem::Problem;

/// Follow a run with server-sent events
///
/// Sends the status, all turns after the requested position and then each new event. The server
/// sends a comment every 15 s while nothing happens.
#[utoipa::path(
    get, path = "/runner/debates/{id}/events", tag = "runner", operation_id = "runner_events",
    params(wire::DebatePath, wire::EventsQuery, LastEventIdHeader),
    responses(
        (status = 200, description = "A stream of server-sent events: `status` first and after \
            each change, `turn` for each turn, `delta` for the next part of an answer in \
            progress, `reset` before a replay from the first turn, `end` after the last turn. The \
            items of the array describe the events",
            body = Vec<wire::StreamEvent>, content_type = "text/event-stream"),
        (status = 204, description = "The run has ended and has no turn after the position"),
        (status = 404, description = "The run does not exist", body = wire::Failure),
    )
)]
pub(crate) async fn events(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    InQuery(after): InQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let log = Log { runner, run };
    let start = match Start::find(&log, [after, Position::last_seen(&headers)]).await {
        Err(RunnerError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => {
            Start::Later
        }
        found => found?,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::answer(start, &reset, |after| log.follow(Since::Seq(after))))
}

/// A debate's sequence.
struct Log {
    runner: Runner,
    run: RunId,
}

impl Log {
    fn follow(&self, since: Since) -> Option<Follower> {
        let subscription = self.runner.subscribe(self.run, since).ok()?;
        Some(Follower { subscription, told: None })
    }
}

impl Sequence for Log {
    type Id = TurnId;
    type Error = RunnerError;

    async fn locate(&self, position: Position<TurnId>) -> Result<Option<Place>, RunnerError> {
        let since = match position {
            Position::Id(turn) => Since::Turn(turn),
            Position::Seq(seq) => Since::Seq(seq),
            Position::Unknown => return Ok(None),
        };
        let place = self.runner.locate(self.run, since).await?;
        Ok(place.map(|place| Place { at: place.at, is_the_end: place.is_the_end }))
    }
}

/// Someone who follows, and where they were told that the debate stands.
struct Follower {
    subscription: Subscription,
    told: Option<wire::StatusEvent>,
}

impl Feed for Follower {
    type Error = RunnerError;

    async fn next(&mut self) -> Next<RunnerError> {
        match self.subscription.next().await {
            Ok(Heard::News(news)) => self.tell(*news),
            Ok(Heard::Delta(delta)) => Next::More(piece(delta)),
            Ok(Heard::Closing) => Next::Closing,
            Err(RunnerError::NoSuchRun(_)) => Next::Last(ended(wire::Reason::DebateDeleted)),
            Err(err) => Next::Broken(err),
        }
    }
}

impl Follower {
    /// Where it stands comes before everything on connecting, and later after the turn that led
    /// there.
    fn tell(&mut self, news: RunNews) -> Next<RunnerError> {
        let is_the_end = news.is_the_end();
        let reason = match news.run.standing {
            Standing::Canceled => wire::Reason::DebateCanceled,
            Standing::Created
            | Standing::Running
            | Standing::Stopping
            | Standing::Stopped
            | Standing::Failed
            | Standing::Completed(_) => wire::Reason::DebateCompleted,
        };
        let turns: String = news.newer.into_iter().map(turn).collect();
        let now = wire::StatusEvent::from(news.run);
        let text = match self.told.replace(now.clone()) {
            None => status(&now) + &turns,
            Some(told) if told == now => turns,
            Some(_) => turns + &status(&now),
        };
        if is_the_end { Next::Last(text + &ended(reason)) } else { Next::More(text) }
    }
}

fn turn(turn: debate_core::runner::Turn) -> String {
    let id = turn.id.to_string();
    event("turn", Some(&id), &wire::Turn::from(turn))
}

fn status(status: &wire::StatusEvent) -> String {
    event("status", None, status)
}

fn piece(delta: Delta) -> String {
    let data = wire::Delta {
        round: delta.place.round.number(),
        actor: delta.place.actor.into(),
        attempt: delta.call,
        text: delta.text,
    };
    event("delta", None, &data)
}

fn ended(reason: wire::Reason) -> String {
    event("end", None, &wire::Notice { reason })
}
