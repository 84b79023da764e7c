//! A whole database, moved: every context's part out of one view and into one transaction.

use std::fmt;

use async_trait::async_trait;
use debate_core::Digest;

use crate::StoreError;
use crate::arena::{self, ArchiveError, Destination, Source};
use crate::auxiliary::{
    self, AuxiliaryAccount, AuxiliaryDestination, AuxiliaryError, AuxiliarySource,
};
use crate::forum::{
    self, ForumAccount, ForumArchiveError, ForumDestination, ForumProgress, ForumSource,
};
use crate::runner::{
    self, RunAccount, RunArchiveError, RunDestination, RunProgress, RunRows, RunSource,
};

/// A database in one view, as every context sees it.
pub trait Archive: Source + RunSource + ForumSource + AuxiliarySource {}

impl<A: Source + RunSource + ForumSource + AuxiliarySource> Archive for A {}

/// A database that is being filled, in one transaction: unless it is committed nothing was ever
/// there.
#[async_trait]
pub trait Vault:
    Archive + Destination + RunDestination + ForumDestination + AuxiliaryDestination
{
    /// Makes all of it last.
    async fn commit(&mut self) -> Result<(), StoreError>;
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// In the arena's part.
    Arena(arena::Progress),
    /// In the runner's part.
    Runner(RunProgress),
    /// In the forum's part.
    Forum(ForumProgress),
}

/// All that a database holds, read and folded.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// The arena's part.
    pub arena: arena::Account,
    /// The runner's part.
    pub runner: RunAccount,
    /// The forum's part.
    pub forum: ForumAccount,
    /// The tables beside the contexts' own.
    pub auxiliary: AuxiliaryAccount,
}

impl Account {
    /// Of all of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let contexts = self.arena.digest.joined(self.runner.digest).joined(self.forum.digest);
        contexts.joined(self.auxiliary.digest)
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arena::Account { debates, arguments, .. } = self.arena;
        let RunRows { runs, turns, calls, days: _ } = self.runner.rows;
        write!(f, "debates {debates}, arguments {arguments}, ")?;
        let ForumAccount { agents, posts, .. } = self.forum;
        write!(f, "runs {runs}, turns {turns}, calls {calls}, ")?;
        write!(f, "agents {agents}, posts {posts}, SHA-256 {}", self.digest())
    }
}

/// Both sides of a copy that succeeded; they agree.
#[derive(Debug, Clone, Copy)]
pub struct Copied {
    /// What was read.
    pub read: Account,
    /// What was written, as it was read back.
    pub written: Account,
}

/// Why a database was not moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The arena's part was not.
    #[error(transparent)]
    Arena(#[from] ArchiveError),
    /// The runner's part was not.
    #[error(transparent)]
    Runner(#[from] RunArchiveError),
    /// The forum's part was not.
    #[error(transparent)]
    Forum(#[from] ForumArchiveError),
    /// The auxiliary tables were not copied.
    #[error(transparent)]
    Auxiliary(#[from] AuxiliaryError),
    /// The last step failed.
    #[error("the commit failed and its outcome is unknown; check with aw db status")]
    Commit(#[source] StoreError),
}

/// Reads all of `source` and folds every debate.
pub async fn account(source: &mut dyn Archive) -> Result<Account, MoveError> {
    Ok(Account {
        arena: arena::account(source).await?,
        runner: runner::account(source).await?,
        forum: forum::account(source).await?,
        auxiliary: auxiliary::account(source).await?,
    })
}

/// Fills `destination`, which must be empty, with all of `source`. It is committed only when what
/// it reads back gives the same account.
pub async fn copy(
    source: &mut dyn Archive,
    destination: &mut dyn Vault,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Copied, MoveError> {
    let arenas = {
        let mut tell = |step| progress(Progress::Arena(step));
        arena::copy(source, destination, &mut tell).await?
    };
    let runners = {
        let mut tell = |step| progress(Progress::Runner(step));
        runner::copy(source, destination, &mut tell).await?
    };
    let mut tell = |step| progress(Progress::Forum(step));
    let forums = forum::copy(source, destination, &mut tell).await?;
    let auxiliary = auxiliary::copy(source, destination).await?;
    destination.commit().await.map_err(MoveError::Commit)?;
    Ok(Copied {
        read: Account { arena: arenas.read, runner: runners, forum: forums, auxiliary },
        written: Account { arena: arenas.written, runner: runners, forum: forums, auxiliary },
    })
}
