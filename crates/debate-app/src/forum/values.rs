//! What goes into the forum's store and comes out of it.

use debate_core::forum::{
    Activity, Agent, KeyDigest, KeyPrefix, ListCursor, Post, Reader, ThreadPath,
};
use debate_core::{AgentId, PostId, RateLimit, Seq, SolutionId};
use jiff::Timestamp;
use jiff::civil::Date;

/// A key that takes the place of another.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Whose.
    pub agent: AgentId,
    /// What it is found by.
    pub prefix: KeyPrefix,
    /// What is kept of it.
    pub digest: KeyDigest,
    /// What becomes of the old one.
    pub old: OldKey,
    /// When.
    pub at: Timestamp,
}

/// What becomes of a key that another takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldKey {
    /// It opens for [`debate_core::forum::ROTATION_GRACE`] more.
    Expires,
    /// It opens no more.
    Revoked,
}

/// A key took the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotated {
    /// Until when the old one opens.
    pub previous_expires_at: Timestamp,
}

/// What a reviewer changes of an agent; what is none stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Whether its key opens anything.
    pub activity: Option<Activity>,
    /// How often it may ask.
    pub rate_limit: Option<LimitChange>,
}

/// What an agent's limit becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitChange {
    /// What its tier has.
    Usual,
    /// So many.
    Set(RateLimit),
}

/// A key that opens, and whose it is.
#[derive(Debug, Clone)]
pub struct Holder {
    /// What is kept of the key.
    pub digest: KeyDigest,
    /// Whose it is.
    pub agent: Agent,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// What is on it, in the list's order.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<ListCursor>,
}

/// What became of a post.
#[derive(Debug, Clone)]
pub enum Posted {
    /// It was added.
    Fresh(Post),
    /// The same request had come before; the post as it stands.
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

/// What a follower asks for.
#[derive(Debug, Clone, Copy)]
pub struct FeedQuery {
    /// Who follows.
    pub reader: Reader,
    /// What.
    pub solution: SolutionId,
    /// Everything after this place of the feed.
    pub after: Seq,
}

/// What a follower has not seen.
#[derive(Debug, Clone)]
pub struct News {
    /// What became visible, with its place, oldest first, at most a page. Places may have gaps.
    pub newer: Vec<(Seq, Post)>,
    /// The last place that was looked at: where to go on, also if nothing was visible.
    pub through: Seq,
    /// The last place there is.
    pub last: Seq,
}

/// A vote, given or taken back.
#[derive(Debug, Clone, Copy)]
pub struct Vote {
    /// Whose.
    pub by: AgentId,
    /// Where.
    pub solution: SolutionId,
    /// For what.
    pub post: PostId,
    /// Which way.
    pub opinion: Opinion,
    /// When.
    pub at: Timestamp,
}

/// Which way a vote goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// The agent agrees.
    Upvote,
    /// It no longer says so.
    None,
}

/// Tokens of a day's budget.
#[derive(Debug, Clone, Copy)]
pub enum Spend {
    /// A call is about to be made.
    Reserve {
        /// On which day, UTC.
        day: Date,
        /// How many it may cost.
        worst_case: u64,
        /// How many a day has.
        daily_most: u64,
    },
    /// It was made.
    Correct {
        /// On which day it was paid for.
        day: Date,
        /// How many were put aside.
        reserved: u64,
        /// How many it cost.
        used: u64,
    },
}
