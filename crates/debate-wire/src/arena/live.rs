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
    /// Only what came after this: an argument's id or its `seq`. The header `Last-Event-ID` says
    /// the same; the later position wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// `GET /ws`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SocketQuery {
    /// Which debate.
    #[param(required = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate_id: Option<String>,
    /// The server's token, for clients that can't send a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Instead of a snapshot, every argument after this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<String>,
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

/// What a socket says.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The debate as it stands, on connecting.
    InitialState {
        /// The debate.
        debate: Debate,
        /// What was said, the motion first.
        arguments: Vec<Argument>,
    },
    /// Something was said.
    NewArgument(Written),
    /// Which changed where the debate stands.
    StateChanged {
        /// Which debate.
        debate_id: String,
        /// Where it stood.
        from: State,
        /// Where it stands.
        to: State,
    },
    /// The debate is gone.
    DebateDeleted {
        /// Which it was.
        debate_id: String,
    },
    /// What the client sent was refused.
    Error(Box<ErrorBody>),
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
