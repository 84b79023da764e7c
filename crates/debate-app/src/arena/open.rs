//! Opening a debate.

use debate_core::arena::Opening;
use tracing::instrument;

use super::{Arena, ArenaError, Open, Written};

impl Arena {
    /// Opens a debate with its motion.
    #[instrument(level = "debug", skip_all, fields(debate.id = %opening.debate))]
    pub async fn open(&self, opening: Opening) -> Result<Written, ArenaError> {
        self.store.open(Open { opening, at: self.clock.now() }).await
    }
}
