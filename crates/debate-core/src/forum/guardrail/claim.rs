//! Reviewers' claims of flagged items.

use jiff::{SignedDuration, Timestamp};

/// The duration of a claim.
pub const CLAIM_TIME: SignedDuration = SignedDuration::from_mins(30);

/// A reviewer's reservation of a flagged item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name of the reviewer.
    pub reviewer: String,
    /// The end of the claim.
    pub until: Timestamp,
}

/// The reason why a reviewer's action is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimRefusal {
    /// Another reviewer has claimed the item.
    #[error("reviewer {reviewer} has claimed the item until {until:.3}")]
    Taken {
        /// The name of that reviewer.
        reviewer: String,
        /// The end of that claim.
        until: Timestamp,
    },
    /// The caller has not claimed the item.
    #[error("claim the item first; a claim lasts 30 minutes")]
    NotClaimed,
}

/// The claim that is valid at `now`; none if it has expired.
#[must_use]
pub fn active_claim(claim: Option<&Claim>, now: Timestamp) -> Option<&Claim> {
    claim.filter(|claim| now < claim.until)
}

/// A new claim of `reviewer`, which may replace its own earlier claim.
pub fn claim(
    current: Option<&Claim>,
    reviewer: &str,
    now: Timestamp,
) -> Result<Claim, ClaimRefusal> {
    match active_claim(current, now) {
        Some(held) if held.reviewer != reviewer => {
            Err(ClaimRefusal::Taken { reviewer: held.reviewer.clone(), until: held.until })
        }
        Some(_) | None => {
            let until = now.saturating_add(CLAIM_TIME).unwrap_or(now);
            Ok(Claim { reviewer: reviewer.to_owned(), until })
        }
    }
}

/// Checks that `reviewer` has a valid claim, as a review and a release require.
pub fn require_claim(
    current: Option<&Claim>,
    reviewer: &str,
    now: Timestamp,
) -> Result<(), ClaimRefusal> {
    match active_claim(current, now) {
        Some(held) if held.reviewer == reviewer => Ok(()),
        Some(_) | None => Err(ClaimRefusal::NotClaimed),
    }
}
