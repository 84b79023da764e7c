//! The workers of the guardrails. One attempt of an evaluation: the rules, then the model if one is
//! configured, then the trust tier of the author.
//!
//! Fails closed: an error leads to another attempt or to a review by a person.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use debate_core::EvaluationId;
use debate_core::forum::guardrail::{
    AfterFailure, AfterRules, Assessment, Decision, Policy, Rule, Rulebook, after_failure,
    after_model, after_rules,
};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::super::{EvaluationAttemptResult, EvaluationTask, Forum, LayerResults};
use super::classify::{AssessmentError, AssessmentLocks, Classifier};
use crate::failpoint::{self, Failpoint};
use crate::lease::{LeaseGuard, WorkSource, jitter, persist};
use crate::{Lease, LeaseRequest, Settlement, StoreError, Subject, WorkOffer, Workers};

/// The rules that every text is matched against.
#[derive(Clone)]
pub enum FirstLayer {
    /// The rule file that is part of the binary.
    BuiltIn,
    /// A rule file of the operator.
    Custom(Arc<Rulebook>),
}

impl FirstLayer {
    /// The built-in rules are compiled for the first text: that takes longer than the rest of a
    /// start, and many servers never evaluate a text.
    fn rules(&self) -> &Rulebook {
        static BUILT_IN: LazyLock<Rulebook> = LazyLock::new(Rulebook::built_in);
        match self {
            Self::BuiltIn => &BUILT_IN,
            Self::Custom(rules) => rules,
        }
    }
}

/// The decision about a text that no rule refuses.
pub enum SecondLayer {
    /// A model assesses the text.
    Model(Classifier),
    /// Without a model: texts of verified agents are approved, others are flagged.
    ByTier,
    /// Without a model: every text is approved.
    ApproveAll,
}

impl SecondLayer {
    const fn policy(&self) -> Policy {
        match self {
            Self::Model(_) => Policy::AskModel,
            Self::ByTier => Policy::ByTier,
            Self::ApproveAll => Policy::ApproveAll,
        }
    }
}

/// Executes attempts of evaluations.
pub(super) struct Evaluator {
    pub(super) forum: Forum,
    lease: Duration,
    grace: Duration,
    first: FirstLayer,
    second: SecondLayer,
    locks: AssessmentLocks,
}

impl Evaluator {
    pub(super) fn new(
        forum: Forum,
        lease: Duration,
        grace: Duration,
        first: FirstLayer,
        second: SecondLayer,
    ) -> Self {
        Self { forum, lease, grace, first, second, locks: AssessmentLocks::default() }
    }

    pub(super) fn lease_duration(&self) -> SignedDuration {
        SignedDuration::try_from(self.lease).unwrap_or(SignedDuration::MAX)
    }

    /// Evaluates the item of a task and saves the result.
    pub(super) async fn evaluate(&self, task: EvaluationTask) {
        failpoint::abort_at(Failpoint::BeforeAttempt);
        // Nothing notifies of a single evaluation: the guard renews by time until the server stops.
        let subscription = self.forum.notifier.subscribe_worker(task.lease.item);
        let guard = LeaseGuard { subscription, duration: self.lease, grace: self.grace };
        let end = guard.hold(self.run_layers(&task), || self.renew(task.lease)).await;
        failpoint::abort_at(Failpoint::BeforeCommit);
        let end = end.unwrap_or(EvaluationAttemptResult::Released);
        let (store, at, id) = (&self.forum.store, self.forum.clock.now(), task.lease.item);
        match persist(|| store.settle(task.lease, end.clone(), at)).await {
            Ok(Settlement::Saved) => failpoint::abort_at(Failpoint::AfterCommit),
            Ok(Settlement::Discarded) => {
                tracing::info!(evaluation.id = %id, "lease lost; result discarded");
            }
            // Another worker acquires the evaluation after the lease; this attempt counts.
            Err(err) => {
                tracing::error!(evaluation.id = %id, error = %err, "saving the result failed");
            }
        }
    }

