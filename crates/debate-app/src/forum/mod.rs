//! The forum's use cases, and the port they stand on.

mod admission;
mod agents;
mod archive;
mod error;
mod evaluation;
mod port;
mod posts;
mod review;
mod subscribe;
mod things;
mod values;

pub mod guardrail;

use std::sync::Arc;

use debate_core::forum::ForumLimits;

use crate::{Clock, Hub, Limiter};

pub use admission::{AccessDecision, AccessRequest, Credential, Visitor};
pub use agents::{Registration, Rekeyed};
pub use archive::{
    ForumAccount, ForumArchiveError, ForumDestination, ForumProgress, ForumRow, ForumSource, Table,
    account, copy,
};
pub use error::ForumError;
pub use evaluation::{
    Claimed, End, Evaluation, Examined, FlaggedPage, FlaggedQuery, Found, Layers, Renew, Review,
    Settle, Settlement, Take, Task,
};
pub use port::ForumStore;
pub use review::FlaggedFilter;
pub use subscribe::{Heard, Subscriber, Subscription};
pub use values::{
    AgentPatch, FeedQuery, Holder, LimitChange, NewKey, News, OldKey, Opinion, Page, PostPage,
    Posted, Rotated, Spend, Vote,
};

/// The forum: everything a client may ask of it is a method.
#[derive(Clone)]
pub struct Forum {
    store: Arc<dyn ForumStore>,
    hub: Arc<Hub>,
    clock: Arc<dyn Clock>,
    limiter: Limiter,
    limits: ForumLimits,
}

impl Forum {
    /// A forum over `store`, whose writes ring `hub`, and whose requests `limiter` counts.
    #[must_use]
    pub fn new(
        store: Arc<dyn ForumStore>,
        hub: Arc<Hub>,
        clock: Arc<dyn Clock>,
        limiter: Limiter,
        limits: ForumLimits,
    ) -> Self {
        Self { store, hub, clock, limiter, limits }
    }

    /// What time it is, for answers that depend on it.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}
