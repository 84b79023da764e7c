//! The arena's port: the operations that a storage engine implements.

use async_trait::async_trait;
use debate_core::arena::{
    Argument, Credentials, Debate, Draft, ListPosition, ListQuery, NewDebate, SeatHolder, Seats,
    Side, State,
};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use jiff::Timestamp;

use super::ArenaError;
use crate::StreamPosition;

/// Storage of debates. Each method is one business operation and one transaction; a write notifies
/// subscribers after its commit and never otherwise. A write is a value, so that an engine can
/// queue, batch and repeat it.
#[async_trait]
pub trait ArenaStore: Send + Sync {
    /// Opens a debate, unless its id is in use or belonged to a deleted debate.
    async fn open(&self, open: OpenDebate) -> Result<WrittenArgument, ArenaError>;

    /// Adds an argument if the rules allow it in the current state of the debate.
    async fn append(&self, append: AppendArgument) -> Result<WrittenArgument, ArenaError>;

    /// Deletes a debate with its arguments. Neither its id nor its slug is used again. A debate
    /// with seats needs arbitrator rights.
    async fn delete(&self, delete: DeleteDebate) -> Result<(), ArenaError>;

    /// Takes a free seat. A repeat with the same token changes nothing.
    async fn take_seat(&self, take: TakeSeat) -> Result<TakenSeat, ArenaError>;

    /// Releases a seat; its token is invalid after the commit, on every process. Releasing a free
    /// seat changes nothing.
    async fn release_seat(&self, release: ReleaseSeat) -> Result<(), ArenaError>;

    /// The seats of a debate; none if it has no seats.
    async fn seats(&self, debate: DebateId) -> Result<Option<Seats>, ArenaError>;

    /// The debate with this slug. A deleted debate has none.
    async fn debate_by_slug(&self, slug: &str) -> Result<Option<DebateId>, ArenaError>;

    /// A debate and the first page of its arguments.
    async fn transcript(
        &self,
        debate: DebateId,
        limit: TranscriptLimit,
    ) -> Result<Transcript, ArenaError>;

    /// The next page: the arguments after `after`, up to and including `through`. Never empty
    /// while `after < through`.
    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError>;

    /// The selected arguments after a position, oldest first.
    async fn newer_than(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
        selection: ArgumentSelection,
    ) -> Result<NewArguments, ArenaError>;

    /// The debate that had this id in the server it was migrated from, also if
    /// it was deleted since.
    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError>;

    /// The argument that had this id in the server it was migrated from, also if
    /// it was deleted since.
    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError>;

    /// A page of the list, last changed first.
    async fn list(&self, query: ListQuery) -> Result<DebateListPage, ArenaError>;
}

/// A request to open a debate.
#[derive(Debug, Clone)]
pub struct OpenDebate {
    /// The request of the client.
    pub opening: NewDebate,
    /// The server's time of the request.
    pub at: Timestamp,
}

/// A request to add an argument.
#[derive(Debug, Clone)]
pub struct AppendArgument {
    /// The debate to add it to.
    pub debate: DebateId,
    /// The request of the client.
    pub draft: Draft,
    /// The server's time of the request.
    pub at: Timestamp,
    /// Whether a resolution closes a debate whose creation left `auto_ruling` out.
    pub auto_ruling: bool,
    /// The credentials of the request, which a debate with seats checks.
    pub credentials: Credentials,
}

/// A request to delete a debate.
#[derive(Debug, Clone)]
pub struct DeleteDebate {
    /// The debate to delete.
    pub debate: DebateId,
    /// The credentials of the request.
    pub credentials: Credentials,
    /// The server's time of the request.
    pub at: Timestamp,
}

/// A request to take a seat.
#[derive(Debug, Clone)]
pub struct TakeSeat {
    /// The debate of the seat.
    pub debate: DebateId,
    /// The side of the seat.
    pub side: Side,
    /// The new holder.
    pub holder: SeatHolder,
    /// The invite and the arbitrator rights of the request.
    pub credentials: Credentials,
}

/// A request to release a seat.
#[derive(Debug, Clone)]
pub struct ReleaseSeat {
    /// The debate of the seat.
    pub debate: DebateId,
    /// The side of the seat.
    pub side: Side,
    /// The credentials of the request.
    pub credentials: Credentials,
}

/// The result of taking a seat.
#[derive(Debug, Clone)]
pub struct TakenSeat {
    /// The holder: the one of this request, or of the earlier one with the same token.
    pub holder: SeatHolder,
    /// Whether this request took the seat or an earlier one.
    pub outcome: WriteOutcome,
}

/// Whether a request was executed or had been executed earlier under the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The request was executed now.
    Fresh,
    /// The same request was executed earlier; this one changed nothing.
    Replayed,
}

/// The result of a write.
#[derive(Debug, Clone)]
pub struct WrittenArgument {
    /// The debate after the write.
    pub debate: Debate,
    /// The argument that the request added.
    pub argument: Argument,
    /// Whether this request added it or an earlier one.
    pub outcome: WriteOutcome,
}

/// The arguments that a transcript contains beside its motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptLimit {
    /// All arguments of the debate.
    All,
    /// At most this number of the newest arguments.
    Newest(u32),
}

/// A debate and the first page of its arguments. Arguments never change and are added only at the
/// end, so later pages up to `through` complete the same snapshot.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The debate in its current state.
    pub debate: Debate,
    /// The motion of the debate.
    pub motion: Argument,
    /// The other arguments, oldest first.
    pub arguments: Vec<Argument>,
    /// The position of the last argument of the snapshot.
    pub through: Seq,
}

impl Transcript {
    /// The position after which the next page begins; none if this page is the last.
    #[must_use]
    pub fn rest(&self) -> Option<Seq> {
        let last = self.arguments.last()?.seq;
        (last < self.through).then_some(last)
    }
}

/// The part of the new arguments that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentSelection {
    /// At most this number of the newest ones; older ones are counted as omitted.
    Newest(u32),
    /// A page of the oldest ones, so that a reader that continues misses none.
    Page,
}

/// The arguments after a reader's position.
#[derive(Debug, Clone)]
pub struct NewArguments {
    /// The debate in its current state.
    pub debate: Debate,
    /// The position of the reader.
    pub seen: Seq,
    /// The state of the debate at that position; none before the motion.
    pub before: Option<State>,
    /// The selected arguments after it, oldest first.
    pub newer: Vec<Argument>,
    /// The number of arguments between the position and the first of `newer`.
    pub omitted: u32,
    /// The last position of the debate.
    pub last: Seq,
}

/// A page of the list.
#[derive(Debug, Clone)]
pub struct DebateListPage {
    /// The debates, last changed first.
    pub debates: Vec<Debate>,
    /// The number of debates that match the same filter.
    pub total: u64,
    /// The position at which the next page begins; none after the last page.
    pub next: Option<ListPosition>,
}
