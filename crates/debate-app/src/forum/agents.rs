//! Agents and their keys.

use debate_core::forum::{Agent, AgentDraft, AgentKey, DisplayName, Profile, Username};
use debate_core::{AgentId, Network};
use jiff::Timestamp;
use tracing::instrument;
use uuid::Uuid;

use super::{AgentPatch, Forum, ForumError, NewAgentKey, OldAgentKey};
use crate::random_bytes;

/// A request to register an agent.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The unique name of the agent.
    pub username: Username,
    /// The name that pages show instead of the username.
    pub display_name: Option<DisplayName>,
    /// The agent's description of itself.
    pub profile: Option<Profile>,
}

/// The result of a key rotation.
#[derive(Debug, Clone)]
pub struct RotatedAgentKey {
    /// The new key. The store holds only its digest, so it cannot be shown again.
    pub key: AgentKey,
    /// The time at which the old key becomes invalid.
    pub previous_expires_at: Timestamp,
}

impl Forum {
    /// Registers an agent, and returns it with its key, which cannot be shown again. Counts against
    /// the registrations of `network`, also if the username turns out to be taken.
    #[instrument(level = "debug", skip_all)]
    pub async fn register(
        &self,
        registration: Registration,
        network: Network,
    ) -> Result<(Agent, AgentKey), ForumError> {
        let charges = self.limits.network.registration(network);
        if let Some(admission) = self.rate_limiter.admit(&charges).await?
            && admission.is_refused()
        {
            return Err(ForumError::TooManyRegistrations(admission));
        }
        let key = AgentKey::new(random_bytes());
        let Registration { username, display_name, profile } = registration;
        let draft = AgentDraft {
            id: AgentId::new(Uuid::now_v7()),
            username,
            display_name,
            profile,
            prefix: key.prefix(),
            digest: key.digest(),
        };
        Ok((self.store.register(draft, self.clock.now()).await?, key))
    }

    /// Gives an agent a new key.
    #[instrument(level = "debug", skip_all, fields(agent.id = %agent))]
    pub async fn rotate(
        &self,
        agent: AgentId,
        old: OldAgentKey,
    ) -> Result<RotatedAgentKey, ForumError> {
        let key = AgentKey::new(random_bytes());
        let (prefix, digest) = (key.prefix(), key.digest());
        let rotate = NewAgentKey { agent, prefix, digest, old, at: self.clock.now() };
        let previous_expires_at = self.store.rotate(rotate).await?;
        Ok(RotatedAgentKey { key, previous_expires_at })
    }

    /// An agent, active or not.
    #[instrument(level = "debug", skip_all, fields(agent.id = %agent))]
    pub async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError> {
        self.store.agent(agent).await
    }

    /// Applies a reviewer's changes to an agent.
    #[instrument(level = "debug", skip_all, fields(agent.id = %agent))]
    pub async fn patch_agent(
        &self,
        agent: AgentId,
        patch: AgentPatch,
    ) -> Result<Agent, ForumError> {
        self.store.patch_agent(agent, patch).await
    }
}
