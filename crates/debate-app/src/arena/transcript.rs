//! Reading a debate, a page at a time: a long one is never whole in memory.

use debate_core::arena::Argument;
use debate_core::{DebateId, Seq};
use tracing::instrument;

use super::{Arena, ArenaError, Newest, Transcript};

impl Arena {
    /// A debate and the first page of what was said.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn transcript(
        &self,
        debate: DebateId,
        newest: Newest,
    ) -> Result<Transcript, ArenaError> {
        self.store.transcript(debate, newest).await
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
}
