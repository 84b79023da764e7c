//! All debates that run themselves at once: what moving a database asks of a storage engine.

use std::fmt;

use async_trait::async_trait;
use debate_core::runner::{Call, Charge, Record, Turn, Unfit};
use debate_core::{Digest, Fingerprint, RequestKey, RunId};

use crate::{Cause, StoreError};

/// Everything there is, in one view that nobody else's writes disturb.
#[async_trait]
pub trait RunSource: Send {
    /// The next debate in the order of ids; none after the last.
    async fn next_run(
        &mut self,
        after: Option<RunId>,
    ) -> Result<Option<Chronicle>, RunArchiveError>;

    /// What all calls of each day were charged, in the order of the days.
    async fn days(&mut self) -> Result<Vec<DaySpent>, RunArchiveError>;

    /// How many rows there are, whether they belong to a debate or not.
    async fn rows(&mut self) -> Result<RunRows, RunArchiveError>;
}

/// A database that is being filled: it reads what it was given so far, and nobody else does.
#[async_trait]
pub trait RunDestination: RunSource {
    /// Keeps a debate with all that belongs to it. Nobody holds it here.
    async fn add_run(&mut self, chronicle: &Chronicle) -> Result<(), RunArchiveError>;

    /// Keeps what days cost.
    async fn add_days(&mut self, days: &[DaySpent]) -> Result<(), RunArchiveError>;
}

/// A debate with all that is kept of it, but for who holds it.
#[derive(Debug, Clone)]
pub struct Chronicle {
    /// The debate.
    pub record: Record,
    /// By which it was asked for, and what makes it the same request.
    pub key: Option<(RequestKey, Fingerprint)>,
    /// What was said in it, oldest first.
    pub turns: Vec<Turn>,
    /// The calls that were made for it, in order.
    pub calls: Vec<Call>,
}

/// What the calls of a day are booked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpent {
    /// Which day: days since 1970, UTC.
    pub day: i64,
    /// Tokens and cost.
    pub booked: Charge,
}

/// How many rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunRows {
    /// Debates.
    pub runs: u64,
    /// Turns.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Days.
    pub days: u64,
}

/// All of it, read and told again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunAccount {
    /// How many rows.
    pub rows: RunRows,
    /// Of everything that is kept, but for who holds a debate.
    pub digest: Digest,
}

impl fmt::Display for RunAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunRows { runs, turns, calls, days } = self.rows;
        let digest = self.digest;
        write!(f, "runs {runs}, turns {turns}, calls {calls}, days {days}, SHA-256 {digest}")
    }
}

/// Why the debates were not read, or not written.
#[derive(Debug, thiserror::Error)]
pub enum RunArchiveError {
    /// There is something already.
    #[error("the destination already has runs and was not changed; use an empty database")]
    NotEmpty,
    /// What was kept of it is not what its turns and calls come to.
    #[error("run {run} is damaged; delete it or restore a backup")]
    Unfit {
        /// Which.
        run: RunId,
        /// How.
        #[source]
        unfit: Unfit,
    },
    /// Turns or calls without their debate.
    #[error("the database has turns or calls of a run that does not exist")]
    Orphans,
    /// A row makes no sense.
    #[error("run {run} cannot be read; delete it or restore a backup")]
    Unreadable {
        /// Which.
        run: RunId,
        /// The engine's words.
        #[source]
        cause: Cause,
    },
    /// The engine can't hold it.
    #[error(
        "run {0} contains the character U+0000, which PostgreSQL cannot store; delete the run or \
         stay with SQLite"
    )]
    Nul(RunId),
    /// What was read back is something else.
    #[error("the copy differs from its source: {written} instead of {read}")]
    Different {
        /// What was copied.
        read: Box<RunAccount>,
        /// What became of it.
        written: Box<RunAccount>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
