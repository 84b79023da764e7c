//! What can be said of a database without using it.

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
