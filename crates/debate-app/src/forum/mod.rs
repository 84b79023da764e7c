//! The forum's use cases, and the port to their storage engine.
//!
//! Guardrails decide whether an item (a problem, a solution or a post) becomes public. An
//! evaluation is their decision about one item (approved, rejected or flagged), with the attempts
//! that led to it. A review is the decision of a person about an item that the guardrails flagged,
//! or whose author appealed against a rejection. A follower reads the live feed of a solution.

mod access;
mod agents;
mod error;
mod evaluation;
mod follow;
mod port;
mod port_types;
mod posts;
mod review;
mod topics;

pub mod guardrail;

use std::sync::Arc;

use debate_core::forum::ForumLimits;

use crate::{Clock, Notifier, RateLimiter};

pub use access::{AccessDecision, AccessRequest, Credential, Visitor};
pub use agents::{Registration, RotatedAgentKey};
pub use error::ForumError;
pub use evaluation::{
    EvaluatedItem, EvaluationAttemptResult, EvaluationDetails, EvaluationTask, FlaggedPage,
    FlaggedQuery, LayerResults, ReviewClaimFilter, ReviewDecision,
};
pub use follow::{FeedFollower, FeedUpdate, Subscriber};
pub use port::ForumStore;
pub use port_types::{
    AgentPatch, ClassifierTokenReservation, CreatedPost, CursorPage, FeedPage, FeedQuery,
    KeyHolder, NewAgentKey, OldAgentKey, PostPage, RateLimitChange, Vote, VoteChoice,
};
pub use review::FlaggedFilter;

/// The use cases of the forum: each operation that a client may request is a method.
#[derive(Clone)]
pub struct Forum {
    store: Arc<dyn ForumStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    rate_limiter: RateLimiter,
    limits: ForumLimits,
}

impl Forum {
    /// A forum over `store`, which must notify `notifier` after every commit. `rate_limiter` counts
    /// requests and registrations; `limits` says how many of them are allowed.
    #[must_use]
    pub fn new(
        store: Arc<dyn ForumStore>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        rate_limiter: RateLimiter,
        limits: ForumLimits,
    ) -> Self {
        Self { store, notifier, clock, rate_limiter, limits }
    }

    /// The current time, for responses that depend on it.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}
