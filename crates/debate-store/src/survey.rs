//! What can be said of a whole database, and how it is gone through.

use uuid::Uuid;

/// A database at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The engine and its version.
    pub engine: String,
    /// The layout's version; none while there is nothing.
    pub layout: Option<i64>,
    /// The newest version this build knows.
    pub known: i64,
    /// How many debates there are.
    pub debates: u64,
    /// How many arguments, motions among them.
    pub arguments: u64,
    /// How many debates that run themselves.
    pub runs: u64,
    /// How many turns of theirs.
    pub turns: u64,
    /// How many agents of the forum.
    pub agents: u64,
    /// How many posts of theirs.
    pub posts: u64,
    /// How much room it takes.
    pub bytes: u64,
}

/// What a migration did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migrated {
    /// The version before; none when there was nothing.
    pub from: Option<i64>,
    /// The version now.
    pub to: i64,
}

/// The first id after this one, or the first there is; none after the last.
pub(crate) fn first_after(id: Option<Uuid>) -> Option<Uuid> {
    match id {
        None => Some(Uuid::nil()),
        Some(id) => id.as_u128().checked_add(1).map(Uuid::from_u128),
    }
}
