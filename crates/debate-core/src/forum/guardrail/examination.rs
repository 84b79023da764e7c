//! An examination from the moment it is asked for to its last decision. The engines load one, ask,
//! and keep the answer; what each happening leaves behind is decided here.
//!
//! Whatever is pending is due at some time, and whatever is not is due at none: nothing is stuck,
//! and nothing is examined twice.

use jiff::{SignedDuration, Timestamp};

use super::attempt::{AfterFailure, Attempt};
use super::claim::{Claim, ClaimRefusal, claim, must_hold};
use super::status::{Appeal, Decision, Move, Refusal, Ruling, Status, next};
use crate::{Term, Work};

/// An examination, as far as the rules go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// Where it stands.
    pub status: Status,
    /// Whether its author appealed.
    pub appeal: Appeal,
    /// How often it was taken.
    pub attempts: u32,
    /// Its last holder's.
    pub term: Term,
    /// Whether a worker is wanted, or at it.
    pub work: Work,
    /// Which human looks at it.
    pub claim: Option<Claim>,
}

/// What a worker gets who comes for an examination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// It is the worker's, for this try.
    Task(Examination, Attempt),
    /// It was tried too often: a human looks.
    Flagged(Examination),
    /// It is not to be had now.
    NotDue,
}

/// Why a reviewer may not do that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewRefusal {
    /// It does not wait for a human.
    #[error(transparent)]
    Guardrail(#[from] Refusal),
    /// It is another's, or nobody's.
    #[error(transparent)]
    Claim(#[from] ClaimRefusal),
}

impl Examination {
    /// One that was just asked for.
    #[must_use]
    pub const fn asked(at: Timestamp) -> Self {
        Self {
            status: Status::Pending,
            appeal: Appeal::Unused,
            attempts: 0,
            term: Term::NONE,
            work: Work::Due { at },
            claim: None,
        }
    }

    /// A worker comes for it. The try counts from here on: if the worker dies of it, it still does.
    #[must_use]
    pub fn taken(self, at: Timestamp, lease: SignedDuration) -> Taken {
        if !self.work.is_due(at) {
            return Taken::NotDue;
        }
        let attempt = Attempt::new(self.attempts.saturating_add(1));
        let term = self.term.next();
        if attempt.is_over() {
            let flagged = Self { status: Status::Flagged, term, work: Work::None, ..self };
            return Taken::Flagged(flagged);
        }
        let work = Work::held(at, lease);
        Taken::Task(Self { attempts: attempt.number(), term, work, ..self }, attempt)
    }

    /// Its holder is still at it; none if it is not its holder's any more.
    #[must_use]
    pub fn renewed(self, term: Term, at: Timestamp, lease: SignedDuration) -> Option<Self> {
        self.is_held_in(term).then(|| Self { work: Work::held(at, lease), ..self })
    }

    /// Its holder came to a decision; none if it went on without it.
    #[must_use]
    pub fn settled(self, term: Term, decision: Decision) -> Option<Self> {
        if !self.is_held_in(term) {
            return None;
        }
        let status = next(self.status, self.appeal, Move::Settle(decision)).ok()?;
        Some(Self { status, work: Work::None, ..self })
    }

    /// Its holder failed; none if it went on without it.
    #[must_use]
    pub fn failed(self, term: Term, then: AfterFailure, at: Timestamp) -> Option<Self> {
        match then {
            AfterFailure::Flag => self.settled(term, Decision::Flag),
            AfterFailure::RetryIn(wait) => self.is_held_in(term).then(|| {
                let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
                let due = at.saturating_add(wait).unwrap_or(Timestamp::MAX);
                Self { work: Work::Due { at: due }, ..self }
            }),
        }
    }

    /// Its holder gave it back untried; none if it went on without it.
    #[must_use]
    pub fn let_go(self, term: Term, at: Timestamp) -> Option<Self> {
        self.is_held_in(term).then(|| {
            let attempts = self.attempts.saturating_sub(1);
            Self { attempts, work: Work::Due { at }, ..self }
        })
    }

    /// Its author objects.
    pub fn appealed(self) -> Result<Self, Refusal> {
        let status = next(self.status, self.appeal, Move::Appeal)?;
        Ok(Self { status, appeal: Appeal::Used, claim: None, ..self })
    }

    /// A reviewer wants to look at it.
    pub fn claimed(self, reviewer: &str, at: Timestamp) -> Result<Self, ReviewRefusal> {
        self.must_be_flagged()?;
        let claim = Some(claim(self.claim.as_ref(), reviewer, at)?);
        Ok(Self { claim, ..self })
    }

    /// A reviewer gives it back.
    pub fn released(self, reviewer: &str, at: Timestamp) -> Result<Self, ReviewRefusal> {
        self.must_be_flagged()?;
        must_hold(self.claim.as_ref(), reviewer, at)?;
        Ok(Self { claim: None, ..self })
    }

    /// A reviewer decides.
    pub fn reviewed(
        self,
        reviewer: &str,
        ruling: Ruling,
        at: Timestamp,
    ) -> Result<Self, ReviewRefusal> {
        let status = next(self.status, self.appeal, Move::Review(ruling))?;
        must_hold(self.claim.as_ref(), reviewer, at)?;
        Ok(Self { status, claim: None, ..self })
    }

    const fn must_be_flagged(&self) -> Result<(), Refusal> {
        match self.status {
            Status::Flagged => Ok(()),
            Status::Pending | Status::Approved | Status::Rejected => Err(Refusal::NotFlagged),
        }
    }

    fn is_held_in(&self, term: Term) -> bool {
        self.term == term && self.work.held_since().is_some()
    }
}
