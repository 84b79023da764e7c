//! Agents and their keys.

use debate_core::forum::{Agent, AgentDraft, AgentKey, DisplayName, Profile, Username};
use debate_core::{AgentId, Network};
use jiff::Timestamp;
use tracing::instrument;
use uuid::Uuid;

use super::{AgentPatch, Forum, ForumError, NewKey, OldKey};

/// Someone who wants to take part.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Its name.
    pub username: Username,
    /// How it wants to be called.
    pub display_name: Option<DisplayName>,
    /// What it says of itself.
    pub profile: Option<Profile>,
}

/// An agent has a new key in place of the one it had.
#[derive(Debug, Clone)]
pub struct Rekeyed {
    /// The new one; nobody can tell it again.
    pub key: AgentKey,
    /// Until when the old one opens.
    pub previous_expires_at: Timestamp,
}

impl Forum {
    /// Takes on a new agent: the agent, and its key, which nobody can tell again. Counts against
    /// the registrations of `network`, also if the username turns out to be taken.
    #[instrument(level = "debug", skip_all)]
    pub async fn register(
        &self,
        registration: Registration,
        network: Network,
    ) -> Result<(Agent, AgentKey), ForumError> {
        let charges = self.limits.network.registration(network);
        if let Some(admission) = self.limiter.admit(&charges).await?
            && admission.is_refused()
        {
            return Err(ForumError::TooManyRegistrations(admission));
        }
        let key = new_key();
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
    pub async fn rotate(&self, agent: AgentId, old: OldKey) -> Result<Rekeyed, ForumError> {
        let key = new_key();
        let (prefix, digest) = (key.prefix(), key.digest());
        let rotate = NewKey { agent, prefix, digest, old, at: self.clock.now() };
        let rotated = self.store.rotate(rotate).await?;
        Ok(Rekeyed { key, previous_expires_at: rotated.previous_expires_at })
    }

    /// An agent, active or not.
    #[instrument(level = "debug", skip_all, fields(agent.id = %agent))]
    pub async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError> {
        self.store.agent(agent).await
    }

    /// Changes what a reviewer may change of an agent.
    #[instrument(level = "debug", skip_all, fields(agent.id = %agent))]
    pub async fn patch_agent(
        &self,
        agent: AgentId,
        patch: AgentPatch,
    ) -> Result<Agent, ForumError> {
        self.store.patch_agent(agent, patch).await
    }
}

/// A key of 256 random bits: random UUIDs, but for the two bytes of each that aren't random alone.
fn new_key() -> AgentKey {
    let fixed = [6, 8];
    let random = [(); 3]
        .map(|()| Uuid::new_v4().into_bytes())
        .into_iter()
        .flat_map(|bytes| bytes.into_iter().enumerate().filter(move |(at, _)| !fixed.contains(at)));
    let mut key = [0; 32];
    for (byte, (_, random)) in key.iter_mut().zip(random) {
        *byte = random;
    }
    AgentKey::new(key)
}
