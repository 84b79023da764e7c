//! The runner's debates in PostgreSQL.

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

use super::Postgres;

#[async_trait]
impl RunnerStore for Postgres {
    async fn create(&self, create: Create) -> Result<Created, RunnerError> {
        self.writers.run(|| write::create(&self.writers, &create)).await?
    }

    async fn command(&self, request: CommandRequest) -> Result<Run, RunnerError> {
        self.writers.run(|| write::command(&self.writers, &request)).await?
    }

    async fn delete(&self, run: RunId) -> Result<(), RunnerError> {
        self.writers.run(|| write::delete(&self.writers, run)).await?
    }

    async fn story(&self, run: RunId) -> Result<Story, RunnerError> {
        read::story(&self.readers, run).await
    }

    async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError> {
        read::calls(&self.readers, run).await
    }

    async fn newer_than(&self, run: RunId, since: Since) -> Result<RunNews, RunnerError> {
        read::newer_than(&self.readers, run, since).await
    }

    async fn list(&self, query: RunQuery) -> Result<RunPage, RunnerError> {
        read::list(&self.list_readers, &query).await
    }

    async fn take(&self, take: Take) -> Result<Found, StoreError> {
        self.writers.run(|| write::take(&self.writers, &take)).await
    }

    async fn begin(&self, run: RunId, begin: Begin) -> Result<Result<Call, NotBegun>, StoreError> {
        self.writers.run(|| write::begin(&self.writers, run, &begin)).await
    }

    async fn renew(&self, renew: Renew) -> Result<Option<Standing>, StoreError> {
        self.writers.run(|| write::renew(&self.writers, &renew)).await
    }

    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError> {
        self.writers.run(|| write::settle(&self.writers, &settle)).await
    }
}
