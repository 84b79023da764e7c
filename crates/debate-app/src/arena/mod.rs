//! The arena's use cases, and the port to their storage engine.

mod follow;
mod port;
mod presence;

use std::sync::Arc;

use debate_core::arena::{
    Argument, Credentials, Draft, HolderName, ListQuery, NewDebate, Refusal, Seat, SeatHolder,
    SeatRefusal, Seats, SecretDigest, Side, is_slug,
};
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use jiff::Timestamp;
use tracing::instrument;

use crate::{Clock, Notifier, StoreError, TooManyWaiters};

pub use follow::{DebateEvent, DebateFollower, DebatePosition, DebateUpdate};
pub use port::{
    AppendArgument, ArenaStore, ArgumentSelection, DebateListPage, DeleteDebate, NewArguments,
    OpenDebate, ReleaseSeat, TakeSeat, TakenSeat, Transcript, TranscriptLimit, WriteOutcome,
    WrittenArgument,
};
pub use presence::Presence;

/// The arena. Each operation that a client may request is a method.
#[derive(Clone)]
pub struct Arena {
    store: Arc<dyn ArenaStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    /// Whether a resolution closes a debate whose creation left `auto_ruling` out.
    auto_ruling: bool,
    presence: Presence,
}

impl Arena {
    /// An arena over `store`, which must announce its commits to `notifier`.
    #[must_use]
    pub fn new(
        store: Arc<dyn ArenaStore>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        auto_ruling: bool,
    ) -> Self {
        Self { store, notifier, clock, auto_ruling, presence: Presence::default() }
    }
}

