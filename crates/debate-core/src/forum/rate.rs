//! How often someone may ask: a sliding window, exact to the microsecond.
//!
//! The window holds the times of the requests that were let in, at most as many as the limit, so
//! what a burst is refused costs nothing to remember.

use std::net::IpAddr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{AgentId, OutOfRange};

/// How long a request counts.
pub const WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// How many requests a minute someone may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateLimit(u32);

impl RateLimit {
    /// The most that anyone may be given.
    pub const MOST: u32 = 1000;

    /// So many, if that can be.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count == 0 || count > Self::MOST {
            return Err(OutOfRange { least: 1, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The count itself.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caller {
    /// Whoever calls from there without a key, or with one that is nobody's.
    Peer(Network),
    /// An agent, wherever it calls from.
    Agent(AgentId),
    /// A reviewer.
    Admin(String),
}

/// Where someone calls from, as far as it says who: an IPv4 address, or the 64 bits of an IPv6
/// address that a customer is given whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(v4) => v4.into(),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        })
    }

    /// Its first address.
    #[must_use]
    pub const fn address(self) -> IpAddr {
        self.0
    }
}

/// The name under which a store counts.
impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Peer(network) => write!(f, "peer:{}", network.0),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Admin(name) => write!(f, "admin:{name}"),
        }
    }
}

/// The requests of one caller that still count, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window(Vec<Timestamp>);

/// Whether a request is let in, and what its answer says of the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// How many a minute.
    pub limit: RateLimit,
    /// How many more would be let in at once.
    pub remaining: u32,
    /// When the oldest that counts no longer does; now, if none does.
    pub reset: Timestamp,
    /// None if it is let in; else after how long the next one would be.
    pub retry_after: Option<Duration>,
}

impl Admission {
    /// The wait in whole seconds, as headers have it: never too short.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        let wait = self.retry_after?;
        Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}

impl Window {
    /// One that was kept.
    #[must_use]
    pub fn new(mut admitted: Vec<Timestamp>) -> Self {
        admitted.sort_unstable();
        Self(admitted)
    }

    /// When the requests came that count, to be kept.
    #[must_use]
    pub fn admitted(&self) -> &[Timestamp] {
        &self.0
    }

    /// A request at `now`. A request counts until exactly a window later; one that seems to come
    /// from the future counts as well, so that a clock that is set back refills nothing.
    pub fn admit(&mut self, limit: RateLimit, now: Timestamp) -> Admission {
        self.0.retain(|at| now.duration_since(*at) < WINDOW);
        let most = usize::try_from(limit.count()).unwrap_or(usize::MAX);
        let fits = self.0.len() < most;
        if fits {
            // Kept in order also where the clock was set back.
            let place = self.0.partition_point(|at| *at <= now);
            self.0.insert(place, now);
        }
        let remaining = u32::try_from(most.saturating_sub(self.0.len())).unwrap_or(u32::MAX);
        let leaves = |at: &Timestamp| at.saturating_add(WINDOW).unwrap_or(*at);
        let reset = self.0.first().map_or(now, leaves);
        // Where a limit was lowered meanwhile, more than one has to leave before the next comes in.
        let last_to_leave = self.0.len().checked_sub(most).and_then(|over| self.0.get(over));
        let wait = last_to_leave.map(|at| leaves(at).duration_since(now));
        let retry_after = (!fits).then(|| wait.and_then(|wait| wait.try_into().ok()));
        let retry_after = retry_after.map(|wait: Option<Duration>| wait.unwrap_or_default());
        Admission { limit, remaining, reset, retry_after }
    }
}
