//! Debates, kept: what the arena asks of a storage engine.

use async_trait::async_trait;
use debate_core::arena::{Argument, Cursor, Debate, Draft, ListQuery, Opening, State};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use jiff::Timestamp;

use super::ArenaError;

/// Debates, kept. Each method is one business operation and one transaction; a write rings the
/// hub after its commit and never otherwise. A write is a value: it can be queued, batched and
/// tried again.
#[async_trait]
pub trait ArenaStore: Send + Sync {
    /// Opens a debate, unless its id is taken or belonged to a deleted debate.
    async fn open(&self, open: Open) -> Result<Written, ArenaError>;

    /// Adds an argument, if the rules allow it where the debate stands now.
    async fn append(&self, append: Append) -> Result<Written, ArenaError>;

    /// Deletes a debate with its arguments, and keeps its id from being used again.
    async fn delete(&self, debate: DebateId, at: Timestamp) -> Result<(), ArenaError>;

    /// A debate and the first page of what was said.
    async fn transcript(&self, debate: DebateId, newest: Newest) -> Result<Transcript, ArenaError>;

    /// The next page: the arguments after `after`, up to and including `through`. Never empty
    /// while `after < through`.
    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError>;

    /// What came after a position, oldest first: as much of it as `take` says.
    async fn newer_than(
        &self,
        debate: DebateId,
        since: Since,
        take: Take,
    ) -> Result<News, ArenaError>;

    /// The debate that had this id in the server it was carried over from, even if it was deleted
    /// since.
    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError>;

    /// The argument that had this id in the server it was carried over from, even if it was deleted
    /// since.
    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError>;

    /// A page of the list, last changed first.
    async fn list(&self, query: ListQuery) -> Result<DebatePage, ArenaError>;
}

/// A debate to be opened.
#[derive(Debug, Clone)]
pub struct Open {
    /// What the client asked for.
    pub opening: Opening,
    /// When.
    pub at: Timestamp,
}

/// An argument to be added.
#[derive(Debug, Clone)]
pub struct Append {
    /// Where.
    pub debate: DebateId,
    /// What the client asked for.
    pub draft: Draft,
    /// When.
    pub at: Timestamp,
    /// Whether a resolution closes a debate whose opener did not say.
    pub auto_ruling: bool,
}

/// Whether a write happened now or had happened before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Now.
    Fresh,
    /// Before: the same request came again, and changed nothing.
    Replayed,
}

/// What a write left behind.
#[derive(Debug, Clone)]
pub struct Written {
    /// The debate as it stands.
    pub debate: Debate,
    /// The argument that was asked for.
    pub argument: Argument,
    /// Now or before.
    pub how: How,
}

/// How much of a debate is wanted, beside its motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newest {
    /// Everything.
    All,
    /// The so many newest arguments.
    Count(u32),
}

/// A debate, and the first page of what was said. Arguments never change and are only added at
/// the end, so later pages up to `through` complete this snapshot.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The debate as it stands.
    pub debate: Debate,
    /// What it is about.
    pub motion: Argument,
    /// What was said, oldest first, without the motion.
    pub arguments: Vec<Argument>,
    /// The place of the last argument of the snapshot.
    pub through: Seq,
}

impl Transcript {
    /// After which place the next page begins, if there is one.
    #[must_use]
    pub fn rest(&self) -> Option<Seq> {
        let last = self.arguments.last()?.seq;
        (last < self.through).then_some(last)
    }
}

/// A waiter's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nothing seen yet.
    Start,
    /// Everything up to this argument.
    Argument(ArgumentId),
    /// Everything up to this place.
    Seq(Seq),
}

/// How much of what is new is wanted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// No more than so many, the newest.
    Newest(u32),
    /// As much as makes a page, the oldest: whoever takes the rest later misses nothing.
    Page,
}

/// What a reader has not seen.
#[derive(Debug, Clone)]
pub struct News {
    /// The debate as it stands.
    pub debate: Debate,
    /// The reader's position.
    pub seen: Seq,
    /// Where the debate stood at that position; none before the motion.
    pub before: Option<State>,
    /// What came after it, oldest first.
    pub newer: Vec<Argument>,
    /// How many between the position and the first of `newer` were left out.
    pub omitted: u32,
    /// The last place there is.
    pub last: Seq,
}

/// A page of the list.
#[derive(Debug, Clone)]
pub struct DebatePage {
    /// The debates, last changed first.
    pub debates: Vec<Debate>,
    /// How many there are under the same filter.
    pub total: u64,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}
