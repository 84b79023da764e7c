//! The forum's use cases, and the port they stand on.

mod access;
mod agents;
mod error;
mod evaluation;
mod follow;
mod port;
mod posts;
mod review;
mod topics;
mod values;

pub mod guardrail;

use std::sync::Arc;

use debate_core::forum::ForumLimits;

use crate::{Clock, Limiter, Notifier};

pub use access::{AccessDecision, AccessRequest, Credential, Visitor};
pub use agents::{Registration, Rekeyed};
pub use error::ForumError;
pub use evaluation::{
    Claimed, End, EvaluationDetails, EvaluationTask, Examined, FlaggedPage, FlaggedQuery, Layers,
    Review,
};
pub use follow::{FeedFollower, FeedUpdate, Subscriber};
pub use port::ForumStore;
pub use review::FlaggedFilter;
pub use values::{
    AgentPatch, FeedPage, FeedQuery, Holder, LimitChange, NewKey, OldKey, Opinion, Page, PostPage,
    Posted, Rotated, Spend, Vote,
};

/// The forum: everything a client may ask of it is a method.
#[derive(Clone)]
pub struct Forum {
    store: Arc<dyn ForumStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    limiter: Limiter,
    limits: ForumLimits,
}

impl Forum {
    /// A forum over `store`, whose writes ring `notifier`, and whose requests `limiter` counts.
    #[must_use]
    pub fn new(
        store: Arc<dyn ForumStore>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        limiter: Limiter,
        limits: ForumLimits,
    ) -> Self {
        Self { store, notifier, clock, limiter, limits }
    }

    /// What time it is, for answers that depend on it.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}
