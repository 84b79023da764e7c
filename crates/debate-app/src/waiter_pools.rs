//! Limits on the number of waiting clients, per pool and per credential.
//!
//! Each context has pools of its own: readers of the forum, who need no credential, cannot use up
//! the capacity of clients that hold the server's token.

use std::collections::HashMap;

use debate_core::{AgentId, Network};

use crate::TooManyWaiters;

/// Each of the forum's two pools holds one part in `FORUM_SHARE` of the arena's pool.
const FORUM_SHARE: usize = 4;

/// One credential may hold one part in `CREDENTIAL_SHARE` of a pool of the forum, but
/// at least `CREDENTIAL_MIN` waiters.
const CREDENTIAL_SHARE: usize = 64;
const CREDENTIAL_MIN: usize = 8;

/// A client that waits, by its context and its credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waiter {
    /// A client of the arena. All of them hold the same credential, the server's token.
    Arena,
    /// A client of the runner, which holds the same token.
    Runner,
    /// An agent of the forum, identified by its key.
    Agent(AgentId),
    /// A reviewer of the forum.
    Reviewer,
    /// A client of the forum without a key, identified by its network.
    Anonymous(Network),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pool {
    Arena,
    Runner,
    ForumKeys,
    ForumAnonymous,
}

impl Waiter {
    const fn pool(self) -> Pool {
        match self {
            Self::Arena => Pool::Arena,
            Self::Runner => Pool::Runner,
            Self::Agent(_) | Self::Reviewer => Pool::ForumKeys,
            Self::Anonymous(_) => Pool::ForumAnonymous,
        }
    }
}

/// The number of clients that may wait at the same time.
#[derive(Debug, Clone, Copy)]
pub struct WaiterLimits {
    /// The maximum in the arena, and also in the runner. In the forum a quarter of it applies to
    /// agents and reviewers together, and a quarter to clients without a key.
    pub waiters_max: usize,
    /// The maximum per item (debate, run or solution) and pool.
    pub waiters_per_debate_max: usize,
}

impl WaiterLimits {
    fn pool_max(self, pool: Pool) -> usize {
        match pool {
            Pool::Arena | Pool::Runner => self.waiters_max,
            Pool::ForumKeys | Pool::ForumAnonymous => (self.waiters_max / FORUM_SHARE).max(1),
        }
    }

    fn credential_max(self, pool: Pool) -> usize {
        let pool_max = self.pool_max(pool);
        match pool {
            // All clients share one credential.
            Pool::Arena | Pool::Runner => pool_max,
            Pool::ForumKeys | Pool::ForumAnonymous => {
                (pool_max / CREDENTIAL_SHARE).max(CREDENTIAL_MIN)
            }
        }
    }
}

/// The number of waiters in each pool.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PoolCounts {
    arena: usize,
    runner: usize,
    forum_keys: usize,
    forum_anonymous: usize,
}

impl PoolCounts {
    const fn get_mut(&mut self, pool: Pool) -> &mut usize {
        match pool {
            Pool::Arena => &mut self.arena,
            Pool::Runner => &mut self.runner,
            Pool::ForumKeys => &mut self.forum_keys,
            Pool::ForumAnonymous => &mut self.forum_anonymous,
        }
    }

    const fn get(mut self, pool: Pool) -> usize {
        *self.get_mut(pool)
    }

    pub(crate) const fn total(self) -> usize {
        self.arena + self.runner + self.forum_keys + self.forum_anonymous
    }

    pub(crate) const fn add(&mut self, waiter: Waiter) {
        *self.get_mut(waiter.pool()) += 1;
    }

    pub(crate) const fn remove(&mut self, waiter: Waiter) {
        *self.get_mut(waiter.pool()) -= 1;
    }
}

/// All waiters, by pool and by credential.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    counts: PoolCounts,
    /// Waiters of the forum only: in the other contexts all share one credential.
    by_credential: HashMap<Waiter, usize>,
}

impl Pools {
    pub(crate) const fn total(&self) -> usize {
        self.counts.total()
    }

    /// Checks that a pool has room for `waiter`; `same_subject` counts those who wait
    /// for the same subject.
    pub(crate) fn check(
        &self,
        limits: WaiterLimits,
        waiter: Waiter,
        same_subject: PoolCounts,
    ) -> Result<(), TooManyWaiters> {
        let pool = waiter.pool();
        let same_credential = self.by_credential.get(&waiter).copied().unwrap_or_default();
        let is_full = self.counts.get(pool) >= limits.pool_max(pool)
            || same_credential >= limits.credential_max(pool)
            || same_subject.get(pool) >= limits.waiters_per_debate_max;
        if is_full { Err(TooManyWaiters) } else { Ok(()) }
    }

    pub(crate) fn add(&mut self, waiter: Waiter) {
        self.counts.add(waiter);
        if has_credential_limit(waiter) {
            *self.by_credential.entry(waiter).or_default() += 1;
        }
    }

    pub(crate) fn remove(&mut self, waiter: Waiter) {
        self.counts.remove(waiter);
        if let Some(count) = self.by_credential.get_mut(&waiter) {
            *count -= 1;
            if *count == 0 {
                self.by_credential.remove(&waiter);
            }
        }
    }
}

const fn has_credential_limit(waiter: Waiter) -> bool {
    match waiter {
        Waiter::Arena | Waiter::Runner => false,
        Waiter::Agent(_) | Waiter::Reviewer | Waiter::Anonymous(_) => true,
    }
}
