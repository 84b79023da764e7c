//! What a client of the arena can be told to do differently.

use debate_core::arena::Refusal;
use debate_core::{ArgumentId, DebateId};

use crate::{Crowded, StoreError};

/// Why the arena did not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ArenaError {
    /// No debate has this id.
    #[error("debate {0} does not exist")]
    NoSuchDebate(DebateId),
    /// The id is taken by a debate that another request opened.
    #[error("debate {0} exists already")]
    DebateExists(DebateId),
    /// A debate with this id existed and was deleted. The id is never used again.
    #[error("debate {0} was deleted, and its id cannot be used again")]
    DebateDeleted(DebateId),
    /// Rows of the debate cannot be decoded, so its state is not known and it takes no writes.
    #[error("debate {0} is damaged: some of its rows cannot be decoded")]
    DebateDamaged(DebateId),
    /// The target is no argument at all.
    #[error("argument {0} does not exist")]
    NoSuchArgument(ArgumentId),
    /// The target belongs to another debate.
    #[error("argument {argument} does not belong to debate {debate}")]
    ForeignArgument {
        /// The target.
        argument: ArgumentId,
        /// The debate it was meant to be in.
        debate: DebateId,
    },
    /// A waiter named a position that is no argument of the debate.
    #[error("argument {argument} is not one of debate {debate}")]
    UnknownPosition {
        /// The position.
        argument: ArgumentId,
        /// The debate it was meant to be in.
        debate: DebateId,
    },
    /// The key named another request before.
    #[error("this request key was used before, for a different request")]
    KeyReused,
    /// The rules forbid the move.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Too many wait already.
    #[error(transparent)]
    Crowded(#[from] Crowded),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}
