//! Use cases that change debates: open, submit, delete.

use debate_core::DebateId;
use debate_core::arena::{Draft, NewDebate};
use tracing::instrument;

use super::{AppendArgument, Arena, ArenaError, OpenDebate, WrittenArgument};

impl Arena {
    /// Opens a debate with its motion.
    #[instrument(level = "debug", skip_all, fields(debate.id = %opening.debate))]
    pub async fn open(&self, opening: NewDebate) -> Result<WrittenArgument, ArenaError> {
        self.store.open(OpenDebate { opening, at: self.clock.now() }).await
    }

    /// Adds an argument if the rules allow it in the current state of the debate.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate, arena.mv = ?draft.mv))]
    pub async fn submit(
        &self,
        debate: DebateId,
        draft: Draft,
    ) -> Result<WrittenArgument, ArenaError> {
        let (at, auto_ruling) = (self.clock.now(), self.auto_ruling);
        self.store.append(AppendArgument { debate, draft, at, auto_ruling }).await
    }

    /// Deletes a debate with all its arguments.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn delete(&self, debate: DebateId) -> Result<(), ArenaError> {
        self.store.delete(debate, self.clock.now()).await
    }
}