/// The reason why an operation of the arena failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ArenaError {
    /// No debate has this id.
    #[error("debate {0} does not exist")]
    UnknownDebate(DebateId),
    /// Another request created a debate with this id.
    #[error("debate {0} already exists")]
    DebateExists(DebateId),
    /// A debate with this id existed and was deleted. The id is never used again.
    #[error("debate {0} was deleted; its id cannot be used again")]
    DebateDeleted(DebateId),
    /// Rows of the debate cannot be decoded, so its state is not known and it takes no writes.
    #[error("debate {0} is damaged: some of its rows cannot be decoded")]
    DebateDamaged(DebateId),
    /// No argument has the id of the target.
    #[error("argument {0} does not exist")]
    UnknownArgument(ArgumentId),
    /// The target belongs to another debate.
    #[error("argument {argument} does not belong to debate {debate}")]
    ForeignArgument {
        /// The target that the request named.
        argument: ArgumentId,
        /// The debate it was meant to be in.
        debate: DebateId,
    },
    /// The position of a poll or wait is not an argument of the debate.
    #[error("argument {argument} does not belong to debate {debate}")]
    UnknownPosition {
        /// The position as a sequence number.
        argument: ArgumentId,
        /// The debate it was meant to be in.
        debate: DebateId,
    },
    /// An earlier request with other content used the idempotency key.
    #[error("an earlier request with other content used this idempotency key")]
    KeyReused,
    /// The rules forbid the move.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The debate has seats, and the credentials of the request do not allow it.
    #[error("debate {debate}: {refusal}")]
    Seat {
        /// The debate of the seat.
        debate: DebateId,
        /// The reason.
        refusal: SeatRefusal,
    },
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Arena {
    /// Opens a debate with its motion.
    #[instrument(level = "debug", skip_all, fields(debate.id = %opening.debate))]
    pub async fn open(&self, opening: NewDebate) -> Result<WrittenArgument, ArenaError> {
        let at = self.clock.now();
        let creator = opening.seats.as_ref().and_then(|seats| seats.creator.as_ref());
        if let Some((_, token)) = creator {
            self.presence.note(*token, at);
        }
        self.store.open(OpenDebate { opening, at }).await
    }

    /// Adds an argument if the rules allow it in the current state of the debate.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate, arena.mv = ?draft.mv))]
    pub async fn submit(
        &self,
        debate: DebateId,
        draft: Draft,
        credentials: Credentials,
    ) -> Result<WrittenArgument, ArenaError> {
        let (at, auto_ruling) = (self.clock.now(), self.auto_ruling);
        self.note_presence(&credentials);
        self.store.append(AppendArgument { debate, draft, at, auto_ruling, credentials }).await
    }

    /// Deletes a debate with all its arguments.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn delete(
        &self,
        debate: DebateId,
        credentials: Credentials,
    ) -> Result<(), ArenaError> {
        self.store.delete(DeleteDebate { debate, credentials, at: self.clock.now() }).await
    }

    /// Takes a free seat for the holder of `token`.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate, seat.side = ?side))]
    pub async fn take_seat(
        &self,
        debate: DebateId,
        side: Side,
        name: HolderName,
        token: SecretDigest,
        credentials: Credentials,
    ) -> Result<TakenSeat, ArenaError> {
        let since = self.clock.now();
        self.presence.note(token, since);
        let holder = SeatHolder { name, token, since };
        self.store.take_seat(TakeSeat { debate, side, holder, credentials }).await
    }

    /// Releases a seat for its holder or the arbitrator.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate, seat.side = ?side))]
    pub async fn release_seat(
        &self,
        debate: DebateId,
        side: Side,
        credentials: Credentials,
    ) -> Result<(), ArenaError> {
        self.store.release_seat(ReleaseSeat { debate, side, credentials }).await
    }

    /// The seats of a debate; none if it has no seats.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn seats(&self, debate: DebateId) -> Result<Option<Seats>, ArenaError> {
        self.store.seats(debate).await
    }

    /// The time of the last request with the token of a seat.
    #[must_use]
    pub fn last_seen(&self, seat: &Seat) -> Option<Timestamp> {
        self.presence.last_seen(seat.holder()?.token)
    }

    /// Remembers that the holder of a seat sent a request.
    pub fn note_presence(&self, credentials: &Credentials) {
        if let Some(token) = credentials.seat {
            self.presence.note(token, self.clock.now());
        }
    }

    /// A page of the list, last changed first.
    #[instrument(level = "debug", skip_all)]
    pub async fn list(&self, query: ListQuery) -> Result<DebateListPage, ArenaError> {
        self.store.list(query).await
    }

    /// A debate and the first page of its arguments. Further pages are read with
    /// [`page`](Self::page), so a long transcript is never in memory as a whole.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn transcript(
        &self,
        debate: DebateId,
        limit: TranscriptLimit,
    ) -> Result<Transcript, ArenaError> {
        self.store.transcript(debate, limit).await
    }

    /// The page of the same transcript that begins after `after`.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn page(
        &self,
        debate: DebateId,
        after: Seq,
        through: Seq,
    ) -> Result<Vec<Argument>, ArenaError> {
        self.store.page(debate, after, through).await
    }

    /// The id of the debate that a client names by UUID, by original id or by slug. A UUID is
    /// returned without a lookup, so the debate may not exist.
    pub async fn find_debate(
        &self,
        reference: &Reference<DebateId>,
    ) -> Result<Option<DebateId>, ArenaError> {
        match reference {
            Reference::Id(id) => Ok(Some(*id)),
            Reference::Original(original) => {
                let found = self.store.debate_by_original(original).await?;
                match found {
                    None if is_slug(original.as_str()) => {
                        self.store.debate_by_slug(original.as_str()).await
                    }
                    found => Ok(found),
                }
            }
        }
    }

    /// The id of the argument that a client names by UUID or by original id. The argument may
    /// belong to any debate.
    pub async fn find_argument(
        &self,
        reference: &Reference<ArgumentId>,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        match reference {
            Reference::Id(id) => Ok(Some(*id)),
            Reference::Original(original) => self.store.argument_by_original(original).await,
        }
    }
}
