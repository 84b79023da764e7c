//! Following a debate's sequence: polls, waits and streams.

use std::time::Duration;

use async_trait::async_trait;
use debate_core::arena::{Argument, Debate, Seat, Seats, Side, State};
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
    /// The seats whose changes are reported; none for a debate without seats.
    seats: Option<KnownSeats>,
    subscription: Subscription,
}

/// The result of a poll or a wait.
#[derive(Debug)]
pub enum DebateUpdate {
    /// New arguments.
    Arguments(NewArguments),
    /// No argument followed this position before the deadline.
    Timeout(Seq),
    /// The server is shutting down, and no argument follows this position.
    Closing(Seq),
}

/// A step of a stream.
#[derive(Debug)]
pub enum DebateEvent {
    /// New arguments; the follower's position is now the last of them.
    Arguments(NewArguments),
    /// The seats that changed, as they are now.
    Seats(Vec<(Side, Seat)>),
    /// The server is shutting down.
    Closing,
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
        let mut subscription = self.notifier.subscribe(debate)?;
        let (mut position, mut opened_at) = (since, None);
        let mut reader = DebateReader {
            arena: self,
            debate,
            position: &mut position,
            opened_at: &mut opened_at,
            selection: ArgumentSelection::Newest(NEWEST_MAX),
            seen: Seq::START,
        };
        Ok(match follow(&mut reader, &mut subscription, Some(deadline)).await? {
            Update::New(new) => DebateUpdate::Arguments(new),
            Update::Timeout => DebateUpdate::Timeout(reader.seen),
            Update::Closing => DebateUpdate::Closing(reader.seen),
        })
    }

    /// Follows `debate` from the position `since`, and its seats from their present state.
    /// `seat_changes` is the number of changes that the debate had when the client connected.
    pub async fn follow(
        &self,
        debate: DebateId,
        since: StreamPosition<ArgumentId>,
        seat_changes: Option<u32>,
    ) -> Result<DebateFollower, ArenaError> {
        // Subscribe before the first read: a change that is written between a read and a later
        // subscription would go unnoticed.
        let subscription = self.notifier.subscribe(debate)?;
        let seats = match seat_changes {
            Some(changes) => {
                self.store.seats(debate).await?.map(|seats| KnownSeats { changes, seats })
            }
            None => None,
        };
        Ok(DebateFollower {
            arena: self.clone(),
            debate,
            position: since,
            opened_at: None,
            seats,
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
    /// The next page of arguments after the position, or the next changes of seats, as soon as
    /// there are any. Cancel-safe: the position advances only when the page is returned.
    pub async fn next(&mut self) -> Result<DebateEvent, ArenaError> {
        let Self { arena, debate, position, opened_at, seats, subscription } = self;
        let arguments = DebateReader {
            arena,
            debate: *debate,
            position,
            opened_at,
            selection: ArgumentSelection::Page,
            seen: Seq::START,
        };
        let mut reader = EventReader { arguments, seats: seats.as_mut() };
        Ok(match follow(&mut reader, subscription, None).await? {
            Update::New(event) => event,
            Update::Timeout | Update::Closing => DebateEvent::Closing,
        })
    }
}

/// Reads the arguments after a position.
struct DebateReader<'s> {
    arena: &'s Arena,
    debate: DebateId,
    position: &'s mut StreamPosition<ArgumentId>,
    opened_at: &'s mut Option<Timestamp>,
    selection: ArgumentSelection,
    /// The sequence number of the position.
    seen: Seq,
}

impl DebateReader<'_> {
    /// The arguments after the position, possibly none.
    async fn read(&mut self) -> Result<NewArguments, ArenaError> {
        let store = &self.arena.store;
        let new = store.newer_than(self.debate, *self.position, self.selection).await?;
        let opened_at = *self.opened_at.get_or_insert(new.debate.created_at);
        if opened_at != new.debate.created_at {
            return Err(ArenaError::UnknownDebate(self.debate));
        }
        Ok(new)
    }

    /// Moves the position behind the arguments. Returns them if there are any.
    fn advance(&mut self, new: NewArguments) -> Option<NewArguments> {
        self.seen = new.seen;
        *self.position = StreamPosition::Seq(new.newest_seq());
        (!new.newer.is_empty()).then_some(new)
    }
}

#[async_trait]
impl SequenceReader for DebateReader<'_> {
    type Batch = NewArguments;
    type Error = ArenaError;

    async fn read_next(&mut self) -> Result<Option<NewArguments>, ArenaError> {
        let new = self.read().await?;
        Ok(self.advance(new))
    }
}

/// Reads the arguments after a position and the changes of seats. A change of a seat is returned
/// before the arguments that its holder wrote.
struct EventReader<'s> {
    arguments: DebateReader<'s>,
    seats: Option<&'s mut KnownSeats>,
}

#[async_trait]
impl SequenceReader for EventReader<'_> {
    type Batch = DebateEvent;
    type Error = ArenaError;

    async fn read_next(&mut self) -> Result<Option<DebateEvent>, ArenaError> {
        let new = self.arguments.read().await?;
        if let (Some(known), Some(changes)) = (&mut self.seats, new.debate.seat_changes)
            && known.changes != changes
        {
            let seats = self.arguments.arena.store.seats(self.arguments.debate).await?;
            let changed = seats.map(|seats| known.replace(changes, seats)).unwrap_or_default();
            if !changed.is_empty() {
                return Ok(Some(DebateEvent::Seats(changed)));
            }
        }
        Ok(self.arguments.advance(new).map(DebateEvent::Arguments))
    }
}

/// The seats that a subscriber knows.
struct KnownSeats {
    /// The number of changes when they were read, or a lower one.
    changes: u32,
    seats: Seats,
}

impl KnownSeats {
    /// Replaces the seats. Returns those that differ.
    fn replace(&mut self, changes: u32, seats: Seats) -> Vec<(Side, Seat)> {
        let earlier = std::mem::replace(&mut self.seats, seats);
        self.changes = changes;
        let changed =
            Side::ALL.into_iter().filter(|side| earlier.seat(*side) != self.seats.seat(*side));
        changed.map(|side| (side, self.seats.seat(side).clone())).collect()
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
