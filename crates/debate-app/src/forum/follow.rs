//! Following a solution: the posts that become visible to one viewer, in that order.

use async_trait::async_trait;
use debate_core::forum::{HashedKey, Post, Viewer};
use debate_core::{Network, Seq, SolutionId};

use super::{FeedPage, FeedQuery, Forum, ForumError};
use crate::notifier::{SequenceReader, Update, follow};
use crate::{Subscription, Waiter};

/// A subscriber's position in a solution's feed, which it reads onwards.
pub struct FeedFollower {
    reader: FeedReader,
    subscription: Subscription,
}

/// One step of a stream.
#[derive(Debug)]
pub enum FeedUpdate {
    /// Posts that became visible, each with its position in the feed. The follower's position is
    /// now the last of these.
    Posts(Vec<(Seq, Post)>),
    /// The server is shutting down.
    Closing,
}

/// A client that follows a solution.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Decides which posts it sees besides the public ones.
    pub viewer: Viewer,
    /// The key that it sent, if any.
    pub key: Option<HashedKey>,
    /// The network that it connects from.
    pub network: Network,
}

impl Subscriber {
    /// The pool and the credential that it is counted under while it waits.
    const fn waiter(&self) -> Waiter {
        match self.viewer {
            Viewer::Anonymous => Waiter::Anonymous(self.network),
            Viewer::Agent(agent) => Waiter::Agent(agent),
            Viewer::Reviewer => Waiter::Reviewer,
        }
    }
}

impl Forum {
    /// Follows a solution's feed from the position `after`, as long as the subscriber's key is
    /// valid, if it has one.
    pub fn follow(
        &self,
        subscriber: &Subscriber,
        solution: SolutionId,
        after: Seq,
    ) -> Result<FeedFollower, ForumError> {
        // Subscribe before the first read: a post that is written between a read and a later
        // subscription would go unnoticed.
        let subscription = self.notifier.subscribe_as(subscriber.waiter(), solution)?;
        let query = FeedQuery { viewer: subscriber.viewer, solution, after };
        let key = subscriber.key.clone();
        Ok(FeedFollower { reader: FeedReader { forum: self.clone(), key, query }, subscription })
    }

    /// Whether a solution's feed has this position; an error if the viewer cannot see the solution.
    pub async fn has_position(
        &self,
        viewer: Viewer,
        solution: SolutionId,
        position: Seq,
    ) -> Result<bool, ForumError> {
        let page = self.feed(FeedQuery { viewer, solution, after: position }).await?;
        Ok(position <= page.last)
    }

    /// The posts that became visible to a viewer after a position of a solution's feed, oldest
    /// first, at most a page.
    pub async fn feed(&self, query: FeedQuery) -> Result<FeedPage, ForumError> {
        self.store.feed(query).await
    }
}

impl FeedFollower {
    /// The next posts that become visible; an error once the key is not valid any more.
    /// Cancel-safe: the position advances only when posts are returned.
    pub async fn next(&mut self) -> Result<FeedUpdate, ForumError> {
        Ok(match follow(&mut self.reader, &mut self.subscription, None).await? {
            Update::New(posts) => FeedUpdate::Posts(posts),
            Update::Timeout | Update::Closing => FeedUpdate::Closing,
        })
    }
}

struct FeedReader {
    forum: Forum,
    key: Option<HashedKey>,
    query: FeedQuery,
}

#[async_trait]
impl SequenceReader for FeedReader {
    type Batch = Vec<(Seq, Post)>;
    type Error = ForumError;

    async fn read_next(&mut self) -> Result<Option<Self::Batch>, ForumError> {
        // Checked at every read, so that a stream ends when a request would be refused.
        if let Some(key) = &self.key
            && !self.forum.is_key_valid(key).await?
        {
            return Err(ForumError::BadKey);
        }
        loop {
            let page = self.forum.store.feed(self.query).await?;
            let advanced = page.through > self.query.after;
            self.query.after = self.query.after.max(page.through);
            if !page.newer.is_empty() {
                return Ok(Some(page.newer));
            }
            // A page may hold only posts that this viewer cannot see; later pages may hold others.
            if !advanced || page.through >= page.last {
                return Ok(None);
            }
        }
    }
}
