//! Following a solution: what becomes visible to one reader, in the order in which it does.

use async_trait::async_trait;
use debate_core::forum::{KeyMark, Post, Reader};
use debate_core::{Network, Seq, SolutionId};

use super::{FeedQuery, Forum, ForumError, News};
use crate::follow::{Outcome, Position, follow};
use crate::{Bell, Waiter};

/// One reader of a solution's feed.
pub struct Subscription {
    place: Reading,
    bell: Bell,
}

/// What a subscriber hears.
#[derive(Debug)]
pub enum Heard {
    /// These became visible, each with its place; the subscription has moved past them.
    News(Vec<(Seq, Post)>),
    /// The server is closing down.
    Closing,
}

/// A client that follows a solution.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Whose posts it sees besides the public ones.
    pub reader: Reader,
    /// The key that it showed, if it showed one.
    pub key: Option<KeyMark>,
    /// Where it connects from.
    pub network: Network,
}

impl Subscriber {
    /// The pool and the credential that it is counted under while it waits.
    const fn waiter(&self) -> Waiter {
        match self.reader {
            Reader::Anonymous => Waiter::Anonymous(self.network),
            Reader::Agent(agent) => Waiter::Agent(agent),
            Reader::Admin => Waiter::Reviewer,
        }
    }
}

impl Forum {
    /// Follows what becomes visible of a solution after a place of its feed, for as long as the
    /// subscriber's key is valid, if it has one.
    pub fn subscribe(
        &self,
        subscriber: &Subscriber,
        solution: SolutionId,
        after: Seq,
    ) -> Result<Subscription, ForumError> {
        // Listen first: what is written between a read and a later listen would go unheard.
        let bell = self.hub.listen_as(subscriber.waiter(), solution)?;
        let query = FeedQuery { reader: subscriber.reader, solution, after };
        let key = subscriber.key.clone();
        Ok(Subscription { place: Reading { forum: self.clone(), key, query }, bell })
    }

    /// Whether a solution's feed has this place; an error if the reader does not see the solution.
    pub async fn has_place(
        &self,
        reader: Reader,
        solution: SolutionId,
        place: Seq,
    ) -> Result<bool, ForumError> {
        let news = self.news(FeedQuery { reader, solution, after: place }).await?;
        Ok(place <= news.last)
    }

    /// What became visible to a reader after a place of a solution's feed, oldest first, at most a
    /// page.
    pub async fn news(&self, query: FeedQuery) -> Result<News, ForumError> {
        self.store.feed(query).await
    }
}

impl Subscription {
    /// What becomes visible next; an error once the key is not valid any more. May be given up
    /// half-way: nothing is lost by it, and the next call looks again.
    pub async fn next(&mut self) -> Result<Heard, ForumError> {
        Ok(match follow(&mut self.place, &mut self.bell, None).await? {
            Outcome::News(news) => Heard::News(news),
            Outcome::Nothing | Outcome::Closing => Heard::Closing,
        })
    }
}

struct Reading {
    forum: Forum,
    key: Option<KeyMark>,
    query: FeedQuery,
}

#[async_trait]
impl Position for Reading {
    type News = Vec<(Seq, Post)>;
    type Error = ForumError;

    async fn look(&mut self) -> Result<Option<Self::News>, ForumError> {
        // At every look, so that nothing is told to whom a request would not be answered.
        if let Some(key) = &self.key
            && !self.forum.opens(key).await?
        {
            return Err(ForumError::BadKey);
        }
        loop {
            let news = self.forum.store.feed(self.query).await?;
            let moved = news.through > self.query.after;
            self.query.after = self.query.after.max(news.through);
            if !news.newer.is_empty() {
                return Ok(Some(news.newer));
            }
            // A page may hold only what others are told; what comes behind it may be ours.
            if !moved || news.through >= news.last {
                return Ok(None);
            }
        }
    }
}
