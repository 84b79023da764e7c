//! Server-sent events of a run.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::StreamPosition;
use debate_app::runner::{Delta, NewTurns, RunFollower, RunUpdate, Runner, RunnerError};
use debate_core::runner::RunState;
use debate_core::{RunId, TurnId};
use debate_wire::{LastEventIdHeader, runner as wire};

use crate::error::ErrorResponse;
use crate::events::{
    self, EventBatch, EventLog, EventSource, RequestedPosition, SequencePosition, StreamStart,
    event,
};
use crate::extract::{ParsedQuery, PathId};

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
    PathId(run): PathId<RunId>,
    ParsedQuery(after): ParsedQuery<wire::EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let log = RunEventLog { runner, run };
    let start = match StreamStart::find(&log, [after, RequestedPosition::last_seen(&headers)]).await
    {
        Err(RunnerError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => {
            StreamStart::Unavailable
        }
        found => found?,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::respond(start, &reset, |after| log.follow(StreamPosition::Seq(after))))
}

/// The turns of one run, as a log of events.
struct RunEventLog {
    runner: Runner,
    run: RunId,
}

impl RunEventLog {
    fn follow(&self, since: StreamPosition<TurnId>) -> Option<Follower> {
        let subscription = self.runner.follow(self.run, since).ok()?;
        Some(Follower { subscription, last_status: None })
    }
}

impl EventLog for RunEventLog {
    type Id = TurnId;
    type Error = RunnerError;

    async fn locate(
        &self,
        position: RequestedPosition<TurnId>,
    ) -> Result<Option<SequencePosition>, RunnerError> {
        let since = match position {
            RequestedPosition::Id(turn) => StreamPosition::Item(turn),
            RequestedPosition::Seq(seq) => StreamPosition::Seq(seq),
            RequestedPosition::Unknown => return Ok(None),
        };
        let position = self.runner.locate(self.run, since).await?;
        Ok(position.map(|position| SequencePosition { at: position.at, is_end: position.is_end }))
    }
}

/// The follower of one stream, and the last status that was sent.
struct Follower {
    subscription: RunFollower,
    last_status: Option<wire::StatusEvent>,
}

impl EventSource for Follower {
    type Error = RunnerError;

    async fn next(&mut self) -> EventBatch<RunnerError> {
        match self.subscription.next().await {
            Ok(RunUpdate::Turns(new)) => self.encode(*new),
            Ok(RunUpdate::Delta(delta)) => EventBatch::More(delta_event(delta)),
            Ok(RunUpdate::Closing) => EventBatch::Closing,
            Err(RunnerError::UnknownRun(_)) => {
                EventBatch::Last(end_event(wire::Reason::DebateDeleted))
            }
            Err(err) => EventBatch::Failed(err),
        }
    }
}

impl Follower {
    /// The status is the first event, and later follows the turn that led to it.
    fn encode(&mut self, new: NewTurns) -> EventBatch<RunnerError> {
        let is_end = new.is_end();
        let reason = match new.run.state {
            RunState::Canceled => wire::Reason::DebateCanceled,
            RunState::Created
            | RunState::Running
            | RunState::Stopping
            | RunState::Stopped
            | RunState::Failed
            | RunState::Completed(_) => wire::Reason::DebateCompleted,
        };
        let turns: String = new.newer.into_iter().map(turn).collect();
        let now = wire::StatusEvent::from(new.run);
        let text = match self.last_status.replace(now.clone()) {
            None => status(&now) + &turns,
            Some(last_status) if last_status == now => turns,
            Some(_) => turns + &status(&now),
        };
        if is_end { EventBatch::Last(text + &end_event(reason)) } else { EventBatch::More(text) }
    }
}

fn turn(turn: debate_core::runner::Turn) -> String {
    let id = turn.id.to_string();
    event("turn", Some(&id), &wire::Turn::from(turn))
}

fn status(status: &wire::StatusEvent) -> String {
    event("status", None, status)
}

fn delta_event(delta: Delta) -> String {
    let data = wire::Delta {
        round: delta.cursor.round.number(),
        actor: delta.cursor.actor.into(),
        attempt: delta.call,
        text: delta.text,
    };
    event("delta", None, &data)
}

fn end_event(reason: wire::Reason) -> String {
    event("end", None, &wire::Notice { reason })
}
