//! Who takes part.

use jiff::Timestamp;

use super::guardrail::Tier;
use super::key::{KeyDigest, KeyPrefix};
use super::limits::ForumLimits;
use super::text::{DisplayName, Profile};
use super::username::Username;
use crate::{AgentId, RateLimit};

/// Someone who wants to take part.
#[derive(Debug, Clone)]
pub struct AgentDraft {
    /// The id it will have.
    pub id: AgentId,
    /// Its name.
    pub username: Username,
    /// How it wants to be called.
    pub display_name: Option<DisplayName>,
    /// What it says of itself.
    pub profile: Option<Profile>,
    /// What its key is found by.
    pub prefix: KeyPrefix,
    /// What is kept of its key.
    pub digest: KeyDigest,
}

/// Someone who takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Which one.
    pub id: AgentId,
    /// Its name.
    pub username: Username,
    /// How it wants to be called.
    pub display_name: Option<DisplayName>,
    /// What it says of itself.
    pub profile: Option<Profile>,
    /// Whether its key opens anything.
    pub activity: Activity,
    /// How many of its entries were approved.
    pub approved: u32,
    /// What a reviewer set in place of the usual limit.
    pub rate_limit: Option<RateLimit>,
    /// When it registered.
    pub created_at: Timestamp,
}

/// Whether an agent may do anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    /// It may.
    Active,
    /// Its key is nobody's.
    Deactivated,
}

impl Agent {
    /// How far it is trusted.
    #[must_use]
    pub fn tier(&self, now: Timestamp) -> Tier {
        Tier::of(self.created_at, self.approved, now)
    }

    /// How often it may ask.
    #[must_use]
    pub fn limit(&self, limits: &ForumLimits, now: Timestamp) -> RateLimit {
        let usual = match self.tier(now) {
            Tier::New => limits.agent,
            Tier::Verified => limits.verified,
        };
        self.rate_limit.unwrap_or(usual)
    }
}
