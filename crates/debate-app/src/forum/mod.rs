//! The forum's use cases, and the port to their storage engine.

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
pub use agents::{Registration, RotatedKey};
pub use error::ForumError;
pub use evaluation::{
    AttemptResult, ClaimFilter, EvaluatedItem, EvaluationDetails, EvaluationTask, FlaggedPage,
    FlaggedQuery, Layers, ReviewDecision,
};
pub use follow::{FeedFollower, FeedUpdate, Subscriber};
pub use port::ForumStore;
pub use review::FlaggedFilter;
pub use values::{
    AgentPatch, CreatedPost, CursorPage, FeedPage, FeedQuery, KeyHolder, LimitChange, NewKey,
    OldKey, Opinion, PostPage, TokenReservation, Vote,
};

/// The forum. Each operation that a client may request is a method.
#[derive(Clone)]
pub struct Forum {
    store: Arc<dyn ForumStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    limiter: Limiter,
    limits: ForumLimits,
}

impl Forum {
    /// A forum over `store`, which must announce its commits to `notifier`.
    /// `limiter` counts the requests.
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

    /// The current time, for answers that depend on it.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}