    /// Executes the layers until one of them decides.
    async fn run_layers(&self, task: &EvaluationTask) -> EvaluationAttemptResult {
        let rules = self.first.rules();
        let refused_by = rules.scan(&task.text).refused_by;
        let mut layers = LayerResults {
            rules_version: Some(rules.version().to_owned()),
            refused_by: refused_by.iter().map(|rule| (rule.category, rule.id.clone())).collect(),
            model: None,
        };
        let first = refused_by.first().copied();
        let decided = |decision, reason, layers| EvaluationAttemptResult::Decided {
            decision,
            reason,
            layers,
        };
        match (after_rules(first, task.tier, self.second.policy()), &self.second) {
            (AfterRules::Settled(decision), _) => {
                decided(decision, reason_from_rules(first, decision), layers)
            }
            (AfterRules::AskModel, SecondLayer::Model(classifier)) => {
                match self.assess(classifier, task).await {
                    Ok(assessment) => {
                        let decision = after_model(task.tier, &assessment);
                        let reason = reason_from_model(decision, &assessment);
                        layers.model = Some((classifier.model.to_string(), assessment));
                        decided(decision, reason, layers)
                    }
                    Err(AssessmentError::NoTokensLeft) => {
                        decided(Decision::Flag, NO_TOKENS_LEFT.to_owned(), layers)
                    }
                    Err(AssessmentError::Failed(error)) => failure_result(task, &error),
                }
            }
            // The rules ask for a model only where the policy names one.
            (AfterRules::AskModel, SecondLayer::ByTier | SecondLayer::ApproveAll) => {
                decided(Decision::Flag, reason_from_rules(None, Decision::Flag), layers)
            }
        }
    }

    async fn assess(
        &self,
        classifier: &Classifier,
        task: &EvaluationTask,
    ) -> Result<Assessment, AssessmentError> {
        let store = self.forum.store.as_ref();
        let clock = self.forum.clock.as_ref();
        let version = self.first.rules().version();
        classifier.assess(&self.locks, store, clock, &task.text, version).await
    }

    /// Extends the lease; false if it is lost.
    async fn renew(&self, lease: Lease<EvaluationId>) -> bool {
        let (at, duration) = (self.forum.clock.now(), self.lease_duration());
        match self.forum.store.renew(lease, at, duration).await {
            Ok(settlement) => settlement == Settlement::Saved,
            // If the lease ends meanwhile, the result is discarded.
            Err(err) => {
                let id = lease.item;
                tracing::warn!(evaluation.id = %id, error = %err, "renewing the lease failed");
                true
            }
        }
    }
}

/// The result of an attempt that failed.
fn failure_result(task: &EvaluationTask, error: &str) -> EvaluationAttemptResult {
    tracing::warn!(evaluation.id = %task.lease.item, %error, "evaluation failed");
    let then = after_failure(task.attempt, jitter());
    EvaluationAttemptResult::Failed { then, error: reason_from_failure(then, error) }
}

/// The classifier's daily token limit (`GUARDRAIL_DAILY_TOKENS`) is reached.
const NO_TOKENS_LEFT: &str =
    "The classifier's daily token limit is reached; waiting for human review";

fn reason_from_rules(refused_by: Option<&Rule>, decision: Decision) -> String {
    match (refused_by, decision) {
        (Some(rule), _) => format!("Rejected by the rule {}", rule.id),
        (None, Decision::Approve) => "Passed the rules".to_owned(),
        (None, Decision::Flag) => "Passed the rules; waiting for human review".to_owned(),
        (None, Decision::Reject) => "Rejected".to_owned(),
    }
}

fn reason_from_model(decision: Decision, assessment: &Assessment) -> String {
    let reasoning = &assessment.reasoning;
    match decision {
        Decision::Approve => format!("Approved by the classifier: {reasoning}"),
        Decision::Flag => format!("Waiting for human review; classifier: {reasoning}"),
        Decision::Reject => format!("Rejected by the classifier: {reasoning}"),
    }
}

fn reason_from_failure(then: AfterFailure, error: &str) -> String {
    match then {
        AfterFailure::RetryIn(_) => format!("The evaluation failed and will be retried: {error}"),
        AfterFailure::Flag => format!("The evaluation failed; waiting for human review: {error}"),
    }
}

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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use debate_core::forum::guardrail::{Category, HarmRisk};

    use super::*;

    #[test]
    fn author_reads_the_decision_and_the_reason_of_each_layer() {
        use Decision::{Approve, Flag, Reject};
        let rule = Rule { category: Category::Weapons, id: "weapons.bombs".to_owned() };
        assert_eq!(reason_from_rules(Some(&rule), Reject), "Rejected by the rule weapons.bombs");
        assert!(reason_from_rules(None, Flag).contains("waiting for human review"));
        let model = Assessment::new(0.5, HarmRisk::Low, Flag, "Off topic.").expect("it is one");
        for (decision, reason) in [
            (Approve, "Approved by the classifier: Off topic."),
            (Flag, "Waiting for human review; classifier: Off topic."),
            (Reject, "Rejected by the classifier: Off topic."),
        ] {
            assert_eq!(reason_from_model(decision, &model), reason);
        }
        let retried = reason_from_failure(AfterFailure::RetryIn(Duration::ZERO), "busy");
        assert!(retried.contains("will be retried: busy"), "{retried}");
        let flagged = reason_from_failure(AfterFailure::Flag, "busy");
        assert!(flagged.contains("waiting for human review: busy"), "{flagged}");
    }
}
