//! The arena's debates in PostgreSQL.

mod archive;
mod book;
mod changes;
mod list;
mod originals;
mod read;
mod rows;
mod said;
mod task;

use std::sync::Arc;

use async_trait::async_trait;
use debate_app::arena::{
    Append, ArenaError, ArenaStore, DebatePage, Newest, News, Open, Since, Take, Transcript,
    Written,
};
use debate_app::{Cause, StoreError};
use debate_core::arena::{Argument, ListQuery};
use debate_core::{ArgumentId, DebateId, OriginalId, Seq};
use jiff::Timestamp;

use super::Postgres;

pub(super) use book::{Asked, Book};
pub(super) use changes::{Changes, Params};
pub(super) use task::{Answer, Done, Task, Work};

#[async_trait]
impl ArenaStore for Postgres {
    async fn open(&self, open: Open) -> Result<Written, ArenaError> {
        let debate = open.opening.debate;
        written(self.write(debate, Work::Open(Box::new(open))).await?)
    }

    async fn append(&self, append: Append) -> Result<Written, ArenaError> {
        let debate = append.debate;
        written(self.write(debate, Work::Append(Box::new(append))).await?)
    }

    async fn delete(&self, debate: DebateId, at: Timestamp) -> Result<(), ArenaError> {
        self.write(debate, Work::Delete(debate, at)).await.map(|_| ())
    }

    async fn transcript(&self, debate: DebateId, newest: Newest) -> Result<Transcript, ArenaError> {
        self.damaged.watch(debate, read::transcript(&self.readers, debate, newest).await)
    }

    async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        self.damaged.watch(debate, read::page(&self.readers, debate, after, through).await)
    }

    async fn newer_than(
        &self,
        debate: DebateId,
        since: Since,
        take: Take,
    ) -> Result<News, ArenaError> {
        self.damaged.watch(debate, read::newer_than(&self.readers, debate, since, take).await)
    }

    async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError> {
        originals::debate(&self.readers, original).await
    }

    async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        originals::argument(&self.readers, original).await
    }

    async fn list(&self, query: ListQuery) -> Result<DebatePage, ArenaError> {
        if query.search.is_none() {
            return list::list(&self.list_readers, &query, &self.damaged).await;
        }
        // In a task of its own: PostgreSQL finishes a search whose client has left, and until then
        // the search counts towards the bound.
        let (readers, damaged) = (Arc::clone(&self.search_readers), Arc::clone(&self.damaged));
        let search = tokio::spawn(async move { list::list(&readers, &query, &damaged).await });
        search.await.unwrap_or_else(|err| Err(StoreError::Unexpected(Cause::new(err)).into()))
    }
}

impl Postgres {
    /// Writes to a debate, unless it is damaged.
    async fn write(&self, debate: DebateId, work: Work) -> Answer {
        self.damaged.check(debate)?;
        self.damaged.watch(debate, self.lanes.run(work).await)
    }
}

fn written(done: Done) -> Result<Written, ArenaError> {
    match done {
        Done::Written(written) => Ok(*written),
        Done::Deleted => {
            Err(StoreError::Unexpected(Cause::new("unexpected result of a write")).into())
        }
    }
}
