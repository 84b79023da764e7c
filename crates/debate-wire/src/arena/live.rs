//! Events of a debate's streams and frames of its WebSockets.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::{Argument, Debate, SeatChange, State, WriteResult};
use crate::ErrorBody;

/// Query of `GET /debates/{id}/events`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Position to continue after: the id of an argument, its `seq` or its original id. The stream
    /// starts with the motion if it is absent. If the request also has the header `Last-Event-ID`,
    /// the later of the two positions applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Query of `GET /ws`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SocketQuery {
    /// Id or slug of the debate to follow, or the id that it had in the server it was migrated
    /// from.
    #[param(required = true, min_length = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate_id: Option<String>,
    /// The server's token, for clients that cannot send the `Authorization` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Position to continue after. The server then sends every later argument as `new_argument`
    /// instead of `initial_state`. A position beyond the end is ignored.
    #[param(value_type = Option<u64>, minimum = 0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<String>,
}

/// One event of `GET /debates/{id}/events`. `event`, `id` and `data` are the fields of a
/// server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// An argument was added. Each argument is sent once, in the order of `seq`.
    Argument {
        /// UUID of the argument; the position for `Last-Event-ID`.
        id: String,
        /// The argument, and the debate as it was right after it.
        data: Box<WriteResult>,
    },
    /// A seat was taken or released. Sent once, without an id, and not replayed.
    Seat {
        /// The seat after the change.
        data: SeatChange,
    },
    /// The requested position does not exist in this debate. All arguments follow, from the motion
    /// on.
    Reset {
        /// Reason for the restart; always `unknown_position`.
        data: Notice,
    },
    /// The last event of the stream. The client need not reconnect.
    End {
        /// Reason for the end; `debate_closed` or `debate_deleted`.
        data: Notice,
    },
}

/// Reason why a stream ended or restarted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct Notice {
    /// Reason code of the event.
    pub reason: Reason,
}

/// Reason code of an `end` or `reset` event:
/// - `debate_closed`: the debate is closed and all arguments were sent.
/// - `debate_deleted`: the debate was deleted.
/// - `unknown_position`: the requested position does not exist; the stream restarts from the
///   motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The debate is closed and all arguments were sent.
    DebateClosed,
    /// The debate was deleted.
    DebateDeleted,
    /// The requested position does not exist; the stream restarts from the motion.
    UnknownPosition,
}

/// One frame from the server to a WebSocket client.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The debate and all of its arguments. First frame of a connection without `after_seq`.
    InitialState(Snapshot),
    /// An argument was added.
    NewArgument(Box<WriteResult>),
    /// The argument in the preceding frame changed the state of the debate.
    StateChanged(StateChange),
    /// A seat was taken or released. Not replayed.
    Seat(SeatChange),
    /// The debate was deleted. The server closes the connection with code 1000.
    DebateDeleted(DeletedDebate),
    /// The server refused a frame of the client. The connection stays open.
    Error(Box<ErrorBody>),
}

/// A debate with all of its arguments.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// The debate in its current state.
    pub debate: Debate,
    /// All arguments in the order of `seq`; the first one is the motion.
    pub arguments: Vec<Argument>,
}

/// A change of a debate's state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StateChange {
    /// UUID of the debate.
    pub debate_id: String,
    /// State before the change.
    pub from: State,
    /// State after the change.
    pub to: State,
}

/// Data of the frame that reports the deletion of the debate.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeletedDebate {
    /// UUID of the deleted debate.
    pub debate_id: String,
}

/// One frame from a WebSocket client to the server: `submit_intervention` or `submit_ruling`.
#[derive(Debug, Deserialize)]
pub struct ClientFrame<'f> {
    /// Name of the action.
    pub event: String,
    /// Body of the request with the same name, plus `debate_id`.
    #[serde(borrow)]
    pub data: Option<&'f RawValue>,
}

/// The debate that a client's frame names.
#[derive(Debug, Deserialize)]
pub struct Addressed {
    /// UUID of the debate; must be the debate of the connection.
    pub debate_id: Option<String>,
}
