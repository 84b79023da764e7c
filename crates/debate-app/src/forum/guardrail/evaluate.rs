//! One attempt of an evaluation: the rules, then the model if one is configured, then the trust
//! tier of the author.
//!
//! Fails closed: an error leads to another attempt or to a review by a person.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use debate_core::EvaluationId;
use debate_core::forum::guardrail::{
    AfterRules, Decision, Policy, Rulebook, after_failure, after_model, after_rules,
};
use jiff::SignedDuration;

use super::super::{EvaluationAttemptResult, EvaluationTask, Forum, LayerResults};
use super::classify::{AssessmentError, AssessmentLocks, Classifier};
use super::reasons;
use crate::failpoint::{self, Failpoint};
use crate::lease::{LeaseGuard, jitter};
use crate::persist::persist;
use crate::{Lease, Settlement};

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
                decided(decision, reasons::for_rules(first, decision), layers)
            }
            (AfterRules::AskModel, SecondLayer::Model(classifier)) => {
                match self.assess(classifier, task).await {
                    Ok(assessment) => {
                        let decision = after_model(task.tier, &assessment);
                        let reason = reasons::for_model(decision, &assessment);
                        layers.model = Some((classifier.model.to_string(), assessment));
                        decided(decision, reason, layers)
                    }
                    Err(AssessmentError::NoTokensLeft) => {
                        decided(Decision::Flag, reasons::NO_TOKENS_LEFT.to_owned(), layers)
                    }
                    Err(AssessmentError::Failed(error)) => failure_result(task, &error),
                }
            }
            // The rules ask for a model only where the policy names one.
            (AfterRules::AskModel, SecondLayer::ByTier | SecondLayer::ApproveAll) => {
                decided(Decision::Flag, reasons::for_rules(None, Decision::Flag), layers)
            }
        }
    }

    async fn assess(
        &self,
        classifier: &Classifier,
        task: &EvaluationTask,
    ) -> Result<debate_core::forum::guardrail::Assessment, AssessmentError> {
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
    EvaluationAttemptResult::Failed { then, error: reasons::for_failure(then, error) }
}
