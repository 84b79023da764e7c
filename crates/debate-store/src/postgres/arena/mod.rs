//! The arena's debates in PostgreSQL.

mod batch_state;
mod changes;
mod list;
mod queued_write;
mod read;
mod rows;
mod seat_columns;

use std::sync::Arc;

use async_trait::async_trait;
use debate_app::arena::{
    AppendArgument, ArenaError, ArenaStore, ArgumentSelection, DebateListPage, DeleteDebate,
    NewArguments, OpenDebate, ReleaseSeat, TakeSeat, TakenSeat, Transcript, TranscriptLimit,
    WrittenArgument,
};
use debate_app::{Cause, StoreError, StreamPosition};
use debate_core::arena::{Argument, ListQuery, Seats};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};

use super::Postgres;
use crate::arena::reads_many_debates;

pub(super) use batch_state::{BatchState, Lookups};
pub(super) use changes::{Changes, Params};
pub(super) use queued_write::{ArenaWrite, QueuedWrite, WriteReply, WriteResult};

#[async_trait]
impl ArenaStore for Postgres {
    async fn open(&self, open: OpenDebate) -> Result<WrittenArgument, ArenaError> {
        let debate = open.opening.debate;
        into_written(self.write(debate, ArenaWrite::Open(Box::new(open))).await?)
    }

    async fn append(&self, append: AppendArgument) -> Result<WrittenArgument, ArenaError> {
        let debate = append.debate;
        into_written(self.write(debate, ArenaWrite::Append(Box::new(append))).await?)
    }

    async fn delete(&self, delete: DeleteDebate) -> Result<(), ArenaError> {
        self.write(delete.debate, ArenaWrite::Delete(delete)).await.map(|_| ())
    }

    async fn take_seat(&self, take: TakeSeat) -> Result<TakenSeat, ArenaError> {
        match self.write(take.debate, ArenaWrite::TakeSeat(Box::new(take))).await? {
            WriteReply::SeatTaken(taken) => Ok(taken),
            WriteReply::Written(_) | WriteReply::Done => Err(unexpected_reply()),
        }
    }

    async fn release_seat(&self, release: ReleaseSeat) -> Result<(), ArenaError> {
        self.write(release.debate, ArenaWrite::ReleaseSeat(release)).await.map(|_| ())
    }

    async fn seats(&self, debate: DebateId) -> Result<Option<Seats>, ArenaError> {
        self.0.damaged.watch(debate, read::seats(&self.0.readers, debate).await)
    }

    async fn debate_by_slug(&self, slug: &str) -> Result<Option<DebateId>, ArenaError> {
        Ok(read::debate_by_slug(&self.0.readers, slug).await?)
    }

    async fn transcript(
        &self,
        debate: DebateId,
        newest: TranscriptLimit,
    ) -> Result<Transcript, ArenaError> {
        self.0.damaged.watch(debate, read::transcript(&self.0.readers, debate, newest).await)
    }

    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        self.0.damaged.watch(debate, read::page(&self.0.readers, debate, after, through).await)
    }

    async fn newer_than(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
        selection: ArgumentSelection,
    ) -> Result<NewArguments, ArenaError> {
        self.0
            .damaged
            .watch(debate, read::newer_than(&self.0.readers, debate, since, selection).await)
    }

    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError> {
        read::debate_by_original(&self.0.readers, original).await
    }

    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        read::argument_by_original(&self.0.readers, original).await
    }

    async fn list(&self, query: ListQuery) -> Result<DebateListPage, ArenaError> {
        if !reads_many_debates(&query) {
            return list::list(&self.0.list_readers, &query, &self.0.damaged).await;
        }
        // In a task of its own: PostgreSQL finishes a search whose client has left, and until then
        // the search counts towards the bound.
        let (readers, damaged) = (Arc::clone(&self.0.search_readers), Arc::clone(&self.0.damaged));
        let search = tokio::spawn(async move { list::list(&readers, &query, &damaged).await });
        search.await.unwrap_or_else(|err| Err(StoreError::Unexpected(Cause::new(err)).into()))
    }
}

impl Postgres {
    /// Writes to a debate, unless it is damaged.
    async fn write(&self, debate: DebateId, work: ArenaWrite) -> WriteResult {
        self.0.damaged.check(debate)?;
        self.0.damaged.watch(debate, self.0.batch_writers.run(work).await)
    }
}

fn into_written(done: WriteReply) -> Result<WrittenArgument, ArenaError> {
    match done {
        WriteReply::Written(written) => Ok(*written),
        WriteReply::SeatTaken(_) | WriteReply::Done => Err(unexpected_reply()),
    }
}

fn unexpected_reply() -> ArenaError {
    StoreError::Unexpected(Cause::new("unexpected result of a write")).into()
}
