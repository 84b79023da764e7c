//! Use cases that read debates: list, transcript, and the ids behind references.

use debate_core::arena::{Argument, ListQuery};
use debate_core::{ArgumentId, DebateId, Reference, Seq};
use tracing::instrument;

use super::{Arena, ArenaError, DebatePage, Transcript, TranscriptLimit};

impl Arena {
    /// A page of the list, last changed first.
    #[instrument(level = "debug", skip_all)]
    pub async fn list(&self, query: ListQuery) -> Result<DebatePage, ArenaError> {
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
