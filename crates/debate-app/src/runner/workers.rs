//! The runner's workers.

use std::time::Duration;

use async_trait::async_trait;
use debate_core::runner::UnknownOutcomePolicy;
use jiff::Timestamp;
use uuid::Uuid;

use super::step::StepRunner;
use super::{ReadVerdict, RunTask, Runner};
use crate::lease::WorkSource;
use crate::{LeaseRequest, StoreError, Subject, WorkOffer, Workers};

/// Settings of the runner's workers.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The number of steps that are executed at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// Duration of a lease without a renewal.
    pub lease: Duration,
    /// The treatment of a run with a call whose outcome is unknown.
    pub on_unknown: UnknownOutcomePolicy,
    /// Maximum duration of one call to a provider.
    pub call_timeout: Duration,
    /// Time that a call gets to finish after the server began to shut down.
    pub grace: Duration,
}

impl Runner {
    /// Starts workers that execute the steps of runs.
    #[must_use]
    pub fn start_workers(&self, read_verdict: ReadVerdict, options: WorkerOptions) -> Workers {
        let (subscription, count) =
            (self.notifier.subscribe_worker(Subject::RUNNER_WORK), options.workers);
        let step_runner = StepRunner { runner: self.clone(), read_verdict, options };
        let steps = RunSteps { step_runner, holder: Uuid::new_v4().simple().to_string() };
        Workers::start("runner", steps, subscription, count)
    }
}

/// Acquires runs and executes one step of each.
struct RunSteps {
    step_runner: StepRunner,
    /// The name of this process in the database.
    holder: String,
}

#[async_trait]
impl WorkSource for RunSteps {
    type Task = RunTask;

    async fn acquire(&self) -> Result<WorkOffer<RunTask>, StoreError> {
        let step_runner = &self.step_runner;
        let (holder, at, duration) =
            (self.holder.clone(), self.now(), step_runner.lease_duration());
        let request = LeaseRequest { holder, at, duration };
        step_runner.runner.store.acquire(request, step_runner.options.on_unknown).await
    }

    async fn work(&self, task: RunTask) {
        self.step_runner.step(task).await;
    }

    fn now(&self) -> Timestamp {
        self.step_runner.runner.clock.now()
    }
}
