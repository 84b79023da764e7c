//! What goes over a debate's streams and sockets.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::{Argument, Debate, State, Written};
use crate::ErrorBody;

/// `GET /debates/{id}/events`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only arguments after this position: an argument's id, its `seq` or its original id. Where
    /// the header `Last-Event-ID` is there too, the later position applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// `GET /ws`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SocketQuery {
    /// The debate's id, or the id it had in the server it was carried over from.
    #[param(required = true, min_length = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate_id: Option<String>,
    /// The server's token, for clients that can't send a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Send every argument after this `seq` instead of a snapshot.
    #[param(value_type = Option<u64>, minimum = 0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<String>,
}

/// One event of `GET /debates/{id}/events`. `event`, `id` and `data` are the fields of a
/// server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// An argument, with the debate as it was after it.
    Argument {
        /// The argument's id.
        id: String,
        /// The argument and its debate.
        data: Box<Written>,
    },
    /// The position asked for is unknown; all arguments follow from the first.
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

/// Why a stream ended or began anew.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct Notice {
    /// The reason.
    pub reason: Reason,
}

/// The reasons there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The debate is closed and everything has been sent.
    DebateClosed,
    /// The debate was deleted.
    DebateDeleted,
    /// The position asked for is none of this debate's; everything follows from the start.
    UnknownPosition,
}

/// One frame from the server to a WebSocket client.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The debate and its arguments: the first frame of a connection.
    InitialState(Snapshot),
    /// An argument was added.
    NewArgument(Written),
    /// The argument before this frame changed the debate's state.
    StateChanged(StateChange),
    /// The debate was deleted; the server closes the connection.
    DebateDeleted(DeletedDebate),
    /// The client's frame was refused.
    Error(Box<ErrorBody>),
}

/// A debate with all of its arguments.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// The debate.
    pub debate: Debate,
    /// Its arguments, the motion first.
    pub arguments: Vec<Argument>,
}

/// A debate's state before and after an argument.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StateChange {
    /// The debate's id.
    pub debate_id: String,
    /// The state before.
    pub from: State,
    /// The state after.
    pub to: State,
}

/// A debate that was deleted.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeletedDebate {
    /// The debate's id.
    pub debate_id: String,
}

/// What a socket is told: `submit_intervention` or `submit_ruling`, with the body of the request
/// of the same name and the debate's id beside it.
#[derive(Debug, Deserialize)]
pub struct ClientFrame<'f> {
    /// What to do.
    pub event: String,
    /// With what.
    #[serde(borrow)]
    pub data: Option<&'f RawValue>,
}

/// The debate that a socket's frame means.
#[derive(Debug, Deserialize)]
pub struct Addressed {
    /// Must be the socket's own.
    pub debate_id: Option<String>,
}
