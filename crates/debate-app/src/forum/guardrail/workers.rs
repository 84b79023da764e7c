//! The workers: whoever is free takes what has waited for longest, and examines it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::super::{Forum, Found, Take, Task};
use super::examine::{Examiner, FirstLayer, SecondLayer};
use crate::crew::{self, Bench, Offer};
use crate::{StoreError, Subject};

/// How the workers work.
pub struct GuardrailOptions {
    /// How many texts are examined at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// For how long one may fall silent before another takes its text.
    pub lease: Duration,
    /// How long an examination is waited for when the server closes down.
    pub grace: Duration,
    /// The rules.
    pub first: FirstLayer,
    /// What comes behind them.
    pub second: SecondLayer,
}

/// The guardrails' workers of this process. They stop when the hub closes.
#[derive(Debug)]
pub struct Guards(Option<JoinHandle<()>>);

impl Guards {
    /// Sets them to work.
    #[must_use]
    pub fn start(forum: &Forum, options: GuardrailOptions) -> Self {
        let GuardrailOptions { workers, lease, grace, first, second } = options;
        if workers == 0 {
            return Self(None);
        }
        let bell = forum.hub.attend(Subject::GUARDRAIL_WORK);
        let examiner = Examiner::new(forum.clone(), lease, grace, first, second);
        let holder = Uuid::new_v4().simple().to_string();
        let post = Arc::new(Post { examiner, holder });
        Self(Some(tokio::spawn(crew::run(post, bell, workers))))
    }

    /// Done when every examination is, and everything given back.
    pub async fn stopped(self) {
        if let Some(task) = self.0
            && let Err(err) = task.await
        {
            tracing::error!(error = %err, "guardrail dispatcher panicked");
        }
    }
}

/// Where texts are taken from and examined.
struct Post {
    examiner: Examiner,
    /// What this process calls itself in the database.
    holder: String,
}

#[async_trait]
impl Bench for Post {
    type Task = Task;

    async fn take(&self) -> Result<Offer<Task>, StoreError> {
        let lease: SignedDuration = self.examiner.lease();
        let take = Take { holder: self.holder.clone(), at: self.now(), lease };
        Ok(match self.examiner.forum.store.take(take).await? {
            Found::Task(task) => Offer::Task(*task),
            Found::Tidied => Offer::Tidied,
            Found::Nothing { next } => Offer::Nothing { next },
        })
    }

    async fn work(&self, task: Task) {
        self.examiner.examine(task).await;
    }

    fn now(&self) -> Timestamp {
        self.examiner.forum.clock.now()
    }
}
