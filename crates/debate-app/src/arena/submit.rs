//! Adding to a debate.

use debate_core::DebateId;
use debate_core::arena::Draft;
use tracing::instrument;

use super::{Append, Arena, ArenaError, Written};

impl Arena {
    /// Adds an argument, if it is the right one's turn.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate, arena.mv = ?draft.mv))]
    pub async fn submit(&self, debate: DebateId, draft: Draft) -> Result<Written, ArenaError> {
        let (at, auto_ruling) = (self.clock.now(), self.auto_ruling);
        self.store.append(Append { debate, draft, at, auto_ruling }).await
    }
}
