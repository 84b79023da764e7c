//! What a stream says beside debates.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
