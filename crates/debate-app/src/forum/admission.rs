//! Who comes in, and how often: counted first, then known.
//!
//! The count comes before every other check, also for keys that are nobody's: those count against
//! the address they come from, so that guessing is as slow as not knowing.

use debate_core::forum::{Admission, Agent, AgentKey, Caller, KeyMark, KeyPrefix, Network, Reader};
use tracing::instrument;

use super::{Admit, Forum, ForumError, Holder};
use crate::{Clock, StoreError};

/// Someone at the door.
#[derive(Debug, Clone)]
pub struct Knock {
    /// Where from.
    pub from: Network,
    /// What they show.
    pub credential: Credential,
}

/// What someone shows at the door.
#[derive(Debug, Clone)]
pub enum Credential {
    /// Nothing.
    None,
    /// What may be an agent's key.
    Key(AgentKey),
    /// What a reviewer of this name has, checked.
    Reviewer(String),
    /// Something that is nobody's.
    Unknown,
}

impl Credential {
    /// The key's mark, where it is one: for what lasts longer than a request.
    #[must_use]
    pub fn mark(&self) -> Option<KeyMark> {
        match self {
            Self::Key(key) => Some(key.mark()),
            Self::None | Self::Reviewer(_) | Self::Unknown => None,
        }
    }
}

/// Who came in.
#[derive(Debug, Clone)]
pub enum Visitor {
    /// Someone without a key.
    Anonymous,
    /// An agent.
    Agent(Box<Agent>),
    /// A reviewer, by name.
    Reviewer(String),
}

impl Visitor {
    /// Whom they read as.
    #[must_use]
    pub fn reader(&self) -> Reader {
        match self {
            Self::Anonymous => Reader::Anonymous,
            Self::Agent(agent) => Reader::Agent(agent.id),
            Self::Reviewer(_) => Reader::Admin,
        }
    }
}

/// What became of a knock.
#[derive(Debug, Clone)]
pub struct Entrance {
    /// Whether the request is let in, and what its answer says of the limit.
    pub admission: Admission,
    /// Who it is; none if what they show is nobody's.
    pub visitor: Option<Visitor>,
}

impl Forum {
    /// Counts a request, and says whose it is.
    #[instrument(level = "debug", skip_all)]
    pub async fn admit(&self, knock: Knock) -> Result<Entrance, StoreError> {
        let visitor = match knock.credential {
            Credential::None => Some(Visitor::Anonymous),
            Credential::Reviewer(name) => Some(Visitor::Reviewer(name)),
            Credential::Unknown => None,
            Credential::Key(key) => self.owner(&key).await?,
        };
        let limits = &self.limits;
        let (caller, limit) = match &visitor {
            Some(Visitor::Anonymous) | None => (Caller::Peer(knock.from), limits.anonymous),
            Some(Visitor::Agent(agent)) => {
                (Caller::Agent(agent.id), agent.limit(limits, self.clock.now()))
            }
            Some(Visitor::Reviewer(name)) => (Caller::Admin(name.clone()), limits.admin),
        };
        let admit = Admit { caller, limit, at: self.steady.now() };
        Ok(Entrance { admission: self.store.admit(admit).await?, visitor })
    }

    /// Whose key this is; none if it is nobody's. Counts nothing.
    pub async fn owner(&self, key: &AgentKey) -> Result<Option<Visitor>, StoreError> {
        match self.store.authenticate(key, self.clock.now()).await {
            Ok(agent) => Ok(Some(Visitor::Agent(Box::new(agent)))),
            Err(ForumError::Store(err)) => Err(err),
            // Whatever else it is, nobody comes in by it.
            Err(_) => Ok(None),
        }
    }

    /// The keys that begin so and open now. Counts nothing.
    pub async fn holders(&self, prefix: &KeyPrefix) -> Result<Vec<Holder>, StoreError> {
        self.store.holders(prefix, self.clock.now()).await
    }

    /// Whether the key still opens that is known by this mark. Counts nothing.
    pub(super) async fn opens(&self, mark: &KeyMark) -> Result<bool, StoreError> {
        let holders = self.holders(&mark.prefix).await?;
        Ok(holders.iter().any(|holder| holder.digest.is_same(&mark.digest)))
    }
}
