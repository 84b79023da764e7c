//! Rate limits: a sliding window for each key, and one decision for a request that counts in
//! several of them. A window has a bounded size and is exact where its limit is small.
//!
//! A window holds buckets: a time and the number of requests at that time. Up to a limit of
//! [`EXACT_MAX`] requests each distinct time has its own bucket, so counts and waits are exact.
//! Above it, requests within a [`SLOTS`]th of the window share a bucket, which has the time of its
//! newest request. A bucket therefore never expires early: no period of a window's length accepts
//! more than the limit, and a request is refused at most that fraction of the window longer than
//! necessary.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{AgentId, OutOfRange};

/// The largest limit whose window keeps the time of each request.
const EXACT_MAX: u32 = 1000;

/// The number of buckets of a window with a larger limit.
const SLOTS: i64 = 1000;

/// The number of requests that a window accepts, from 1 to [`RateLimit::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateLimit(u32);

impl RateLimit {
    /// The largest limit of requests.
    pub const MAX: u32 = 1_000_000;

    /// A limit of `count` requests.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count == 0 || count > Self::MAX {
            return Err(OutOfRange { least: 1, most: Self::MAX });
        }
        Ok(Self(count))
    }

    /// The number of requests.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// A limit and the length of the window that it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quota {
    /// The number of requests that the window accepts.
    pub limit: RateLimit,
    /// The time for which an accepted request counts.
    pub window: SignedDuration,
}

impl Quota {
    /// `limit` requests in 60 seconds.
    #[must_use]
    pub const fn per_minute(limit: RateLimit) -> Self {
        Self { limit, window: SignedDuration::from_secs(60) }
    }

    /// `limit` requests in 24 hours.
    #[must_use]
    pub const fn per_day(limit: RateLimit) -> Self {
        Self { limit, window: SignedDuration::from_hours(24) }
    }

    /// The number of the bucket for a request at this time.
    fn slot(self, at: Timestamp) -> i64 {
        let exact = at.as_microsecond();
        if self.limit.count() <= EXACT_MAX {
            return exact;
        }
        let micros = i64::try_from(self.window.as_micros()).unwrap_or(i64::MAX);
        exact.div_euclid((micros / SLOTS).max(1))
    }
}

/// Accepted requests that share a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// The time of the newest of them.
    pub at: Timestamp,
    /// The number of requests.
    pub count: u32,
}

/// The accepted requests of one key that still count, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window(Vec<Bucket>);

/// The decision of one window about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// The window's limit and length.
    pub quota: Quota,
    /// The number of further requests that the window accepts at this time.
    pub remaining: u32,
    /// The time at which the oldest counted request expires; now, if no request counts.
    pub reset: Timestamp,
    /// None if the window accepts the request; otherwise the time until it would.
    pub retry_after: Option<Duration>,
}

impl Admission {
    /// Whether the window refuses the request.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        self.retry_after.is_some()
    }

    /// The wait in whole seconds, rounded up, as `Retry-After` has it.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        let wait = self.retry_after?;
        Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}

impl Window {
    /// A window with these buckets, in any order.
    #[must_use]
    pub fn new(mut runs: Vec<Bucket>) -> Self {
        runs.sort_unstable_by_key(|run| run.at);
        Self(runs)
    }

    /// The buckets, oldest first.
    #[must_use]
    pub fn buckets(&self) -> &[Bucket] {
        &self.0
    }

    /// Whether the window holds no request.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops requests that no longer count. A request counts until exactly one window later. A
    /// request of the future counts as well, so that a clock that is set back refills nothing;
    /// but one that is more than a window ahead is dropped, since it would lock its caller out
    /// until the clock has caught up.
    fn expire(&mut self, quota: Quota, now: Timestamp) {
        self.0.retain(|run| {
            let age = now.duration_since(run.at);
            age < quota.window && age >= -quota.window
        });
    }

    fn used(&self) -> u64 {
        self.0.iter().map(|run| u64::from(run.count)).sum()
    }

    fn has_room(&self, quota: Quota) -> bool {
        self.used() < u64::from(quota.limit.count())
    }

    /// Counts a request. Buckets stay in order also if the clock was set back.
    fn count(&mut self, quota: Quota, now: Timestamp) {
        let next = self.0.partition_point(|run| run.at <= now);
        let slot = quota.slot(now);
        let shares = |run: &&mut Bucket| quota.slot(run.at) == slot;
        let earlier = next.checked_sub(1).and_then(|at| self.0.get_mut(at)).filter(shares);
        if let Some(run) = earlier {
            *run = Bucket { at: now, count: run.count.saturating_add(1) };
        } else if let Some(run) = self.0.get_mut(next).filter(shares) {
            run.count = run.count.saturating_add(1);
        } else {
            self.0.insert(next, Bucket { at: now, count: 1 });
        }
    }

    fn admission(&self, quota: Quota, now: Timestamp, has_room: bool) -> Admission {
        let limit = u64::from(quota.limit.count());
        let used = self.used();
        let end = |run: &Bucket| run.at.saturating_add(quota.window).unwrap_or(run.at);
        let retry_after = (!has_room).then(|| {
            // If the limit was lowered, more than one request must expire first.
            let mut excess = used.saturating_sub(limit).saturating_add(1);
            let last_to_leave = self.0.iter().find(|run| {
                let is_last = u64::from(run.count) >= excess;
                excess = excess.saturating_sub(run.count.into());
                is_last
            });
            let wait = last_to_leave.map(|run| end(run).duration_since(now));
            wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
        });
        Admission {
            quota,
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(u32::MAX),
            reset: self.0.first().map_or(now, end),
            retry_after,
        }
    }
}

/// The decision of several windows about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Which of the windows decides: the one that refuses for longest, or else the one that
    /// accepts the fewest further requests. The first of several that are alike.
    pub decisive: usize,
    /// The decision of that window.
    pub admission: Admission,
}

/// Counts a request at `now` in each of the windows if all have room, and in none otherwise. None
/// if there are no windows.
pub fn admit(windows: &mut [(Quota, Window)], now: Timestamp) -> Option<RateDecision> {
    for (quota, window) in windows.iter_mut() {
        window.expire(*quota, now);
    }
    let rooms: Vec<bool> = windows.iter().map(|(quota, window)| window.has_room(*quota)).collect();
    if rooms.iter().all(|has_room| *has_room) {
        for (quota, window) in windows.iter_mut() {
            window.count(*quota, now);
        }
    }
    let admissions = windows.iter().zip(rooms);
    let admissions =
        admissions.map(|((quota, window), has_room)| window.admission(*quota, now, has_room));
    let decisions =
        admissions.enumerate().map(|(decisive, admission)| RateDecision { decisive, admission });
    decisions.reduce(|first, other| if is_stricter(&other, &first) { other } else { first })
}

fn is_stricter(one: &RateDecision, other: &RateDecision) -> bool {
    let (one, other) = (&one.admission, &other.admission);
    match (one.retry_after, other.retry_after) {
        (Some(one), Some(other)) => one > other,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => one.remaining < other.remaining,
    }
}

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

/// The network of a client: one IPv4 address, or the 64 leading bits of an IPv6 address, which a
/// customer of an Internet provider usually has. All loopback addresses are one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address. An IPv4 address written as IPv6 is the IPv4 address.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            loopback if loopback.is_loopback() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V4(v4) => v4.into(),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        })
    }

    /// Whether the client runs on the server's machine.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }
}

/// The IPv4 address, or the IPv6 network with its length, `2001:db8:1:2::/64`.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(v4) => v4.fmt(f),
            IpAddr::V6(v6) => write!(f, "{v6}/64"),
        }
    }
}
