//! Errors of the arena. A client can act on all of them but [`ArenaError::Store`].

use debate_core::arena::Refusal;
use debate_core::{ArgumentId, DebateId};

use crate::{StoreError, TooManyWaiters};

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
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}
