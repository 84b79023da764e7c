//! One examination: the rules, then a model where there is one, then what the tier allows.
//!
//! Fails closed: whatever goes wrong on the way leads to another try or to a human.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use debate_core::forum::guardrail::{
    AfterRules, Decision, Policy, Rulebook, after_failure, after_model, after_rules,
};
use jiff::SignedDuration;

use super::super::{End, Forum, Layers, Renew, Settle, Settlement, Task};
use super::classify::{Classifier, Flights, Unclassified};
use super::words;
use crate::crew::{Hold, jitter};
use crate::failpoint::{self, Failpoint};
use crate::persist::persist;

/// The rules that every text is held against.
#[derive(Clone)]
pub enum FirstLayer {
    /// Those that are built in.
    BuiltIn,
    /// The operator's own.
    Own(Arc<Rulebook>),
}

impl FirstLayer {
    /// Those built in are made ready when the first text comes: that takes longer than all the rest
    /// of a start, and many servers never see one.
    fn rules(&self) -> &Rulebook {
        static BUILT_IN: LazyLock<Rulebook> = LazyLock::new(Rulebook::built_in);
        match self {
            Self::BuiltIn => &BUILT_IN,
            Self::Own(rules) => rules,
        }
    }
}

/// What happens to a text that no rule refuses.
pub enum SecondLayer {
    /// A model is asked.
    Model(Classifier),
    /// There is none: verified agents are trusted, of others a human looks.
    ByTier,
    /// There is none, and the operator wants everything approved that no rule refuses.
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

/// Whoever examines.
pub(super) struct Examiner {
    pub(super) forum: Forum,
    lease: Duration,
    grace: Duration,
    first: FirstLayer,
    second: SecondLayer,
    flights: Flights,
}

impl Examiner {
    pub(super) fn new(
        forum: Forum,
        lease: Duration,
        grace: Duration,
        first: FirstLayer,
        second: SecondLayer,
    ) -> Self {
        Self { forum, lease, grace, first, second, flights: Flights::default() }
    }

    pub(super) fn lease(&self) -> SignedDuration {
        SignedDuration::try_from(self.lease).unwrap_or(SignedDuration::MAX)
    }

    /// Examines what was taken, and gives it back.
    pub(super) async fn examine(&self, task: Task) {
        failpoint::reached(Failpoint::BeforeAttempt);
        // Nobody rings for an examination alone: it is held by its beats, until the server closes.
        let bell = self.forum.hub.attend(task.evaluation);
        let hold = Hold { bell, lease: self.lease, grace: self.grace };
        let end = hold.over(self.find_out(&task), || self.still_held(&task)).await;
        failpoint::reached(Failpoint::BeforeCommit);
        let end = end.unwrap_or(End::LetGo);
        let at = self.forum.clock.now();
        let settle = Settle { evaluation: task.evaluation, term: task.term, end, at };
        let store = &self.forum.store;
        match persist(|| store.settle(settle.clone())).await {
            Ok(Settlement::Kept) => failpoint::reached(Failpoint::AfterCommit),
            Ok(Settlement::Dropped) => {
                tracing::info!(evaluation.id = %task.evaluation, "lease lost; result discarded");
            }
            // Its lease will end, and another worker takes it; the try counts.
            Err(err) => {
                tracing::error!(
                    evaluation.id = %task.evaluation,
                    error = %err,
                    "saving the result failed"
                );
            }
        }
    }

    /// What the layers come to.
    async fn find_out(&self, task: &Task) -> End {
        let rules = self.first.rules();
        let refused_by = rules.read_text(&task.text).refused_by;
        let mut layers = Layers {
            rules_version: Some(rules.version().to_owned()),
            refused_by: refused_by.iter().map(|rule| (rule.category, rule.id.clone())).collect(),
            model: None,
        };
        let first = refused_by.first().copied();
        let decided = |decision, reason, layers| End::Decided { decision, reason, layers };
        match (after_rules(first, task.tier, self.second.policy()), &self.second) {
            (AfterRules::Settled(decision), _) => {
                decided(decision, words::of_rules(first, decision), layers)
            }
            (AfterRules::AskModel, SecondLayer::Model(classifier)) => {
                match self.assess(classifier, task).await {
                    Ok(assessment) => {
                        let decision = after_model(task.tier, &assessment);
                        let reason = words::of_model(decision, &assessment);
                        layers.model = Some((classifier.model.to_string(), assessment));
                        decided(decision, reason, layers)
                    }
                    Err(Unclassified::NoTokensLeft) => {
                        decided(Decision::Flag, words::NO_TOKENS_LEFT.to_owned(), layers)
                    }
                    Err(Unclassified::Failed(error)) => failed(task, &error),
                }
            }
            // The rules ask for a model only where the policy names one.
            (AfterRules::AskModel, SecondLayer::ByTier | SecondLayer::ApproveAll) => {
                decided(Decision::Flag, words::of_rules(None, Decision::Flag), layers)
            }
        }
    }

    async fn assess(
        &self,
        classifier: &Classifier,
        task: &Task,
    ) -> Result<debate_core::forum::guardrail::Assessment, Unclassified> {
        let store = self.forum.store.as_ref();
        let clock = self.forum.clock.as_ref();
        let version = self.first.rules().version();
        classifier.assess(&self.flights, store, clock, &task.text, version).await
    }

    /// Says that this worker is still at it, and learns whether anyone cares.
    async fn still_held(&self, task: &Task) -> bool {
        let (at, lease) = (self.forum.clock.now(), self.lease());
        let renew = Renew { evaluation: task.evaluation, term: task.term, at, lease };
        match self.forum.store.renew(renew).await {
            Ok(settlement) => settlement == Settlement::Kept,
            // The lease may end meanwhile; then what comes of this is refused.
            Err(err) => {
                tracing::warn!(
                    evaluation.id = %task.evaluation,
                    error = %err,
                    "renewing the lease failed"
                );
                true
            }
        }
    }
}

/// What a failed try leads to.
fn failed(task: &Task, error: &str) -> End {
    tracing::warn!(evaluation.id = %task.evaluation, %error, "evaluation failed");
    let then = after_failure(task.attempt, jitter());
    End::Failed { then, error: words::of_failure(then, error) }
}
