//! The runner's use cases, and the port to their storage engine.

mod call;
mod follow;
mod live_answer;
mod port;
mod step;

use std::sync::Arc;

use debate_core::runner::{
    Budget, Call, CommandError, CommandRefusal, CommandRequest, InvalidSetting, ModelWithoutPrice,
    NewRun, Run, RunDefaults, RunQuery, RunSettings, RunSettingsDraft,
};
use debate_core::{Fingerprint, RequestKey, RunId, Seq, Topic};
use live_answer::LiveAnswers;
use tracing::instrument;
use uuid::Uuid;

use crate::llm::{Llm, UnknownModel};
use crate::{Clock, Notifier, StoreError, StreamPosition, TooManyWaiters};

pub use follow::{RunFollower, RunPosition, RunUpdate};
pub use live_answer::Delta;
pub use port::{
    Cost, CreateRun, CreatedRun, NewTurns, RunChanges, RunCommand, RunListPage, RunTask,
    RunnerStore, StepReport, Story,
};
pub use step::{ReadVerdict, WorkerOptions};

/// The runner. Each operation that a client may request is a method.
#[derive(Clone)]
pub struct Runner {
    store: Arc<dyn RunnerStore>,
    llm: Arc<dyn Llm>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    live_answers: Arc<LiveAnswers>,
    defaults: Arc<RunDefaults>,
    budget: Arc<Budget>,
}

impl Runner {
    /// A runner over `store`, which must announce its commits to `notifier`. Calls go to `llm`
    /// and stay within `budget`.
    #[must_use]
    pub fn new(
        store: Arc<dyn RunnerStore>,
        llm: Arc<dyn Llm>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        defaults: RunDefaults,
        budget: Budget,
    ) -> Self {
        let (defaults, budget) = (Arc::new(defaults), Arc::new(budget));
        Self { store, llm, notifier, clock, live_answers: Arc::default(), defaults, budget }
    }
}

/// The reason why an operation of the runner failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunnerError {
    /// No run has this id.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// A setting is invalid.
    #[error(transparent)]
    InvalidSetting(#[from] InvalidSetting),
    /// A setting names a model that is not configured.
    #[error("`{field}`: {unknown}")]
    UnknownModel {
        /// The setting in the request, e.g. `model_judge`.
        field: &'static str,
        /// The model, and the configured models.
        unknown: UnknownModel,
    },
    /// A setting names a model without a price while `RUNNER_DAILY_COST` limits the cost.
    #[error(transparent)]
    ModelWithoutPrice(#[from] ModelWithoutPrice),
    /// The requested position is not a turn of the run.
    #[error("the position does not exist in run {0}")]
    UnknownPosition(RunId),
    /// An earlier request with another body used the idempotency key.
    #[error("an earlier request with another body used this idempotency key")]
    KeyReused,
    /// The run's status does not allow the command.
    #[error(transparent)]
    Refused(#[from] CommandRefusal),
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CommandError> for RunnerError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Refused(refusal) => refusal.into(),
            CommandError::ModelWithoutPrice(model) => model.into(),
        }
    }
}

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
