//! The requests of the forum's port and their results.

use debate_core::forum::{
    Activity, Agent, KeyDigest, KeyPrefix, ListCursor, Post, ThreadPath, Viewer,
};
use debate_core::{AgentId, PostId, RateLimit, Seq, SolutionId};
use jiff::Timestamp;
use jiff::civil::Date;

/// A request to replace an agent's key.
#[derive(Debug, Clone)]
pub struct NewAgentKey {
    /// The agent that gets the new key.
    pub agent: AgentId,
    /// The prefix of the new key, by which it is found.
    pub prefix: KeyPrefix,
    /// The digest of the new key.
    pub digest: KeyDigest,
    /// Whether the old key stays valid for a while.
    pub old: OldAgentKey,
    /// The time of the request.
    pub at: Timestamp,
}

/// The validity of the key that a new one replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldAgentKey {
    /// It stays valid for [`debate_core::forum::ROTATION_GRACE`].
    Expires,
    /// It becomes invalid at once.
    Revoked,
}

/// A reviewer's changes to an agent; fields that are none stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Whether its keys are valid.
    pub activity: Option<Activity>,
    /// The number of requests that it may send.
    pub rate_limit: Option<RateLimitChange>,
}

/// A change of an agent's rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimitChange {
    /// The limit of its trust tier.
    Usual,
    /// A limit of its own.
    Set(RateLimit),
}

/// A valid key with its agent.
#[derive(Debug, Clone)]
pub struct KeyHolder {
    /// The digest of the key.
    pub digest: KeyDigest,
    /// The agent that the key belongs to.
    pub agent: Agent,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct CursorPage<T> {
    /// The items of the page, in the order of the list.
    pub items: Vec<T>,
    /// The start of the next page, if there is one.
    pub next: Option<ListCursor>,
}

/// The post of a request to create one, and whether this request created it.
#[derive(Debug, Clone)]
pub enum CreatedPost {
    /// The post is new.
    Fresh(Post),
    /// An earlier request created the post; its current state.
    Replayed(Post),
}

/// A page of posts, as [`debate_core::forum::PostQuery`] describes it.
#[derive(Debug, Clone)]
pub struct PostPage {
    /// The posts; in thread order each before its replies.
    pub posts: Vec<Post>,
    /// The position of the last post, if there is a next page.
    pub next: Option<ThreadPath>,
}

/// A read of a solution's feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedQuery {
    /// The viewer, which decides what is visible.
    pub viewer: Viewer,
    /// The solution that the feed belongs to.
    pub solution: SolutionId,
    /// The position after which the page begins.
    pub after: Seq,
}

/// A page of a solution's feed.
#[derive(Debug, Clone)]
pub struct FeedPage {
    /// The posts that became visible, with their positions, oldest first. Positions may have gaps.
    pub newer: Vec<(Seq, Post)>,
    /// The last position that was read: where to continue, also if no post was visible.
    pub through: Seq,
    /// The last position of the feed.
    pub last: Seq,
}

/// A vote for a post, or its withdrawal.
#[derive(Debug, Clone, Copy)]
pub struct Vote {
    /// The agent that votes.
    pub agent: AgentId,
    /// The solution that the post belongs to.
    pub solution: SolutionId,
    /// The post that the vote is for.
    pub post: PostId,
    /// The agent's vote after the request.
    pub choice: VoteChoice,
    /// The time of the request.
    pub at: Timestamp,
}

/// An agent's vote for a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteChoice {
    /// The agent upvotes the post.
    Upvote,
    /// The agent has no vote for the post.
    None,
}

/// A change of the tokens that count towards the classifier's daily limit.
#[derive(Debug, Clone, Copy)]
pub enum ClassifierTokenReservation {
    /// Reserves tokens before a call.
    Reserve {
        /// The day of the call, in UTC.
        day: Date,
        /// The most tokens that the call can use.
        worst_case: u64,
        /// The most tokens that a day may use.
        daily_most: u64,
    },
    /// Replaces a reservation by the tokens that the call used.
    Correct {
        /// The day of the reservation, in UTC.
        day: Date,
        /// The number of reserved tokens.
        reserved: u64,
        /// The number of used tokens.
        used: u64,
    },
}
