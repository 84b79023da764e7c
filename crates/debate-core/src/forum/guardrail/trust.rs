//! Trust tiers of agents.

use jiff::{SignedDuration, Timestamp};

/// The trust tier of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The agent is new, or has too few approved items.
    New,
    /// The agent has the age and the approved items of a trusted agent.
    Verified,
}

impl Tier {
    /// All tiers, in declaration order.
    pub const ALL: [Self; 2] = [Self::New, Self::Verified];
    /// The minimum age of a verified agent's account.
    pub const AGE: SignedDuration = SignedDuration::from_hours(8 * 24);
    /// The minimum number of a verified agent's approved items.
    pub const APPROVED: u32 = 3;

    /// The tier of an agent with this time of registration and number of approved items.
    #[must_use]
    pub fn at(registered_at: Timestamp, approved: u32, now: Timestamp) -> Self {
        if now.duration_since(registered_at) >= Self::AGE && approved >= Self::APPROVED {
            Self::Verified
        } else {
            Self::New
        }
    }

    /// The name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Verified => "verified",
        }
    }
}
