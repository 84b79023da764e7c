//! The transitions of an evaluation from its creation to its last decision. The engines load an
//! evaluation, call these functions and store the result.
//!
//! A pending evaluation is always due at some time, and a decided one never: no evaluation is stuck
//! or repeated.

use jiff::{SignedDuration, Timestamp};

use super::attempt::{AfterFailure, EvaluationAttempt};
use super::claim::{Claim, ClaimRefusal, claim, require_claim};
use super::status::{
    Appeal, Decision, GuardrailRefusal, GuardrailStatus, Move, Ruling, next_status,
};
use crate::{FencingToken, LeaseState};

/// The state of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// The status of the evaluated item.
    pub status: GuardrailStatus,
    /// Whether the author has appealed.
    pub appeal: Appeal,
    /// The number of attempts.
    pub attempts: u32,
    /// The token of the current or the last lease.
    pub fencing_token: FencingToken,
    /// The state of the lease.
    pub lease: LeaseState,
    /// The claim of a reviewer.
    pub claim: Option<Claim>,
}

/// The result of acquiring an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    /// The worker holds the lease for this attempt.
    Task(Evaluation, EvaluationAttempt),
    /// The attempts are used up, and the item is flagged for review.
    Flagged(Evaluation),
    /// The evaluation is not due.
    NotDue,
}

/// The reason why a reviewer's action is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewRefusal {
    /// The item is not flagged.
    #[error(transparent)]
    Guardrail(#[from] GuardrailRefusal),
    /// The claim does not allow it.
    #[error(transparent)]
    Claim(#[from] ClaimRefusal),
}

impl Evaluation {
    /// A new evaluation, due at `at`.
    #[must_use]
    pub const fn new(at: Timestamp) -> Self {
        Self {
            status: GuardrailStatus::Pending,
            appeal: Appeal::Unused,
            attempts: 0,
            fencing_token: FencingToken::NONE,
            lease: LeaseState::Due { at },
            claim: None,
        }
    }

    /// Acquires the evaluation. The attempt counts from here, also if the worker crashes.
    #[must_use]
    pub fn acquire(self, at: Timestamp, lease: SignedDuration) -> Acquired {
        if !self.lease.is_due(at) {
            return Acquired::NotDue;
        }
        let attempt = EvaluationAttempt::new(self.attempts.saturating_add(1));
        let term = self.fencing_token.next();
        if attempt.is_over() {
            let flagged = Self {
                status: GuardrailStatus::Flagged,
                fencing_token: term,
                lease: LeaseState::Idle,
                ..self
            };
            return Acquired::Flagged(flagged);
        }
        let work = LeaseState::hold(at, lease);
        Acquired::Task(
            Self { attempts: attempt.number(), fencing_token: term, lease: work, ..self },
            attempt,
        )
    }

    /// Extends the lease; none if the worker does not hold it any more.
    #[must_use]
    pub fn renew(self, term: FencingToken, at: Timestamp, lease: SignedDuration) -> Option<Self> {
        self.is_held_with(term).then(|| Self { lease: LeaseState::hold(at, lease), ..self })
    }

    /// Saves a decision; none if the worker does not hold the lease any more.
    #[must_use]
    pub fn settle(self, term: FencingToken, decision: Decision) -> Option<Self> {
        if !self.is_held_with(term) {
            return None;
        }
        let status = next_status(self.status, self.appeal, Move::Settle(decision)).ok()?;
        Some(Self { status, lease: LeaseState::Idle, ..self })
    }

    /// Saves a failure; none if the worker does not hold the lease any more.
    #[must_use]
    pub fn fail(self, term: FencingToken, then: AfterFailure, at: Timestamp) -> Option<Self> {
        match then {
            AfterFailure::Flag => self.settle(term, Decision::Flag),
            AfterFailure::RetryIn(wait) => self.is_held_with(term).then(|| {
                let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
                let due = at.saturating_add(wait).unwrap_or(Timestamp::MAX);
                Self { lease: LeaseState::Due { at: due }, ..self }
            }),
        }
    }

    /// Gives the evaluation back without counting the attempt; none if the worker does not hold
    /// the lease any more.
    #[must_use]
    pub fn release(self, term: FencingToken, at: Timestamp) -> Option<Self> {
        self.is_held_with(term).then(|| {
            let attempts = self.attempts.saturating_sub(1);
            Self { attempts, lease: LeaseState::Due { at }, ..self }
        })
    }

    /// The author of the item appeals.
    pub fn appeal(self) -> Result<Self, GuardrailRefusal> {
        let status = next_status(self.status, self.appeal, Move::Appeal)?;
        Ok(Self { status, appeal: Appeal::Used, claim: None, ..self })
    }

    /// A reviewer claims the item.
    pub fn claim(self, reviewer: &str, at: Timestamp) -> Result<Self, ReviewRefusal> {
        self.require_flagged()?;
        let claim = Some(claim(self.claim.as_ref(), reviewer, at)?);
        Ok(Self { claim, ..self })
    }

    /// A reviewer gives up a claim.
    pub fn release_claim(self, reviewer: &str, at: Timestamp) -> Result<Self, ReviewRefusal> {
        self.require_flagged()?;
        require_claim(self.claim.as_ref(), reviewer, at)?;
        Ok(Self { claim: None, ..self })
    }

    /// A reviewer decides about the item.
    pub fn review(
        self,
        reviewer: &str,
        ruling: Ruling,
        at: Timestamp,
    ) -> Result<Self, ReviewRefusal> {
        let status = next_status(self.status, self.appeal, Move::Review(ruling))?;
        require_claim(self.claim.as_ref(), reviewer, at)?;
        Ok(Self { status, claim: None, ..self })
    }

    const fn require_flagged(&self) -> Result<(), GuardrailRefusal> {
        match self.status {
            GuardrailStatus::Flagged => Ok(()),
            GuardrailStatus::Pending | GuardrailStatus::Approved | GuardrailStatus::Rejected => {
                Err(GuardrailRefusal::NotFlagged)
            }
        }
    }

    fn is_held_with(&self, term: FencingToken) -> bool {
        self.fencing_token == term && self.lease.held_since().is_some()
    }
}
