//! What goes over a debate's stream. `turn` events carry a [`Turn`].

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Actor, Status, StopReason, Turn};

/// `GET /runner/debates/{id}/events`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only turns after this position: a turn's id or its `seq`. Where the header
    /// `Last-Event-ID` is there too, the later position applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// `event: status`: where the debate stands, on connecting and whenever that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerStatusEvent)]
pub struct StatusEvent {
    /// Where it stands.
    pub status: Status,
    /// The round of the next turn.
    pub next_round: u32,
    /// Whose turn is next.
    pub next_actor: Actor,
    /// Why it does not run any more.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// What went wrong last, until something goes well.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// How many rounds are complete.
    pub completed_rounds: u32,
    /// The tokens of all answers so far.
    pub spent_tokens: u64,
    /// How many seconds it has run.
    pub ran_seconds: u64,
}

impl From<runner::Run> for StatusEvent {
    fn from(run: runner::Run) -> Self {
        Self {
            status: run.standing.status().into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.standing.reason().map(Into::into),
            last_error: run.last_error,
            completed_rounds: run.completed_rounds,
            spent_tokens: run.spent,
            ran_seconds: run.ran.as_secs(),
        }
    }
}

/// `event: delta`: more of an answer that is being given. It is not replayed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerDelta)]
pub struct Delta {
    /// The round of the turn it is for.
    pub round: u32,
    /// Who speaks.
    pub actor: Actor,
    /// The so-manieth call for that turn: what earlier ones said counts for nothing.
    pub attempt: u32,
    /// What came since the last delta of this attempt.
    pub text: String,
}

/// One event of `GET /runner/debates/{id}/events`. `event`, `id` and `data` are the fields of a
/// server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = RunnerStreamEvent)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A turn that was added.
    Turn {
        /// The turn's id.
        id: String,
        /// The turn.
        data: Box<Turn>,
    },
    /// The status: the first event of a stream, and sent again whenever it changes.
    Status {
        /// The status.
        data: StatusEvent,
    },
    /// More of an answer that a model is giving. It is not replayed.
    Delta {
        /// The new text.
        data: Delta,
    },
    /// The position asked for is unknown; all turns follow from the first.
    Reset {
        /// The reason.
        data: Notice,
    },
    /// The last event of the stream.
    End {
        /// The reason.
        data: Notice,
    },
}

/// `event: end` and `event: reset`: why a stream ended or began anew.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerNotice)]
pub struct Notice {
    /// The reason.
    pub reason: Reason,
}

/// The reasons there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerReason)]
pub enum Reason {
    /// A limit ended the debate and everything has been sent.
    DebateCompleted,
    /// The debate was given up and everything has been sent.
    DebateCanceled,
    /// The debate was deleted.
    DebateDeleted,
    /// The position asked for is none of this debate's; everything follows from the start.
    UnknownPosition,
}
