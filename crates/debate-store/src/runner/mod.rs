//! The runner's port, once for both engines.

mod manage;
mod read;
mod rows;
pub(crate) mod statements;
mod work;
mod writes;

use async_trait::async_trait;
use debate_app::runner::{
    CreateRun, CreatedRun, NewTurns, RunChanges, RunCommand, RunListPage, RunTask, RunnerError,
    RunnerStore, Story,
};
use debate_app::{LeaseRequest, StoreError, StreamPosition, WorkOffer};
use debate_core::runner::{BeginCall, BeginCallError, Call, Run, RunQuery, UnknownOutcomePolicy};
use debate_core::{RunId, Seq, TurnId};

use crate::engine::{Engine, ReadClass, Store};
use crate::sql::{Commit, Operation};

type RunnerRead<'o, T> = Operation<'o, Result<T, RunnerError>>;
type RunnerWrite<'o, T> = Operation<'o, Commit<Result<T, RunnerError>>>;

pub(crate) use rows::{call, idempotency_key, record, turn};

#[async_trait]
impl<E: Engine> RunnerStore for Store<E> {
    async fn create(&self, create: CreateRun) -> Result<CreatedRun, RunnerError> {
        self.0.write(create, manage::create).await?
    }

    async fn command(&self, request: RunCommand) -> Result<Run, RunnerError> {
        self.0.write(request, manage::command).await?
    }

    async fn delete(&self, run: RunId) -> Result<(), RunnerError> {
        self.0.write(run, manage::delete).await?
    }

    async fn story(&self, run: RunId) -> Result<Story, RunnerError> {
        self.0.read(ReadClass::Long, run, read::story).await?
    }

    async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError> {
        self.0.read(ReadClass::Long, run, read::calls).await?
    }

    async fn newer_than(
        &self,
        run: RunId,
        since: StreamPosition<TurnId>,
    ) -> Result<NewTurns, RunnerError> {
        self.0.read(ReadClass::Short, (run, since), read::newer_than).await?
    }

    async fn changes(&self, run: RunId, after: Seq) -> Result<RunChanges, RunnerError> {
        self.0.read(ReadClass::Short, (run, after), read::changes).await?
    }

    async fn list(&self, query: RunQuery) -> Result<RunListPage, RunnerError> {
        self.0.read(ReadClass::List, query, read::list).await?
    }

    async fn acquire(
        &self,
        request: LeaseRequest,
        on_unknown: UnknownOutcomePolicy,
    ) -> Result<WorkOffer<RunTask>, StoreError> {
        self.0.write((request, on_unknown), work::acquire).await
    }

    async fn begin_call(
        &self,
        run: RunId,
        begin: BeginCall,
    ) -> Result<Result<Call, BeginCallError>, StoreError> {
        self.0.write((run, begin), work::begin_call).await
    }
}
