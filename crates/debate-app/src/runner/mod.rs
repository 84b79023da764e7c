//! The runner's use cases, and the port to their storage engine.

mod call;
mod error;
mod follow;
mod live_answer;
mod manage;
mod port;
mod step;
mod workers;

use std::sync::Arc;

use debate_core::runner::{Budget, RunDefaults};

use crate::llm::Llm;
use crate::{Clock, Notifier};
use live_answer::LiveAnswers;

pub use error::RunnerError;
pub use follow::{RunFollower, RunPosition, RunUpdate};
pub use live_answer::Delta;
pub use port::{
    Cost, CreateRun, CreatedRun, NewTurns, RunChanges, RunCommand, RunListPage, RunTask,
    RunnerStore, StepReport, Story,
};
pub use step::ReadVerdict;
pub use workers::WorkerOptions;

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
