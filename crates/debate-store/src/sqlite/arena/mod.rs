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

use async_trait::async_trait;
use debate_app::arena::{
    Append, ArenaError, ArenaStore, DebatePage, Newest, News, Open, Since, Take, Transcript,
    Written,
};
use debate_core::arena::{Argument, ListQuery};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};

use super::Sqlite;
use crate::arena;

pub(super) use archive::note_times;
pub(super) use counts::persist;
pub(super) use late::move_states_late;
pub(super) use recent::Recent;
pub(super) use write::{insert_argument, insert_debate, keep_original_type};

#[async_trait]
impl ArenaStore for Sqlite {
    async fn open(&self, open: Open) -> Result<Written, ArenaError> {
        let asked = open.opening.fingerprint();
        self.writer.run(move |tx| arena::open(tx, &open, asked)).await
    }

    async fn append(&self, append: Append) -> Result<Written, ArenaError> {
        let asked = append.draft.fingerprint();
        self.writer.run(move |tx| arena::append(tx, &append, asked)).await
    }

    async fn delete(&self, debate: DebateId) -> Result<(), ArenaError> {
        self.writer.run(move |tx| arena::delete(tx, debate)).await
    }

    async fn transcript(&self, debate: DebateId, newest: Newest) -> Result<Transcript, ArenaError> {
        self.readers.short(|conn| read::transcript(conn, debate, newest)).await
    }

    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        self.readers.short(|conn| read::page(conn, debate, after, through)).await
    }

    async fn newer_than(
        &self,
        debate: DebateId,
        since: Since,
        take: Take,
    ) -> Result<News, ArenaError> {
        self.readers.short(|conn| read::newer_than(conn, debate, since, take)).await
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
        readers.long(move |conn| list::list(conn, &query)).await
    }
}
