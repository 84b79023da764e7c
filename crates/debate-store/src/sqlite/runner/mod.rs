//! The runner's debates in SQLite.

mod archive;
mod read;
mod write;

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::runner::{
    CommandRequest, Create, Created, Found, Renew, RunNews, RunPage, RunnerError, RunnerStore,
    Settle, Settlement, Since, Story, Take,
};
use debate_core::RunId;
use debate_core::runner::{Begin, Call, NotBegun, Run, RunQuery, Standing};

use super::Sqlite;

#[async_trait]
impl RunnerStore for Sqlite {
    async fn create(&self, create: Create) -> Result<Created, RunnerError> {
        self.writer.run(move |tx| write::create(tx, &create)).await
    }

    async fn command(&self, request: CommandRequest) -> Result<Run, RunnerError> {
        self.writer.run(move |tx| write::command(tx, &request)).await
    }

    async fn delete(&self, run: RunId) -> Result<(), RunnerError> {
        self.writer.run(move |tx| write::delete(tx, run)).await
    }

    async fn story(&self, run: RunId) -> Result<Story, RunnerError> {
        self.readers.long(move |conn| read::story(conn, run)).await
    }

    async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError> {
        self.readers.long(move |conn| read::calls(conn, run)).await
    }

    async fn newer_than(&self, run: RunId, since: Since) -> Result<RunNews, RunnerError> {
        self.readers.short(|conn| read::newer_than(conn, run, since)).await
    }

    async fn list(&self, query: RunQuery) -> Result<RunPage, RunnerError> {
        self.list_readers.long(move |conn| read::list(conn, &query)).await
    }

    async fn take(&self, take: Take) -> Result<Found, StoreError> {
        self.writer.run(move |tx| write::take(tx, &take)).await
    }

    async fn begin(&self, run: RunId, begin: Begin) -> Result<Result<Call, NotBegun>, StoreError> {
        self.writer.run(move |tx| write::begin(tx, run, &begin)).await
    }

    async fn renew(&self, renew: Renew) -> Result<Option<Standing>, StoreError> {
        self.writer.run(move |tx| write::renew(tx, &renew)).await
    }

    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError> {
        self.writer.run(move |tx| write::settle(tx, &settle)).await
    }
}
