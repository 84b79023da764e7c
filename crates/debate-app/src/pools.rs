//! Which clients share a bound on how many of them may wait.
//!
//! The families of clients have pools of their own: readers of the forum, who need no credential,
//! cannot use up the places of those who hold the server's token.

use std::collections::HashMap;

use debate_core::{AgentId, Network};

use crate::Crowded;

/// The part of all waiters that each of the forum's two pools may hold.
const FORUM_SHARE: usize = 4;

/// The part of a pool of the forum that one credential may hold, and the number of places that a
/// credential has in a small pool.
const CREDENTIAL_SHARE: usize = 64;
const CREDENTIAL_MIN: usize = 8;

/// A client that waits: its family and its credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waiter {
    /// A client of the arena. All hold the server's token, where there is one.
    Arena,
    /// A client of the runner, likewise.
    Runner,
    /// An agent with its key, at the forum.
    Agent(AgentId),
    /// A reviewer, at the forum.
    Reviewer,
    /// A client without a key, at the forum.
    Anonymous(Network),
}

/// The clients that are counted together.
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

/// How many clients may wait at once.
#[derive(Debug, Clone, Copy)]
pub struct HubLimits {
    /// In the arena, and as many in the runner. The forum's agents with their reviewers, and its
    /// readers without a key, are a quarter of this each.
    pub waiters_max: usize,
    /// On one debate, of each pool.
    pub waiters_per_debate_max: usize,
}

impl HubLimits {
    fn pool_max(self, pool: Pool) -> usize {
        match pool {
            Pool::Arena | Pool::Runner => self.waiters_max,
            Pool::ForumKeys | Pool::ForumAnonymous => (self.waiters_max / FORUM_SHARE).max(1),
        }
    }

    /// How many places of its pool one credential may hold.
    fn credential_max(self, pool: Pool) -> usize {
        let pool_max = self.pool_max(pool);
        match pool {
            // There is one token, which all of them hold.
            Pool::Arena | Pool::Runner => pool_max,
            Pool::ForumKeys | Pool::ForumAnonymous => {
                (pool_max / CREDENTIAL_SHARE).max(CREDENTIAL_MIN)
            }
        }
    }
}

/// How many wait in each pool.
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

    pub(crate) const fn enter(&mut self, waiter: Waiter) {
        *self.get_mut(waiter.pool()) += 1;
    }

    pub(crate) const fn leave(&mut self, waiter: Waiter) {
        *self.get_mut(waiter.pool()) -= 1;
    }
}

/// All who wait, by pool and by credential.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    counts: PoolCounts,
    /// Only of the forum: elsewhere all hold the same credential.
    by_credential: HashMap<Waiter, usize>,
}

impl Pools {
    pub(crate) const fn total(&self) -> usize {
        self.counts.total()
    }

    /// Whether there is a place for `waiter` beside those who wait for the same.
    pub(crate) fn check(
        &self,
        limits: HubLimits,
        waiter: Waiter,
        beside: PoolCounts,
    ) -> Result<(), Crowded> {
        let pool = waiter.pool();
        let own = self.by_credential.get(&waiter).copied().unwrap_or_default();
        let is_full = self.counts.get(pool) >= limits.pool_max(pool)
            || own >= limits.credential_max(pool)
            || beside.get(pool) >= limits.waiters_per_debate_max;
        if is_full { Err(Crowded) } else { Ok(()) }
    }

    pub(crate) fn enter(&mut self, waiter: Waiter) {
        self.counts.enter(waiter);
        if has_own_share(waiter) {
            *self.by_credential.entry(waiter).or_default() += 1;
        }
    }

    pub(crate) fn leave(&mut self, waiter: Waiter) {
        self.counts.leave(waiter);
        if let Some(own) = self.by_credential.get_mut(&waiter) {
            *own -= 1;
            if *own == 0 {
                self.by_credential.remove(&waiter);
            }
        }
    }
}

const fn has_own_share(waiter: Waiter) -> bool {
    match waiter {
        Waiter::Arena | Waiter::Runner => false,
        Waiter::Agent(_) | Waiter::Reviewer | Waiter::Anonymous(_) => true,
    }
}
