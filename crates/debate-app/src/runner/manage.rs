//! Use cases that clients request: create, command, delete and read runs.

use std::sync::Arc;

use debate_core::runner::{
    Call, CommandRequest, NewRun, Run, RunDefaults, RunQuery, RunSettings, RunSettingsDraft,
};
use debate_core::{Fingerprint, RequestKey, RunId, Seq, Topic};
use tracing::instrument;
use uuid::Uuid;

use super::{
    CreateRun, CreatedRun, RunChanges, RunCommand, RunListPage, Runner, RunnerError, Story,
};
use crate::StreamPosition;

impl Runner {
    /// The settings of a run that its request leaves out.
    #[must_use]
    pub fn defaults(&self) -> &RunDefaults {
        &self.defaults
    }

    /// The configured models, as [`Llm::configured_models`](crate::llm::Llm::configured_models)
    /// lists them.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        self.llm.configured_models()
    }

    /// Creates a run. It starts with a command.
    #[instrument(level = "debug", skip_all)]
    pub async fn create(
        &self,
        topic: Topic,
        draft: RunSettingsDraft,
        key: Option<RequestKey>,
    ) -> Result<CreatedRun, RunnerError> {
        let key = key.map(|key| (key, Fingerprint::for_run(&topic, &draft)));
        let settings = RunSettings::merge(draft, &self.defaults)?;
        for (field, model) in settings.models() {
            self.llm
                .check_model(model)
                .map_err(|unknown| RunnerError::UnknownModel { field, unknown })?;
        }
        self.budget.check_prices(&settings)?;
        let opening = NewRun { run: RunId::new(Uuid::now_v7()), topic, settings };
        self.store.create(CreateRun { opening, key, at: self.clock.now() }).await
    }

    /// Starts, stops or cancels a run, and returns it after the command.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn command(
        &self,
        run: RunId,
        order: impl Into<CommandRequest> + Send,
    ) -> Result<Run, RunnerError> {
        let (order, budget) = (order.into(), Arc::clone(&self.budget));
        self.store.command(RunCommand { run, order, budget, at: self.clock.now() }).await
    }

    /// Deletes a run with its turns and calls.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn delete(&self, run: RunId) -> Result<(), RunnerError> {
        self.store.delete(run).await
    }

    /// A run with its turns and its usage by model.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn story(&self, run: RunId) -> Result<Story, RunnerError> {
        self.store.story(run).await
    }

    /// All calls of a run, in the order of its turns.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn calls(&self, run: RunId) -> Result<Vec<Call>, RunnerError> {
        self.store.calls(run).await
    }

    /// The run in its current state, without its turns.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn run(&self, run: RunId) -> Result<Run, RunnerError> {
        let end = StreamPosition::Seq(Seq::new(u32::MAX));
        Ok(self.store.newer_than(run, end).await?.run)
    }

    /// Everything that changed in a run after a position; none if the run has no such position.
    #[instrument(level = "debug", skip_all, fields(run.id = %run))]
    pub async fn changes(&self, run: RunId, after: Seq) -> Result<Option<RunChanges>, RunnerError> {
        let changes = self.store.changes(run, after).await?;
        Ok(Some(changes).filter(|changes| after <= changes.turns.last))
    }

    /// A page of runs, last changed first.
    #[instrument(level = "debug", skip_all)]
    pub async fn list(&self, query: RunQuery) -> Result<RunListPage, RunnerError> {
        self.store.list(query).await
    }
}
