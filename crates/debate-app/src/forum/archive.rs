//! All of the forum at once: what moving a database asks of a storage engine, and how it is done.
//!
//! Rows move as they are, table by table. How often anyone asked of late stays behind.

use std::fmt;

use async_trait::async_trait;
use debate_core::{Cell, Digest, Seal};

use crate::StoreError;

/// What the forum keeps, each after what it hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Agents.
    Agents,
    /// Their keys.
    Keys,
    /// Problems.
    Problems,
    /// Solutions.
    Solutions,
    /// Posts.
    Posts,
    /// Votes for them.
    Votes,
    /// What was told of them.
    Feed,
    /// Examinations.
    Evaluations,
    /// What models said.
    Verdicts,
    /// What they cost.
    Tokens,
}

impl Table {
    /// Every table, in the order in which they are moved.
    pub const ALL: [Self; 10] = [
        Self::Agents,
        Self::Keys,
        Self::Problems,
        Self::Solutions,
        Self::Posts,
        Self::Votes,
        Self::Feed,
        Self::Evaluations,
        Self::Verdicts,
        Self::Tokens,
    ];

    /// Its name, for people and for the seal.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Keys => "keys",
            Self::Problems => "problems",
            Self::Solutions => "solutions",
            Self::Posts => "posts",
            Self::Votes => "votes",
            Self::Feed => "feed",
            Self::Evaluations => "evaluations",
            Self::Verdicts => "verdicts",
            Self::Tokens => "tokens",
        }
    }
}

/// A row as it is kept.
pub type ForumRow = Vec<Cell>;

/// Everything there is, in one view that nobody else's writes disturb.
#[async_trait]
pub trait ForumSource: Send {
    /// The next rows of a table in the order of its key, at most a page; none after the last.
    async fn rows_after(
        &mut self,
        table: Table,
        after: Option<&ForumRow>,
    ) -> Result<Vec<ForumRow>, StoreError>;
}

/// A database that is being filled: it reads what it was given so far, and nobody else does.
#[async_trait]
pub trait ForumDestination: ForumSource {
    /// Keeps rows as they are.
    async fn add_rows(&mut self, table: Table, rows: &[ForumRow]) -> Result<(), StoreError>;
}

/// All of it, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForumAccount {
    /// How many agents there are.
    pub agents: u64,
    /// How many posts.
    pub posts: u64,
    /// How many rows of all tables.
    pub rows: u64,
    /// Of every row.
    pub digest: Digest,
}

impl fmt::Display for ForumAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agents, posts, rows, digest } = self;
        write!(f, "agents {agents}, posts {posts}, rows {rows}, SHA-256 {digest}")
    }
}

/// How far a copy is, in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForumProgress {
    /// So many were written.
    Copied(u64),
    /// So many of them were read back.
    Verified(u64),
}

/// Why the forum was not read, or not written.
#[derive(Debug, thiserror::Error)]
pub enum ForumArchiveError {
    /// There is something already.
    #[error("the destination already has a forum and was not changed; use an empty database")]
    NotEmpty,
    /// What was read back is something else.
    #[error("the copy differs from its source: {written} instead of {read}")]
    Different {
        /// What was copied.
        read: Box<ForumAccount>,
        /// What became of it.
        written: Box<ForumAccount>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads all of `source`.
pub async fn account(source: &mut dyn ForumSource) -> Result<ForumAccount, ForumArchiveError> {
    walk(source, None, &mut |_| {}).await
}

/// Fills `destination`, which must be empty, with all of `source`. What it reads back gives the
/// same account; whether it lasts is for the one who called to say.
pub async fn copy(
    source: &mut dyn ForumSource,
    destination: &mut dyn ForumDestination,
    progress: &mut (dyn FnMut(ForumProgress) + Send),
) -> Result<ForumAccount, ForumArchiveError> {
    for table in Table::ALL {
        if !destination.rows_after(table, None).await?.is_empty() {
            return Err(ForumArchiveError::NotEmpty);
        }
    }
    let mut copied = |count| progress(ForumProgress::Copied(count));
    let read = walk(source, Some(destination), &mut copied).await?;
    let mut verified = |count| progress(ForumProgress::Verified(count));
    let written = walk(destination, None, &mut verified).await?;
    if written != read {
        let (read, written) = (Box::new(read), Box::new(written));
        return Err(ForumArchiveError::Different { read, written });
    }
    Ok(written)
}

/// One reading of everything.
async fn walk(
    source: &mut dyn ForumSource,
    mut into: Option<&mut dyn ForumDestination>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<ForumAccount, ForumArchiveError> {
    let mut seal = Seal::default();
    let (mut agents, mut posts, mut rows) = (0, 0, 0);
    for table in Table::ALL {
        let mut last: Option<ForumRow> = None;
        loop {
            let page = source.rows_after(table, last.as_ref()).await?;
            if page.is_empty() {
                break;
            }
            for row in &page {
                seal.cells(table.name(), row);
            }
            if let Some(into) = &mut into {
                into.add_rows(table, &page).await?;
            }
            let count = u64::try_from(page.len()).unwrap_or(u64::MAX);
            rows += count;
            match table {
                Table::Agents => agents += count,
                Table::Posts => posts += count,
                Table::Keys
                | Table::Problems
                | Table::Solutions
                | Table::Votes
                | Table::Feed
                | Table::Evaluations
                | Table::Verdicts
                | Table::Tokens => {}
            }
            last = page.into_iter().next_back();
            progress(rows);
        }
    }
    Ok(ForumAccount { agents, posts, rows, digest: seal.digest() })
}
