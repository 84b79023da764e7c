//! The arena's debates in SQLite.

mod list;
mod list_by_name;
mod read;
mod recent_debates;
mod rows;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use debate_app::StreamPosition;
use debate_app::arena::{
    AppendArgument, ArenaError, ArenaStore, ArgumentSelection, DebateListPage, DeleteDebate,
    NewArguments, OpenDebate, ReleaseSeat, TakeSeat, TakenSeat, Transcript, TranscriptLimit,
    WrittenArgument,
};
use debate_core::arena::{Argument, ListQuery, Seats};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};

use super::Sqlite;
use crate::arena::{self, reads_many_debates};

pub(super) use recent_debates::RecentDebates;
pub(super) use write::{insert_argument, insert_debate, keep_original_type, save_counters};

#[async_trait]
impl ArenaStore for Sqlite {
    async fn open(&self, open: OpenDebate) -> Result<WrittenArgument, ArenaError> {
        let (debate, fingerprint) = (open.opening.debate, open.opening.fingerprint());
        self.0.damaged.check(debate)?;
        let written = self.0.writer.run(move |tx| arena::open(tx, &open, fingerprint)).await;
        self.0.damaged.watch(debate, written)
    }

    async fn append(&self, append: AppendArgument) -> Result<WrittenArgument, ArenaError> {
        let (debate, fingerprint) = (append.debate, append.draft.fingerprint());
        self.0.damaged.check(debate)?;
        let written = self.0.writer.run(move |tx| arena::append(tx, &append, fingerprint)).await;
        self.0.damaged.watch(debate, written)
    }

    async fn delete(&self, delete: DeleteDebate) -> Result<(), ArenaError> {
        let debate = delete.debate;
        self.0.damaged.check(debate)?;
        let deleted = self.0.writer.run(move |tx| arena::delete(tx, &delete)).await;
        self.0.damaged.watch(debate, deleted)
    }

    async fn take_seat(&self, take: TakeSeat) -> Result<TakenSeat, ArenaError> {
        let debate = take.debate;
        self.0.damaged.check(debate)?;
        let taken = self.0.writer.run(move |tx| arena::take_seat(tx, &take)).await;
        self.0.damaged.watch(debate, taken)
    }

    async fn release_seat(&self, release: ReleaseSeat) -> Result<(), ArenaError> {
        let debate = release.debate;
        self.0.damaged.check(debate)?;
        let released = self.0.writer.run(move |tx| arena::release_seat(tx, &release)).await;
        self.0.damaged.watch(debate, released)
    }

    async fn seats(&self, debate: DebateId) -> Result<Option<Seats>, ArenaError> {
        let found = self.0.readers.short(|conn| read::seats(conn, debate)).await;
        self.0.damaged.watch(debate, found)
    }

    async fn debate_by_slug(&self, slug: &str) -> Result<Option<DebateId>, ArenaError> {
        self.0.readers.short(|conn| Ok(read::debate_by_slug(conn, slug)?)).await
    }

    async fn transcript(
        &self,
        debate: DebateId,
        newest: TranscriptLimit,
    ) -> Result<Transcript, ArenaError> {
        let found = self.0.readers.short(|conn| read::transcript(conn, debate, newest)).await;
        self.0.damaged.watch(debate, found)
    }

    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        let found = self.0.readers.short(|conn| read::page(conn, debate, after, through)).await;
        self.0.damaged.watch(debate, found)
    }

    async fn newer_than(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
        selection: ArgumentSelection,
    ) -> Result<NewArguments, ArenaError> {
        let found =
            self.0.readers.short(|conn| read::newer_than(conn, debate, since, selection)).await;
        self.0.damaged.watch(debate, found)
    }

    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError> {
        self.0.readers.short(|conn| read::debate_by_original(conn, original)).await
    }

    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        self.0.readers.short(|conn| read::argument_by_original(conn, original)).await
    }

    async fn list(&self, query: ListQuery) -> Result<DebateListPage, ArenaError> {
        let readers =
            if reads_many_debates(&query) { &self.0.search_readers } else { &self.0.list_readers };
        let damaged = Arc::clone(&self.0.damaged);
        readers.long(move |conn| list::list(conn, &query, &damaged)).await
    }
}
