//! Use cases on whole debates: open, submit, delete, list, transcript, ids behind references.

use debate_core::arena::{Argument, Draft, ListQuery, NewDebate};
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use tracing::instrument;

use super::{
    AppendArgument, Arena, ArenaError, DebateListPage, OpenDebate, Transcript, TranscriptLimit,
    WrittenArgument,
};

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

    /// The id of the debate that a client names by UUID or by original id. A UUID is returned
    /// without a lookup, so the debate may not exist.
    pub async fn find_debate(
        &self,
        reference: &Reference<DebateId>,
    ) -> Result<Option<DebateId>, ArenaError> {
        match reference {
            Reference::Id(id) => Ok(Some(*id)),
            Reference::Original(original) => self.store.debate_by_original(original).await,
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
