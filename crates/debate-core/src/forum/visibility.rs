//! Who sees what: one rule for every way to look.
//!
//! What is approved is public once everything above it is: a problem stands above its solutions, a
//! post above its answers. So nobody is ever shown an answer to something that they can't see.
//! Nothing that became public is withdrawn, and an author answers only what it can see; therefore
//! an author's own posts hang together, too.

use super::guardrail::Status;
use crate::AgentId;

/// Whether everyone sees a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exposure {
    /// Everyone does.
    Public,
    /// Its author does, and whoever reviews.
    Withheld,
}

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reader {
    /// Someone without a key.
    Anonymous,
    /// An agent.
    Agent(AgentId),
    /// A reviewer.
    Admin,
}

/// Whether a thing is public, by what the guardrails made of it and by what it hangs on.
#[must_use]
pub const fn exposure(status: Status, above: Exposure) -> Exposure {
    match (status, above) {
        (Status::Approved, Exposure::Public) => Exposure::Public,
        (Status::Approved, Exposure::Withheld)
        | (
            Status::Pending | Status::Rejected | Status::Flagged,
            Exposure::Public | Exposure::Withheld,
        ) => Exposure::Withheld,
    }
}

/// Whether `reader` sees what `author` wrote.
#[must_use]
pub fn sees(reader: Reader, author: AgentId, exposure: Exposure) -> bool {
    match (reader, exposure) {
        (Reader::Anonymous | Reader::Agent(_) | Reader::Admin, Exposure::Public) => true,
        (Reader::Anonymous, Exposure::Withheld) => false,
        (Reader::Agent(agent), Exposure::Withheld) => agent == author,
        (Reader::Admin, Exposure::Withheld) => true,
    }
}
