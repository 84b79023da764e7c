//! A whole database: read in one snapshot, copied to another engine, checked by the rules.
//!
//! `tables.rs` lists what a copy contains, `table.rs` makes the statements, `copy.rs` moves and
//! digests rows, `replay.rs` replays every debate and run. The engines only open a database, read a
//! page, insert a page and commit.

mod copy;
mod digest;
mod replay;
mod row;
mod table;
mod tables;

use std::fmt;

use debate_app::{Cause, StoreError};
use debate_core::{DebateId, RunId, StateMismatch};

use crate::postgres::PostgresArchive;
use crate::sql::Value;
use crate::sqlite::SqliteArchive;

pub use copy::{CopyResult, check, copy};
pub use digest::Digest;

pub(crate) use digest::DigestBuilder;
pub(crate) use row::TableRow;
pub(crate) use table::{Dialect, Table};
pub(crate) use tables::{ARGUMENTS, COPIED, DEBATES, DERIVED, SEATS};

/// A database in one transaction: a snapshot to read, or an empty database to fill. Only a commit
/// makes inserted rows durable.
pub struct Archive(pub(crate) EngineArchive);

pub(crate) enum EngineArchive {
    Sqlite(SqliteArchive),
    Postgres(Box<PostgresArchive>),
}

impl Archive {
    /// Whether no table that a copy contains has a row.
    pub async fn is_empty(&mut self) -> Result<bool, ArchiveError> {
        Ok(self.first_used_table().await?.is_none())
    }

    async fn first_used_table(&mut self) -> Result<Option<&'static str>, ArchiveError> {
        for table in COPIED {
            if !self.page(table, None).await?.is_empty() {
                return Ok(Some(table.name));
            }
        }
        Ok(None)
    }

    /// The next rows in the order of the key; none after the last.
    async fn page(
        &mut self,
        table: &'static Table,
        after: Option<&[Value<'static>]>,
    ) -> Result<Vec<TableRow>, ArchiveError> {
        match &mut self.0 {
            EngineArchive::Sqlite(archive) => archive.page(table, after),
            EngineArchive::Postgres(archive) => archive.page(table, after).await,
        }
    }

    async fn insert(
        &mut self,
        table: &'static Table,
        rows: &[TableRow],
    ) -> Result<(), ArchiveError> {
        match &mut self.0 {
            EngineArchive::Sqlite(archive) => archive.insert(table, rows),
            EngineArchive::Postgres(archive) => archive.insert(table, rows).await,
        }
    }

    /// Completes the rows of [`COPIED`] after the last insert, and empties [`DERIVED`].
    async fn prepare_derived(&mut self) -> Result<(), ArchiveError> {
        match &mut self.0 {
            EngineArchive::Sqlite(archive) => archive.prepare_derived(),
            EngineArchive::Postgres(archive) => archive.prepare_derived().await,
        }
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        match &mut self.0 {
            EngineArchive::Sqlite(archive) => archive.commit(),
            EngineArchive::Postgres(archive) => archive.commit().await,
        }
    }
}

/// The names of all tables with their columns that a copy contains or rebuilds.
#[must_use]
pub fn archive_tables() -> Vec<(&'static str, Vec<&'static str>)> {
    let tables = COPIED.iter().chain(&DERIVED);
    tables
        .map(|table| (table.name, table.columns.iter().map(|column| column.name).collect()))
        .collect()
}

/// The subject of an error of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A debate, by its id.
    Debate(DebateId),
    /// A run, by its id.
    Run(RunId),
    /// A table whose rows belong to neither.
    Table(&'static str),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Debate(id) => write!(f, "debate {id}"),
            Self::Run(id) => write!(f, "run {id}"),
            Self::Table(name) => write!(f, "the table {name}"),
        }
    }
}

