//! Waiting for the other side.

use std::time::Duration;

use debate_core::arena::{Argument, State};
use debate_core::{DebateId, Seq};
use tokio::time::{Instant, timeout_at};
use tracing::instrument;

use super::{Arena, ArenaError, News, Since};
use crate::Rung;

/// How many missed arguments one answer carries at most.
const NEWEST_MAX: u32 = 500;

/// What a waiter is told.
#[derive(Debug)]
pub enum Heard {
    /// Something came.
    News {
        /// Where the debate stands.
        state: State,
        /// The newest argument.
        newest: Argument,
        /// What came before it and is new as well, oldest first.
        earlier: Vec<Argument>,
        /// How many more were left out.
        omitted: u32,
    },
    /// Nothing came after this place.
    Nothing(Seq),
}

impl From<News> for Heard {
    fn from(news: News) -> Self {
        let News { state, seen, mut newer, omitted } = news;
        match newer.pop() {
            Some(newest) => Self::News { state, newest, earlier: newer, omitted },
            None => Self::Nothing(seen),
        }
    }
}

impl Arena {
    /// What came after `since`, right now.
    #[instrument(level = "debug", skip_all, fields(debate.id = %debate))]
    pub async fn poll(&self, debate: DebateId, since: Since) -> Result<Heard, ArenaError> {
        Ok(self.store.newer_than(debate, since, NEWEST_MAX).await?.into())
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
        // Listen first: an argument written between a read and a later listen would go unheard
        // until the deadline.
        let mut bell = self.hub.listen(debate)?;
        let mut since = since;
        loop {
            let seen = match self.poll(debate, since).await? {
                news @ Heard::News { .. } => return Ok(news),
                Heard::Nothing(seen) => seen,
            };
            since = Since::Seq(seen);
            match timeout_at(deadline, bell.rung()).await {
                Ok(Rung::Moved) => {}
                Ok(Rung::Closing) | Err(_) => return Ok(Heard::Nothing(seen)),
            }
        }
    }
}
