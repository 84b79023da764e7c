//! The workers: whoever is free takes the debate that has waited for longest, and does one step.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use debate_core::runner::OnUnknown;
use jiff::Timestamp;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::step::Desk;
use super::{Found, ReadVerdict, Runner, Take, Task};
use crate::crew::{self, Bench, Offer};
use crate::{StoreError, Subject};

/// How the workers work.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// How many steps are done at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// For how long one may fall silent before another takes its debate.
    pub lease: Duration,
    /// What they do about a call whose outcome nobody knows.
    pub on_unknown: OnUnknown,
    /// How long one call to a provider may take.
    pub call_timeout: Duration,
    /// How long a call in flight is waited for when the server closes down.
    pub grace: Duration,
}

/// The workers of this process. They stop when the hub closes.
#[derive(Debug)]
pub struct Workers(Option<JoinHandle<()>>);

impl Workers {
    /// Sets them to work.
    #[must_use]
    pub fn start(runner: &Runner, read_verdict: ReadVerdict, options: WorkerOptions) -> Self {
        if options.workers == 0 {
            return Self(None);
        }
        let bell = runner.hub.attend(Subject::RUNNER_WORK);
        let workers = options.workers;
        let holder = Uuid::new_v4().simple().to_string();
        let desk = Desk { runner: runner.clone(), read_verdict, options };
        let steps = Arc::new(Steps { desk, holder });
        Self(Some(tokio::spawn(crew::run(steps, bell, workers))))
    }

    /// Done when every step is, and every debate given back.
    pub async fn stopped(self) {
        if let Some(task) = self.0
            && let Err(err) = task.await
        {
            tracing::error!(error = %err, "runner dispatcher panicked");
        }
    }
}

/// Where steps are taken from and done.
struct Steps {
    desk: Desk,
    /// What this process calls itself in the database.
    holder: String,
}

#[async_trait]
impl Bench for Steps {
    type Task = Task;

    async fn take(&self) -> Result<Offer<Task>, StoreError> {
        let desk = &self.desk;
        let take = Take {
            holder: self.holder.clone(),
            at: self.now(),
            lease: desk.lease(),
            on_unknown: desk.options.on_unknown,
        };
        Ok(match desk.runner.store.take(take).await? {
            Found::Step(task) => Offer::Task(*task),
            Found::Tidied => Offer::Tidied,
            Found::Nothing { next } => Offer::Nothing { next },
        })
    }

    async fn work(&self, task: Task) {
        self.desk.step(task).await;
    }

    fn now(&self) -> Timestamp {
        self.desk.runner.clock.now()
    }
}
