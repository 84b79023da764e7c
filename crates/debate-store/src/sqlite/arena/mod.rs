//! The arena's debates in SQLite.

mod archive;
mod counts;
mod late;
mod list;
mod originals;
mod read;
mod recent;
mod rows;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use debate_app::arena::{
    Append, ArenaError, ArenaStore, DebatePage, Newest, News, Open, Since, Take, Transcript,
    Written,
};
use debate_core::arena::{Argument, ListQuery};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use jiff::Timestamp;

use super::Sqlite;
use crate::arena;

pub(super) use archive::{arguments_after, debates_after, note_times};
pub(super) use counts::persist;
pub(super) use late::move_states_late;
pub(super) use recent::Recent;
pub(super) use write::{insert_argument, insert_debate, keep_original_type};

#[async_trait]
impl ArenaStore for Sqlite {
    async fn open(&self, open: Open) -> Result<Written, ArenaError> {
        let (debate, asked) = (open.opening.debate, open.opening.fingerprint());
        self.damaged.check(debate)?;
        let written = self.writer.run(move |tx| arena::open(tx, &open, asked)).await;
        self.damaged.watch(debate, written)
    }

    async fn append(&self, append: Append) -> Result<Written, ArenaError> {
        let (debate, asked) = (append.debate, append.draft.fingerprint());
        self.damaged.check(debate)?;
        let written = self.writer.run(move |tx| arena::append(tx, &append, asked)).await;
        self.damaged.watch(debate, written)
    }

    async fn delete(&self, debate: DebateId, at: Timestamp) -> Result<(), ArenaError> {
        self.damaged.check(debate)?;
        let deleted = self.writer.run(move |tx| arena::delete(tx, debate, at)).await;
        self.damaged.watch(debate, deleted)
    }

    async fn transcript(&self, debate: DebateId, newest: Newest) -> Result<Transcript, ArenaError> {
        let found = self.readers.short(|conn| read::transcript(conn, debate, newest)).await;
        self.damaged.watch(debate, found)
    }

    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        let found = self.readers.short(|conn| read::page(conn, debate, after, through)).await;
        self.damaged.watch(debate, found)
    }

    async fn newer_than(
        &self,
        debate: DebateId,
        since: Since,
        take: Take,
    ) -> Result<News, ArenaError> {
        let found = self.readers.short(|conn| read::newer_than(conn, debate, since, take)).await;
        self.damaged.watch(debate, found)
    }

    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError> {
        self.readers.short(|conn| originals::debate(conn, original)).await
    }

    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        self.readers.short(|conn| originals::argument(conn, original)).await
    }

    async fn list(&self, query: ListQuery) -> Result<DebatePage, ArenaError> {
        let readers =
            if query.search.is_some() { &self.search_readers } else { &self.list_readers };
        let damaged = Arc::clone(&self.damaged);
        readers.long(move |conn| list::list(conn, &query, &damaged)).await
    }
}
