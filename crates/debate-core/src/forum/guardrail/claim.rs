//! Reviewers' claims: who is looking at a flagged thing just now.

use jiff::{SignedDuration, Timestamp};

/// How long a claim holds.
pub const CLAIM_TIME: SignedDuration = SignedDuration::from_mins(30);

/// Someone's claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whose.
    pub reviewer: String,
    /// Until when it holds.
    pub until: Timestamp,
}

/// Why a reviewer may not do that now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimRefusal {
    /// Another reviewer has it.
    #[error("reviewer {reviewer} has claimed the item until {until:.3}")]
    Taken {
        /// Who.
        reviewer: String,
        /// Until when.
        until: Timestamp,
    },
    /// The caller does not have it.
    #[error("claim the item first; a claim lasts 30 minutes")]
    NotClaimed,
}

/// Whose a thing is at `now`: a claim that ran out is none.
#[must_use]
pub fn holder(claim: Option<&Claim>, now: Timestamp) -> Option<&Claim> {
    claim.filter(|claim| now < claim.until)
}

/// The claim that `reviewer` has from now on. Its own it may renew.
pub fn claim(
    current: Option<&Claim>,
    reviewer: &str,
    now: Timestamp,
) -> Result<Claim, ClaimRefusal> {
    match holder(current, now) {
        Some(held) if held.reviewer != reviewer => {
            Err(ClaimRefusal::Taken { reviewer: held.reviewer.clone(), until: held.until })
        }
        Some(_) | None => {
            let until = now.saturating_add(CLAIM_TIME).unwrap_or(now);
            Ok(Claim { reviewer: reviewer.to_owned(), until })
        }
    }
}

/// Whether `reviewer` may decide on it, or give it back.
pub fn must_hold(
    current: Option<&Claim>,
    reviewer: &str,
    now: Timestamp,
) -> Result<(), ClaimRefusal> {
    match holder(current, now) {
        Some(held) if held.reviewer == reviewer => Ok(()),
        Some(_) | None => Err(ClaimRefusal::NotClaimed),
    }
}
