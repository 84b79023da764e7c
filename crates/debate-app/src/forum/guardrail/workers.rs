//! The guardrails' workers.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::super::{EvaluationTask, Forum};
use super::evaluate::{Evaluator, FirstLayer, SecondLayer};
use crate::lease::WorkSource;
use crate::{LeaseRequest, StoreError, Subject, WorkOffer, Workers};

/// Settings of the guardrails' workers.
pub struct GuardrailOptions {
    /// The number of items that are evaluated at once; 0 leaves the work to other processes.
    pub workers: usize,
    /// Duration of a lease without a renewal.
    pub lease: Duration,
    /// Time that an evaluation gets to finish after the server began to shut down.
    pub grace: Duration,
    /// The rules that are matched first.
    pub first: FirstLayer,
    /// The decision about an item that passes the rules.
    pub second: SecondLayer,
}

impl Forum {
    /// Starts workers that evaluate pending items.
    #[must_use]
    pub fn start_guardrail_workers(&self, options: GuardrailOptions) -> Workers {
        let GuardrailOptions { workers, lease, grace, first, second } = options;
        let subscription = self.notifier.subscribe_worker(Subject::GUARDRAIL_WORK);
        let evaluator = Evaluator::new(self.clone(), lease, grace, first, second);
        let holder = Uuid::new_v4().simple().to_string();
        Workers::start("guardrail", Evaluations { evaluator, holder }, subscription, workers)
    }
}

/// Acquires evaluations and executes one attempt of each.
struct Evaluations {
    evaluator: Evaluator,
    /// The name of this process in the database.
    holder: String,
}

#[async_trait]
impl WorkSource for Evaluations {
    type Task = EvaluationTask;

    async fn acquire(&self) -> Result<WorkOffer<EvaluationTask>, StoreError> {
        let duration = self.evaluator.lease_duration();
        let request = LeaseRequest { holder: self.holder.clone(), at: self.now(), duration };
        self.evaluator.forum.store.acquire(request).await
    }

    async fn work(&self, task: EvaluationTask) {
        self.evaluator.evaluate(task).await;
    }

    fn now(&self) -> Timestamp {
        self.evaluator.forum.clock.now()
    }
}
