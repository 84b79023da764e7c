//! Debates and arguments by the ids they had in an earlier server.

use debate_core::{ArgumentId, DebateId, OriginalId};

use super::{Arena, ArenaError};

impl Arena {
    /// The debate with this original id, if one was carried over with it.
    pub async fn debate_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<DebateId>, ArenaError> {
        self.store.debate_by_original(original).await
    }

    /// The argument with this original id, if one was carried over with it.
    pub async fn argument_by_original(
        &self,
        original: &OriginalId,
    ) -> Result<Option<ArgumentId>, ArenaError> {
        self.store.argument_by_original(original).await
    }
}
