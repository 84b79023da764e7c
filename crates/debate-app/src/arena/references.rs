//! From the names that clients give to debates and arguments to their ids.

use debate_core::{ArgumentId, DebateId, Reference};

use super::{Arena, ArenaError};

impl Arena {
    /// The id of the debate that a client names, in the order UUID, original id. A UUID is
    /// returned without a lookup: whether the debate exists shows when it is used.
    pub async fn find_debate(
        &self,
        reference: &Reference<DebateId>,
    ) -> Result<Option<DebateId>, ArenaError> {
        match reference {
            Reference::Id(id) => Ok(Some(*id)),
            Reference::Original(original) => self.store.debate_by_original(original).await,
        }
    }

    /// The id of the argument that a client names, likewise. It may belong to any debate.
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
