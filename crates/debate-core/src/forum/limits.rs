//! Rate limits of the forum.

use crate::{Charge, Network, OutOfRange, Quota, RateKey, RateLimit};

/// The largest limit that a reviewer can set for one agent.
const AGENT_LIMIT_MAX: u32 = 1000;

/// A limit that a reviewer sets for one agent: `count` requests a minute.
pub const fn agent_limit(count: u32) -> Result<RateLimit, OutOfRange> {
    if count > AGENT_LIMIT_MAX {
        return Err(OutOfRange { least: 1, most: AGENT_LIMIT_MAX });
    }
    match RateLimit::new(count) {
        Ok(limit) => Ok(limit),
        Err(_) => Err(OutOfRange { least: 1, most: AGENT_LIMIT_MAX }),
    }
}

/// The rate limits of the forum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForumLimits {
    /// Requests a minute without a valid key, from one network.
    pub anonymous: RateLimit,
    /// Requests a minute of a new agent.
    pub agent: RateLimit,
    /// Requests a minute of a verified agent.
    pub verified: RateLimit,
    /// Requests a minute of a reviewer.
    pub admin: RateLimit,
    /// The limits of one network over all keys.
    pub network: NetworkLimits,
}

/// The limits of one network, whatever keys its requests carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkLimits {
    /// Requests a minute from one network.
    pub requests: RateLimit,
    /// Registrations a minute from one network.
    pub registrations_per_minute: RateLimit,
    /// Registrations a day from one network.
    pub registrations_per_day: RateLimit,
    /// Whether these limits apply to the server's own machine.
    pub limits_loopback: bool,
}

impl NetworkLimits {
    const fn per_minute(key: RateKey, limit: RateLimit) -> Charge {
        Charge::new(key, Quota::per_minute(limit))
    }

    fn is_exempt(&self, network: Network) -> bool {
        network.is_loopback() && !self.limits_loopback
    }

    /// The window that every request from `network` counts in; none if the network is exempt.
    #[must_use]
    pub fn request(&self, network: Network) -> Option<Charge> {
        let charge = Self::per_minute(RateKey::Network(network), self.requests);
        (!self.is_exempt(network)).then_some(charge)
    }

    /// The windows that a registration from `network` counts in; none if the network is exempt.
    #[must_use]
    pub fn registration(&self, network: Network) -> Vec<Charge> {
        if self.is_exempt(network) {
            return Vec::new();
        }
        let minute = RateKey::RegistrationsPerMinute(network);
        let day = RateKey::RegistrationsPerDay(network);
        vec![
            Self::per_minute(minute, self.registrations_per_minute),
            Charge::new(day, Quota::per_day(self.registrations_per_day)),
        ]
    }
}
