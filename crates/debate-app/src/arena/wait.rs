//! Waiting for the other side.

use std::time::Duration;

use debate_core::DebateId;
use tokio::time::Instant;
use tracing::instrument;

use super::{Arena, ArenaError, Heard, Since, Take};

/// How many missed arguments one answer carries at most.
const NEWEST_MAX: u32 = 500;

impl Arena {
    /// What came after `since`, right now.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn poll(&self, debate: DebateId, since: Since) -> Result<Heard, ArenaError> {
        let news = self.store.newer_than(debate, since, Take::Newest(NEWEST_MAX)).await?;
        Ok(if news.newer.is_empty() { Heard::Nothing(news.seen) } else { Heard::News(news) })
    }

    /// What came after `since`, as soon as there is anything, or nothing after `patience`.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn wait(
        &self,
        debate: DebateId,
        since: Since,
        patience: Duration,
    ) -> Result<Heard, ArenaError> {
        let deadline = Instant::now() + patience;
        self.subscribe(debate, since)?.newest(NEWEST_MAX, deadline).await
    }
}
