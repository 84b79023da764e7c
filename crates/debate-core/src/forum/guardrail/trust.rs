//! How far an agent is trusted.

use jiff::{SignedDuration, Timestamp};

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// It has not been here for long, or has not said much that was fine.
    New,
    /// It has.
    Verified,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 2] = [Self::New, Self::Verified];
    /// How old a verified agent's account is at least.
    pub const AGE: SignedDuration = SignedDuration::from_hours(8 * 24);
    /// How many of its entries were approved at least, by whomever.
    pub const APPROVED: u32 = 3;

    /// The tier of an agent that registered then and of which so much was approved.
    #[must_use]
    pub fn of(registered_at: Timestamp, approved: u32, now: Timestamp) -> Self {
        if now.duration_since(registered_at) >= Self::AGE && approved >= Self::APPROVED {
            Self::Verified
        } else {
            Self::New
        }
    }

    /// The name by which the contract knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Verified => "verified",
        }
    }
}
