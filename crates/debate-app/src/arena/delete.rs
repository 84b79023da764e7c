//! Forgetting a debate.

use debate_core::DebateId;
use tracing::instrument;

use super::{Arena, ArenaError};

impl Arena {
    /// Forgets a debate and all that was said in it.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn delete(&self, debate: DebateId) -> Result<(), ArenaError> {
        self.store.delete(debate, self.clock.now()).await
    }
}
