//! A whole database at once: what moving one asks of a storage engine.

use std::fmt;

use async_trait::async_trait;
use debate_core::arena::{Entry, Filter, Head, Unfit};
use debate_core::{DebateId, Digest, SearchText, Seq};

use crate::{Cause, StoreError};

/// Everything there is, in one view that nobody else's writes disturb. Pages are bounded; an empty
/// one is the end.
#[async_trait]
pub trait Source: Send {
    /// The next debates, in the order of their ids.
    async fn debates(&mut self, after: Option<DebateId>) -> Result<Vec<Dossier>, ArchiveError>;

    /// The next arguments, in the order of their debates' ids and of their own places.
    async fn arguments(
        &mut self,
        after: Option<(DebateId, Seq)>,
    ) -> Result<Vec<Entry>, ArchiveError>;

    /// How many debates a list under this filter would speak of, going by the counters.
    async fn total(&mut self, filter: Filter) -> Result<u64, ArchiveError>;
}

/// A database that is being filled: it reads what it was given so far, and nobody else does.
#[async_trait]
pub trait Destination: Source {
    /// Whether there is nothing yet, and nobody else can add anything.
    async fn is_empty(&mut self) -> Result<bool, ArchiveError>;

    /// Keeps debates, with the search rows and counters that follow from them.
    async fn add_debates(&mut self, dossiers: &[Dossier]) -> Result<(), ArchiveError>;

    /// Keeps arguments of debates that were added.
    async fn add_arguments(&mut self, entries: &[Entry]) -> Result<(), ArchiveError>;
}

/// A debate as it is kept, and what it is found by.
#[derive(Debug, Clone)]
pub struct Dossier {
    /// Where it stands.
    pub head: Head,
    /// What it is about; every debate has one.
    pub motion: Option<String>,
    /// What searches look at.
    pub folded: Option<String>,
    /// The type in the server that the debate was carried over from, if that type was another.
    pub original_type: Option<String>,
}

impl Dossier {
    /// What searches should look at.
    #[must_use]
    pub fn haystack(&self) -> String {
        SearchText::haystack(&self.head.debate.title, self.motion.as_deref().unwrap_or_default())
    }

    /// Which debate it is.
    #[must_use]
    pub const fn id(&self) -> DebateId {
        self.head.debate.id
    }
}

/// All that a database holds, read and folded.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// How many debates.
    pub debates: u64,
    /// How many arguments, motions among them.
    pub arguments: u64,
    /// Of everything that is kept and does not follow from the rest.
    pub digest: Digest,
    /// The first row found that should follow from the rest, and doesn't.
    pub stale: Option<Stale>,
}

impl Account {
    /// Whether both are of the same debates, word for word.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        let key = |account: &Self| (account.debates, account.arguments, account.digest);
        key(self) == key(other)
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { debates, arguments, digest, stale: _ } = self;
        write!(f, "debates {debates}, arguments {arguments}, SHA-256 {digest}")
    }
}

/// A row that should follow from others, and doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stale {
    /// A debate would not be found by its words.
    #[error("the search index does not find debate {0} by its title and motion")]
    Search(DebateId),
    /// A list would tell a wrong total.
    #[error("the counters show {counted} debates, but there are {there}")]
    Count {
        /// What they say.
        counted: u64,
        /// How many there are.
        there: u64,
    },
}

/// Why a database was not read or not filled.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is something already.
    #[error("the destination already has debates and was not changed; use an empty database")]
    NotEmpty,
    /// The log and the rules disagree.
    #[error("debate {debate} is damaged; delete it or restore a backup")]
    Unfit {
        /// Which.
        debate: DebateId,
        /// How.
        #[source]
        unfit: Unfit,
    },
    /// Arguments without their debate.
    #[error("the database has arguments of debate {0}, which does not exist")]
    NoSuchDebate(DebateId),
    /// A row makes no sense.
    #[error("debate {debate} cannot be read; delete it or restore a backup")]
    Unreadable {
        /// Which.
        debate: DebateId,
        /// The engine's words.
        #[source]
        cause: Cause,
    },
    /// The engine can't hold it.
    #[error(
        "debate {0} contains the character U+0000, which PostgreSQL cannot store; delete the \
         debate or stay with SQLite"
    )]
    Nul(DebateId),
    /// What was read back is something else.
    #[error("the copy differs from its source: {written} instead of {read}")]
    Different {
        /// What was copied.
        read: Box<Account>,
        /// What became of it.
        written: Box<Account>,
    },
    /// A row that was made anew does not follow from the rest.
    #[error("the copy is inconsistent: {0}")]
    Stale(Stale),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
