//! Following a debate's sequence.

use async_trait::async_trait;
use debate_core::arena::{Argument, Debate};
use debate_core::{DebateId, Seq};
use jiff::Timestamp;
use tokio::time::Instant;

use super::{Arena, ArenaError, News, Since, Take};
use crate::Bell;
use crate::follow::{Outcome, Position, follow};
use crate::sabotage::{self, Sabotage};

/// One reader of a debate's sequence.
pub struct Subscription {
    arena: Arena,
    debate: DebateId,
    position: Since,
    /// When the debate was opened, once that is known: another debate may come to have its id.
    opened_at: Option<Timestamp>,
    bell: Bell,
}

/// What a look at the store, or the wait for one, came to.
#[derive(Debug)]
pub enum Heard {
    /// Something came; the subscription has moved past it.
    News(News),
    /// Nothing came after this place in the time there was.
    Nothing(Seq),
    /// The server is closing down; nothing came after this place.
    Closing(Seq),
}

/// A place in a debate's sequence, and what lies around it.
#[derive(Debug, Clone)]
pub struct Place {
    /// The debate as it stands.
    pub debate: Debate,
    /// The place.
    pub at: Seq,
    /// The last place there is.
    pub last: Seq,
}

impl Arena {
    /// Follows `debate` from `since` on.
    pub fn subscribe(&self, debate: DebateId, since: Since) -> Result<Subscription, ArenaError> {
        // Listen first: an argument written between a read and a later listen would go unheard.
        let bell = self.hub.listen(debate)?;
        let position = sabotaged(since);
        Ok(Subscription { arena: self.clone(), debate, position, opened_at: None, bell })
    }

    /// Where a position is; none if the debate has no such place.
    pub async fn locate(
        &self,
        debate: DebateId,
        since: Since,
    ) -> Result<Option<Place>, ArenaError> {
        match self.store.newer_than(debate, since, Take::Newest(0)).await {
            Ok(news) if news.seen <= news.last => {
                Ok(Some(Place { debate: news.debate, at: news.seen, last: news.last }))
            }
            Ok(_) | Err(ArenaError::UnknownPosition { .. }) => Ok(None),
            Err(err) => Err(err),
        }
    }
}

/// The position itself, but in a server that is meant to be caught.
fn sabotaged(since: Since) -> Since {
    match since {
        Since::Seq(seq) if sabotage::is(Sabotage::DropOnReconnect) => Since::Seq(seq.next()),
        Since::Seq(seq) if sabotage::is(Sabotage::DoubleOnReconnect) => {
            Since::Seq(Seq::new(seq.number().saturating_sub(1)))
        }
        Since::Start | Since::Argument(_) | Since::Seq(_) => since,
    }
}

impl Subscription {
    /// The next page of what came after the position, as soon as there is any. May be given up
    /// half-way: the position moves only when the page is handed over.
    pub async fn next(&mut self) -> Result<Heard, ArenaError> {
        self.hear(Take::Page, None).await
    }

    /// What came after the position, as soon as there is any, or nothing at `deadline`.
    pub async fn newest(&mut self, most: u32, deadline: Instant) -> Result<Heard, ArenaError> {
        self.hear(Take::Newest(most), Some(deadline)).await
    }

    async fn hear(&mut self, take: Take, until: Option<Instant>) -> Result<Heard, ArenaError> {
        let Self { arena, debate, position, opened_at, bell } = self;
        let mut place =
            Reader { arena, debate: *debate, position, opened_at, take, seen: Seq::START };
        Ok(match follow(&mut place, bell, until).await? {
            Outcome::News(news) => Heard::News(news),
            Outcome::Nothing => Heard::Nothing(place.seen),
            Outcome::Closing => Heard::Closing(place.seen),
        })
    }
}

/// A subscription while it looks.
struct Reader<'s> {
    arena: &'s Arena,
    debate: DebateId,
    position: &'s mut Since,
    opened_at: &'s mut Option<Timestamp>,
    take: Take,
    /// Where the position is.
    seen: Seq,
}

#[async_trait]
impl Position for Reader<'_> {
    type News = News;
    type Error = ArenaError;

    async fn look(&mut self) -> Result<Option<News>, ArenaError> {
        let store = &self.arena.store;
        let news = store.newer_than(self.debate, *self.position, self.take).await?;
        let opened_at = *self.opened_at.get_or_insert(news.debate.created_at);
        if opened_at != news.debate.created_at {
            return Err(ArenaError::NoSuchDebate(self.debate));
        }
        self.seen = news.seen;
        *self.position = Since::Seq(news.newer.last().map_or(news.seen, |newest| newest.seq));
        Ok((!news.newer.is_empty()).then_some(news))
    }
}

impl News {
    /// Each argument with the debate as it stood right after it.
    pub fn events(self) -> impl Iterator<Item = (Debate, Argument)> {
        let debate = self.debate;
        self.newer.into_iter().map(move |argument| {
            let after = Debate {
                state: argument.state_after,
                updated_at: argument.created_at,
                ..debate.clone()
            };
            (after, argument)
        })
    }

    /// Whether the debate is closed and this is the last of it.
    #[must_use]
    pub fn is_the_end(&self) -> bool {
        let newest = self.newer.last().map_or(self.seen, |argument| argument.seq);
        newest >= self.last && self.debate.state == debate_core::arena::State::Closed
    }
}
