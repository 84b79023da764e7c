//! Access to the forum: the caller of a request, and whether the rate limits accept it.
//!
//! Requests are counted before any other check. A key that belongs to no agent counts against the
//! network it comes from, as no key does.

use debate_core::forum::{Agent, AgentKey, HashedKey, KeyPrefix, Viewer};
use debate_core::{Admission, Charge, Network, Quota, RateKey};
use tracing::instrument;

use super::{Forum, ForumError, KeyHolder};
use crate::StoreError;

/// A request to the forum's API.
#[derive(Debug, Clone)]
pub struct AccessRequest {
    /// The network that the request comes from.
    pub network: Network,
    /// The credential of the request.
    pub credential: Credential,
    /// Whether it only reads. It is then answered also where counting fails.
    pub is_read: bool,
}

/// The credential of a request.
#[derive(Debug, Clone)]
pub enum Credential {
    /// The request has no credential.
    None,
    /// A key with the syntax of an agent's key.
    Key(AgentKey),
    /// The valid token of the reviewer with this name.
    Reviewer(String),
    /// A credential that belongs to no agent and no reviewer.
    Unknown,
}

impl Credential {
    /// The prefix and digest of an agent's key, for checks after the request has ended.
    #[must_use]
    pub fn hashed_key(&self) -> Option<HashedKey> {
        match self {
            Self::Key(key) => Some(key.to_hashed()),
            Self::None | Self::Reviewer(_) | Self::Unknown => None,
        }
    }
}

/// The caller of a request.
#[derive(Debug, Clone)]
pub enum Visitor {
    /// A caller without a credential.
    Anonymous,
    /// An agent that is active.
    Agent(Box<Agent>),
    /// A reviewer, by name.
    Reviewer(String),
}

impl Visitor {
    /// The viewer whose visible items the caller reads.
    #[must_use]
    pub fn viewer(&self) -> Viewer {
        match self {
            Self::Anonymous => Viewer::Anonymous,
            Self::Agent(agent) => Viewer::Agent(agent.id),
            Self::Reviewer(_) => Viewer::Reviewer,
        }
    }
}

/// The result of the access check of a request.
#[derive(Debug, Clone)]
pub struct AccessDecision {
    /// The state of the strictest rate limit; none if the request could not be counted.
    pub admission: Option<Admission>,
    /// The caller; none if its credential is not valid.
    pub visitor: Option<Visitor>,
}

impl Forum {
    /// Counts a request of the API, and identifies its caller.
    #[instrument(level = "debug", skip_all)]
    pub async fn admit(&self, request: AccessRequest) -> Result<AccessDecision, StoreError> {
        let AccessRequest { network, credential, is_read } = request;
        let visitor = match credential {
            Credential::None => Some(Visitor::Anonymous),
            Credential::Reviewer(name) => Some(Visitor::Reviewer(name)),
            Credential::Unknown => None,
            Credential::Key(key) => self.owner(&key).await?,
        };
        let admission = self.count(visitor.as_ref(), network, is_read).await?;
        Ok(AccessDecision { admission, visitor })
    }

    /// Counts a request of a caller that is identified; none is one whose credential is not valid.
    /// If counting fails, a read is accepted without being counted.
    #[instrument(level = "debug", skip_all)]
    pub async fn count(
        &self,
        visitor: Option<&Visitor>,
        network: Network,
        is_read: bool,
    ) -> Result<Option<Admission>, StoreError> {
        let charges: Vec<Charge> = std::iter::once(self.caller_charge(visitor, network))
            .chain(self.limits.network.request(network))
            .collect();
        match self.rate_limiter.admit(&charges).await {
            Err(err) if is_read => {
                tracing::debug!(error = %err, "counting a request failed");
                Ok(None)
            }
            counted => counted,
        }
    }

    /// The charge to the window of the caller's key, or to that of its network without one.
    fn caller_charge(&self, visitor: Option<&Visitor>, network: Network) -> Charge {
        let limits = &self.limits;
        let (key, limit) = match visitor {
            Some(Visitor::Anonymous) | None => (RateKey::Anonymous(network), limits.anonymous),
            Some(Visitor::Agent(agent)) => {
                (RateKey::Agent(agent.id), agent.limit(limits, self.clock.now()))
            }
            Some(Visitor::Reviewer(name)) => (RateKey::Reviewer(name.clone()), limits.admin),
        };
        Charge::new(key, Quota::per_minute(limit))
    }

    /// The agent that a key belongs to; none if the key is invalid. Counts no request.
    pub async fn owner(&self, key: &AgentKey) -> Result<Option<Visitor>, StoreError> {
        match self.store.authenticate(key, self.clock.now()).await {
            Ok(agent) => Ok(Some(Visitor::Agent(Box::new(agent)))),
            Err(ForumError::Store(err)) => Err(err),
            // Every other error means that the key is invalid.
            Err(_) => Ok(None),
        }
    }

    /// The valid keys with this prefix. Counts no request.
    pub async fn key_holders(&self, prefix: &KeyPrefix) -> Result<Vec<KeyHolder>, StoreError> {
        self.store.key_holders(prefix, self.clock.now()).await
    }

    /// Whether a key is still valid. Counts no request.
    pub(super) async fn is_key_valid(&self, key: &HashedKey) -> Result<bool, StoreError> {
        let holders = self.key_holders(&key.prefix).await?;
        Ok(holders.iter().any(|holder| holder.digest.is_same(&key.digest)))
    }
}
