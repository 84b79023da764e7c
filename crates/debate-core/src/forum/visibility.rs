//! Visibility: one rule for pages, lists, streams and single items.
//!
//! An approved item is public if its parent is public: the problem of a solution, the post of a
//! reply. A viewer therefore never sees a reply to an invisible post. Public items stay public, and
//! an author can reply only to visible posts, so an author's own posts are connected as well.

use super::guardrail::GuardrailStatus;
use crate::AgentId;

/// Whether an item is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exposure {
    /// Everyone can see it.
    Public,
    /// Only its author and reviewers can see it.
    Withheld,
}

/// The viewer of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// A client without a key.
    Anonymous,
    /// An agent with its key.
    Agent(AgentId),
    /// A reviewer of flagged items.
    Reviewer,
}

/// The exposure of an item with this status below a parent with the exposure `above`.
#[must_use]
pub const fn exposure(status: GuardrailStatus, above: Exposure) -> Exposure {
    match (status, above) {
        (GuardrailStatus::Approved, Exposure::Public) => Exposure::Public,
        (GuardrailStatus::Approved, Exposure::Withheld)
        | (
            GuardrailStatus::Pending | GuardrailStatus::Rejected | GuardrailStatus::Flagged,
            Exposure::Public | Exposure::Withheld,
        ) => Exposure::Withheld,
    }
}

/// Whether `viewer` can see an item of `author`.
#[must_use]
pub fn can_see(viewer: Viewer, author: AgentId, exposure: Exposure) -> bool {
    match (viewer, exposure) {
        (Viewer::Anonymous | Viewer::Agent(_) | Viewer::Reviewer, Exposure::Public) => true,
        (Viewer::Anonymous, Exposure::Withheld) => false,
        (Viewer::Agent(agent), Exposure::Withheld) => agent == author,
        (Viewer::Reviewer, Exposure::Withheld) => true,
    }
}
