//! Events of a run's stream. `turn` events carry a [`Turn`].

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Actor, Status, StopReason, Turn};

/// Query of `GET /runner/debates/{id}/events`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Position to continue after: the UUID of a turn or its `seq`. The stream starts with the
    /// first turn if it is absent. If the request also has the header `Last-Event-ID`, the later of
    /// the two positions applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Status of a run, sent on connecting and after each change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerStatusEvent)]
pub struct StatusEvent {
    /// Current status of the run.
    pub status: Status,
    /// Round of the next turn, starting at 1.
    pub next_round: u32,
    /// Actor of the next turn.
    pub next_actor: Actor,
    /// Reason why the run ended or paused. Null while the status is `created`, `running` or
    /// `stopping`.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// Message of the latest failure. Null if nothing has failed since the last success.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// Number of complete rounds: rounds with a judge turn, or with a turn of debater B if
    /// `judge_mode` is `end`.
    pub completed_rounds: u32,
    /// Output tokens of all calls so far. A call in progress counts as its `max_tokens`.
    pub spent_tokens: u64,
    /// Time for which the run has been running, in whole seconds, without pauses.
    pub ran_seconds: u64,
}

impl From<runner::Run> for StatusEvent {
    fn from(run: runner::Run) -> Self {
        Self {
            status: run.state.status().into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.state.reason().map(Into::into),
            last_error: run.last_error,
            completed_rounds: run.completed_rounds,
            spent_tokens: run.spent,
            ran_seconds: run.ran.as_secs(),
        }
    }
}

/// The next part of an answer in progress. Deltas are not saved and not replayed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerDelta)]
pub struct Delta {
    /// Round of the turn in progress, starting at 1.
    pub round: u32,
    /// Actor of the turn in progress.
    pub actor: Actor,
    /// Number of the call for this turn, starting at 1. A higher number than before means that the
    /// text of earlier calls is discarded.
    pub attempt: u32,
    /// Text that arrived since the preceding delta of the same call.
    pub text: String,
}

/// One event of `GET /runner/debates/{id}/events`. `event`, `id` and `data` are the fields of a
/// server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = RunnerStreamEvent)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A turn was added. Each turn is sent once, in the order of `seq`.
    Turn {
        /// UUID of the turn; the position for `Last-Event-ID`.
        id: String,
        /// The turn that was added.
        data: Box<Turn>,
    },
    /// The first event of a stream, sent again after each change of the status.
    Status {
        /// Current status of the run.
        data: StatusEvent,
    },
    /// The next part of an answer in progress. Not replayed after a reconnect.
    Delta {
        /// The new text and the turn it belongs to.
        data: Delta,
    },
    /// The requested position does not exist in this run. All turns follow, from the first on.
    Reset {
        /// Reason for the restart; always `unknown_position`.
        data: Notice,
    },
    /// The last event of the stream. The client need not reconnect.
    End {
        /// Reason for the end: `debate_completed`, `debate_canceled` or `debate_deleted`.
        data: Notice,
    },
}

/// Reason why a stream ended or restarted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerNotice)]
pub struct Notice {
    /// Reason code of the event.
    pub reason: Reason,
}

/// Reason code of an `end` or `reset` event:
/// - `debate_completed`: the run is complete and all turns were sent.
/// - `debate_canceled`: the run was cancelled and all turns were sent.
/// - `debate_deleted`: the run was deleted.
/// - `unknown_position`: the requested position does not exist; the stream restarts from the first
///   turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerReason)]
pub enum Reason {
    /// The run is complete and all turns were sent.
    DebateCompleted,
    /// The run was cancelled and all turns were sent.
    DebateCanceled,
    /// The run was deleted.
    DebateDeleted,
    /// The requested position does not exist; the stream restarts from the first turn.
    UnknownPosition,
}
