//! Following a debate's sequence: polls, waits and streams.

use std::time::Duration;

use async_trait::async_trait;
use debate_core::arena::{Argument, Debate, State};
use debate_core::{ArgumentId, DebateId, Seq};
use jiff::Timestamp;
use tokio::time::Instant;
use tracing::instrument;

use super::{Arena, ArenaError, ArgumentSelection, NewArguments};
use crate::Subscription;
use crate::notifier::{SequenceReader, StreamPosition, Update, follow};

/// The most new arguments that the answer to one poll or wait contains.
const NEWEST_MAX: u32 = 500;

/// A subscriber's position in a debate, which it reads onwards.
pub struct DebateFollower {
    arena: Arena,
    debate: DebateId,
    position: StreamPosition<ArgumentId>,
    /// The creation time of the debate, once known. Another time means another debate
    /// with the same id.
    opened_at: Option<Timestamp>,
    subscription: Subscription,
}

/// The result of a poll, a wait or a step of a stream.
#[derive(Debug)]
pub enum DebateUpdate {
    /// New arguments; the follower's position is now the last of them.
    Arguments(NewArguments),
    /// No argument followed this position before the deadline.
    Timeout(Seq),
    /// The server is shutting down, and no argument follows this position.
    Closing(Seq),
}

/// An existing position of a debate's sequence.
#[derive(Debug, Clone)]
pub struct DebatePosition {
    /// The debate in its current state.
    pub debate: Debate,
    /// The position as a sequence number.
    pub at: Seq,
    /// The last position of the debate.
    pub last: Seq,
}

impl Arena {
    /// The arguments after `since` that exist now.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn poll(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
    ) -> Result<DebateUpdate, ArenaError> {
        let selection = ArgumentSelection::Newest(NEWEST_MAX);
        let new = self.store.newer_than(debate, since, selection).await?;
        Ok(if new.newer.is_empty() {
            DebateUpdate::Timeout(new.seen)
        } else {
            DebateUpdate::Arguments(new)
        })
    }

    /// The arguments after `since` as soon as there are any; waits at most `timeout`.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn wait(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
        timeout: Duration,
    ) -> Result<DebateUpdate, ArenaError> {
        let deadline = Instant::now() + timeout;
        let selection = ArgumentSelection::Newest(NEWEST_MAX);
        self.follow(debate, since)?.read(selection, Some(deadline)).await
    }

    /// Follows `debate` from the position `since`.
    pub fn follow(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
    ) -> Result<DebateFollower, ArenaError> {
        // Subscribe before the first read: an argument that is written between a read and a later
        // subscription would go unnoticed.
        let subscription = self.notifier.subscribe(debate)?;
        Ok(DebateFollower {
            arena: self.clone(),
            debate,
            position: since,
            opened_at: None,
            subscription,
        })
    }

    /// Resolves a position; none if the debate has no such position.
    pub async fn locate(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
    ) -> Result<Option<DebatePosition>, ArenaError> {
        match self.store.newer_than(debate, since, ArgumentSelection::Newest(0)).await {
            Ok(new) if new.seen <= new.last => {
                Ok(Some(DebatePosition { debate: new.debate, at: new.seen, last: new.last }))
            }
            Ok(_) | Err(ArenaError::UnknownPosition { .. }) => Ok(None),
            Err(err) => Err(err),
        }
    }
}

impl DebateFollower {
    /// The next page of arguments after the position, as soon as there are any. Cancel-safe: the
    /// position advances only when the page is returned.
    pub async fn next(&mut self) -> Result<DebateUpdate, ArenaError> {
        self.read(ArgumentSelection::Page, None).await
    }

    async fn read(
        &mut self,
        selection: ArgumentSelection,
        deadline: Option<Instant>,
    ) -> Result<DebateUpdate, ArenaError> {
        let Self { arena, debate, position, opened_at, subscription } = self;
        let mut reader = DebateReader {
            arena,
            debate: *debate,
            position,
            opened_at,
            selection,
            seen: Seq::START,
        };
        Ok(match follow(&mut reader, subscription, deadline).await? {
            Update::New(new) => DebateUpdate::Arguments(new),
            Update::Timeout => DebateUpdate::Timeout(reader.seen),
            Update::Closing => DebateUpdate::Closing(reader.seen),
        })
    }
}

/// A follower during one read.
struct DebateReader<'s> {
    arena: &'s Arena,
    debate: DebateId,
    position: &'s mut StreamPosition<ArgumentId>,
    opened_at: &'s mut Option<Timestamp>,
    selection: ArgumentSelection,
    /// The sequence number of the position.
    seen: Seq,
}

#[async_trait]
impl SequenceReader for DebateReader<'_> {
    type Batch = NewArguments;
    type Error = ArenaError;

    async fn read_next(&mut self) -> Result<Option<NewArguments>, ArenaError> {
        let store = &self.arena.store;
        let new = store.newer_than(self.debate, *self.position, self.selection).await?;
        let opened_at = *self.opened_at.get_or_insert(new.debate.created_at);
        if opened_at != new.debate.created_at {
            return Err(ArenaError::UnknownDebate(self.debate));
        }
        self.seen = new.seen;
        *self.position = StreamPosition::Seq(new.newest_seq());
        Ok((!new.newer.is_empty()).then_some(new))
    }
}

impl NewArguments {
    /// Each argument with the debate as it was after that argument.
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

    /// Whether the debate is closed and no argument follows these.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.newest_seq() >= self.last && self.debate.state == State::Closed
    }

    fn newest_seq(&self) -> Seq {
        self.newer.last().map_or(self.seen, |argument| argument.seq)
    }
}
