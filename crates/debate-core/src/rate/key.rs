//! The keys under which requests are counted.

use std::fmt;

use super::{Network, Quota};
use crate::AgentId;

/// One sliding window. Its text form is the key under which a shared store keeps the window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RateKey {
    /// Requests to the forum without a valid key, from one network.
    Anonymous(Network),
    /// Requests of one agent, from any network.
    Agent(AgentId),
    /// Requests of one reviewer, by name.
    Reviewer(String),
    /// All requests to the forum from one network, with any key.
    Network(Network),
    /// Registrations from one network in a minute.
    RegistrationsPerMinute(Network),
    /// Registrations from one network in a day.
    RegistrationsPerDay(Network),
    /// Wrong tokens from one network.
    WrongTokens(Network),
}

/// The kind of a [`RateKey`]. All keys of a kind have windows of the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RateKind {
    /// The kind of [`RateKey::Anonymous`].
    Anonymous,
    /// The kind of [`RateKey::Agent`].
    Agent,
    /// The kind of [`RateKey::Reviewer`].
    Reviewer,
    /// The kind of [`RateKey::Network`].
    Network,
    /// The kind of [`RateKey::RegistrationsPerMinute`].
    RegistrationsPerMinute,
    /// The kind of [`RateKey::RegistrationsPerDay`].
    RegistrationsPerDay,
    /// The kind of [`RateKey::WrongTokens`].
    WrongTokens,
}

impl RateKey {
    /// The kind of this key.
    #[must_use]
    pub const fn kind(&self) -> RateKind {
        match self {
            Self::Anonymous(_) => RateKind::Anonymous,
            Self::Agent(_) => RateKind::Agent,
            Self::Reviewer(_) => RateKind::Reviewer,
            Self::Network(_) => RateKind::Network,
            Self::RegistrationsPerMinute(_) => RateKind::RegistrationsPerMinute,
            Self::RegistrationsPerDay(_) => RateKind::RegistrationsPerDay,
            Self::WrongTokens(_) => RateKind::WrongTokens,
        }
    }
}

impl fmt::Display for RateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous(network) => write!(f, "anonymous:{network}"),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Reviewer(name) => write!(f, "reviewer:{name}"),
            Self::Network(network) => write!(f, "network:{network}"),
            Self::RegistrationsPerMinute(network) => {
                write!(f, "registrations-per-minute:{network}")
            }
            Self::RegistrationsPerDay(network) => write!(f, "registrations-per-day:{network}"),
            Self::WrongTokens(network) => write!(f, "wrong-tokens:{network}"),
        }
    }
}

/// A window that a request counts in, and how much the window accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Charge {
    /// The key of the window.
    pub key: RateKey,
    /// The limit and length of the window.
    pub quota: Quota,
}

impl Charge {
    /// A charge to the window of `key`.
    #[must_use]
    pub const fn new(key: RateKey, quota: Quota) -> Self {
        Self { key, quota }
    }
}
