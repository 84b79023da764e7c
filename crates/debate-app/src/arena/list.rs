//! Finding debates.

use debate_core::arena::ListQuery;
use tracing::instrument;

use super::{Arena, ArenaError, DebatePage};

impl Arena {
    /// A page of the list, last changed first.
    #[instrument(level = "debug", skip_all)]
    pub async fn list(&self, query: ListQuery) -> Result<DebatePage, ArenaError> {
        self.store.list(query).await
    }
}
