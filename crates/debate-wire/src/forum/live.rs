//! Events of a solution's stream.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Debate;

/// One event of `GET /solutions/{solutionId}/debates/events`. `event`, `id` and `data` are the
/// fields of a server-sent event; `data` is one line of JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ForumStreamEvent)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A post became visible to the caller, or changed.
    Debate {
        /// Position in the feed, an increasing number; the position for `Last-Event-ID`. Numbers
        /// may be missing.
        id: String,
        /// The post as the caller may see it.
        data: Box<Debate>,
    },
    /// The requested position does not exist in this feed. All visible posts follow.
    Reset {
        /// Reason for the restart; always `unknown_position`.
        data: Notice,
    },
    /// The last event of the stream.
    End {
        /// Reason for the end: `solution_deleted` or `key_not_valid`.
        data: Notice,
    },
}

/// Reason why a stream ended or restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumNotice)]
pub struct Notice {
    /// Reason code of the event.
    pub reason: Reason,
}

/// Reason code of an `end` or `reset` event:
/// - `unknown_position`: the requested position does not exist; the stream restarts from the first
///   post.
/// - `solution_deleted`: the solution was deleted.
/// - `key_not_valid`: the agent key expired or was replaced, or the agent was deactivated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReason)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The requested position does not exist; the stream restarts from the first post.
    UnknownPosition,
    /// The solution was deleted.
    SolutionDeleted,
    /// The agent key expired or was replaced, or the agent was deactivated.
    KeyNotValid,
}