/// The row counts and the digest of a database whose debates and runs were all replayed.
#[derive(Debug, Clone)]
pub struct DatabaseSummary {
    /// Number of rows of each table.
    pub rows: Vec<(&'static str, u64)>,
    /// The digest of all rows.
    pub digest: Digest,
    /// The first row of a search index or counter that is out of date. Only lists and searches use
    /// these rows.
    pub stale_index: Option<StaleIndex>,
}

impl DatabaseSummary {
    /// The number of rows of a table, by its name.
    #[must_use]
    pub fn count(&self, table: &str) -> u64 {
        self.rows.iter().find(|(name, _)| *name == table).map_or(0, |(_, rows)| *rows)
    }
}

impl fmt::Display for DatabaseSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, table) in [
            ("debates", "debates"),
            ("arguments", "arguments"),
            ("runs", "runs"),
            ("turns", "run_turns"),
            ("calls", "run_calls"),
            ("agents", "forum_agents"),
            ("posts", "forum_posts"),
        ] {
            write!(f, "{label} {}, ", self.count(table))?;
        }
        write!(f, "SHA-256 {}", self.digest)
    }
}

/// A row of a search index or counter that does not agree with the debates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StaleIndex {
    /// The search row of a debate.
    #[error("the search index does not find debate {0} by its title and motion")]
    Search(DebateId),
    /// A counter of debates.
    #[error("the counter {bucket} shows {counted} debates, but there are {found}")]
    Count {
        /// The name of the counter.
        bucket: String,
        /// The stored value of the counter.
        counted: i64,
        /// The number of debates.
        found: i64,
    },
}

/// The reason why a database was not copied, or why its check failed.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The destination has rows already.
    #[error(
        "the table {0} of the destination is not empty and was not changed; use an empty database"
    )]
    NotEmpty(&'static str),
    /// Stored values differ from those that the rules lead to.
    #[error("{item} is damaged; delete it or restore a backup")]
    Mismatch {
        /// The debate or run.
        item: Item,
        /// The first difference of that item.
        #[source]
        mismatch: StateMismatch,
    },
    /// Rows belong to a debate or run that does not exist.
    #[error("the table {table} has rows of {item}, which does not exist")]
    Orphan {
        /// The table with the rows.
        table: &'static str,
        /// The missing debate or run.
        item: Item,
    },
    /// A row cannot be decoded.
    #[error("{item} cannot be read; delete it or restore a backup")]
    Unreadable {
        /// The item that the row belongs to.
        item: Item,
        /// The engine's or the decoder's message.
        #[source]
        cause: Cause,
    },
    /// PostgreSQL cannot store a text of this item.
    #[error(
        "{0} contains the character U+0000, which PostgreSQL cannot store; delete it or stay with \
         SQLite"
    )]
    Nul(Item),
    /// The rows read back from the destination differ from those of the source.
    #[error("the copy differs from its source: {written} instead of {read}")]
    Different {
        /// Rows of the source.
        read: Box<DatabaseSummary>,
        /// Rows that were read back from the destination.
        written: Box<DatabaseSummary>,
    },
    /// The storage engine failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The commit failed, and whether it took effect is unknown.
    #[error("the commit failed and its outcome is unknown; check with aw db status")]
    Commit(#[source] StoreError),
}

/// A step of a check or copy, reported after each page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableProgress {
    /// The name of the table.
    pub table: &'static str,
    /// Number of rows of the table so far.
    pub rows: u64,
    /// The action on the rows, as a past participle: `replayed`, `copied` or `read`.
    pub action: &'static str,
}

/// Receives the progress of a check or copy.
pub(crate) type Report<'r> = dyn FnMut(TableProgress) + Send + 'r;

/// The schema version and the row counts of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// The engine and its version.
    pub engine: String,
    /// The schema version; none for an empty database.
    pub layout: Option<i64>,
    /// The newest schema version that this build supports.
    pub known: i64,
    /// Number of debates of the arena.
    pub debates: u64,
    /// Number of arguments, including motions.
    pub arguments: u64,
    /// Number of runs of the runner.
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
