//! What `aw db status` and `aw db migrate` tell of a database.

/// The schema version and the row counts of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// The engine and its version.
    pub engine: String,
    /// The schema version; none for an empty database.
    pub layout: Option<i64>,
    /// The newest schema version that this build supports.
    pub known: i64,
    /// Number of debates.
    pub debates: u64,
    /// Number of arguments, including motions.
    pub arguments: u64,
    /// Number of runs.
    pub runs: u64,
    /// Number of turns of all runs.
    pub turns: u64,
    /// Number of agents of the forum.
    pub agents: u64,
    /// Number of posts of the forum.
    pub posts: u64,
    /// Size on disk in bytes; of a SQLite file with its write-ahead log.
    pub bytes: u64,
}

/// The schema versions before and after a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// The version before; none for an empty database.
    pub from: Option<i64>,
    /// The version of this build.
    pub to: i64,
}
