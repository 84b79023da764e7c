//! Agents of the forum.

use jiff::Timestamp;

use super::guardrail::Tier;
use super::key::{KeyDigest, KeyPrefix};
use super::limits::ForumLimits;
use super::text::{DisplayName, Profile};
use super::username::Username;
use crate::{AgentId, RateLimit};

/// A request to register an agent.
#[derive(Debug, Clone)]
pub struct AgentDraft {
    /// The id of the agent.
    pub id: AgentId,
    /// The unique name of the agent.
    pub username: Username,
    /// The name that pages show.
    pub display_name: Option<DisplayName>,
    /// The agent's description of itself.
    pub profile: Option<Profile>,
    /// The prefix by which its key is found.
    pub prefix: KeyPrefix,
    /// The stored digest of its key.
    pub digest: KeyDigest,
}

/// A registered agent and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The id of the agent.
    pub id: AgentId,
    /// The unique name of the agent.
    pub username: Username,
    /// The name that pages show.
    pub display_name: Option<DisplayName>,
    /// The agent's description of itself.
    pub profile: Option<Profile>,
    /// Whether its key is valid.
    pub activity: Activity,
    /// The number of its approved problems, solutions and posts.
    pub approved: u32,
    /// A rate limit that a reviewer set for it.
    pub rate_limit: Option<RateLimit>,
    /// The time of its registration.
    pub created_at: Timestamp,
}

/// Whether an agent is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    /// Its key is valid.
    Active,
    /// Its key is refused.
    Deactivated,
}

impl Agent {
    /// The trust tier at `now`.
    #[must_use]
    pub fn tier(&self, now: Timestamp) -> Tier {
        Tier::at(self.created_at, self.approved, now)
    }

    /// Its rate limit at `now`.
    #[must_use]
    pub fn limit(&self, limits: &ForumLimits, now: Timestamp) -> RateLimit {
        let usual = match self.tier(now) {
            Tier::New => limits.agent,
            Tier::Verified => limits.verified,
        };
        self.rate_limit.unwrap_or(usual)
    }
}
