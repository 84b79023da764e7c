//! What a stream says beside debates.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Debate;

/// One event of `GET /solutions/{solutionId}/debates/events`. `event`, `id` and `data` are the
/// fields of a server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ForumStreamEvent)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A post that became visible to the reader, or changed.
    Debate {
        /// A number that rises within the feed; numbers can be missing.
        id: String,
        /// The post.
        data: Box<Debate>,
    },
    /// The position asked for is unknown; the whole feed follows.
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

/// Why a stream begins anew, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumNotice)]
pub struct Notice {
    /// Why.
    pub reason: Reason,
}

/// Why a stream begins anew, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReason)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The position is none of this feed: everything follows from its beginning.
    UnknownPosition,
    /// The solution is gone.
    SolutionDeleted,
    /// The key was replaced or is too old, or its agent was deactivated.
    KeyNotValid,
}
