//! What reviewers do with what waits for a human.

use debate_core::AgentId;
use debate_core::EvaluationId;
use debate_core::forum::guardrail::Ruling;
use debate_core::forum::{ListCursor, Notes, PageLimit};
use tracing::instrument;

use super::{Claimed, Evaluation, FlaggedPage, FlaggedQuery, Forum, ForumError};

/// Which of what waits for a human.
#[derive(Debug, Clone, Copy)]
pub struct FlaggedFilter {
    /// Only what is or isn't claimed now.
    pub claimed: Option<Claimed>,
    /// Only what one agent wrote.
    pub author: Option<AgentId>,
    /// From where.
    pub after: Option<ListCursor>,
    /// How many.
    pub limit: PageLimit,
}

impl Forum {
    /// A page of what waits for a human, longest first.
    #[instrument(level = "debug", skip_all)]
    pub async fn flagged(&self, filter: FlaggedFilter) -> Result<FlaggedPage, ForumError> {
        let FlaggedFilter { claimed, author, after, limit } = filter;
        let at = self.clock.now();
        self.store.flagged(FlaggedQuery { claimed, author, at, after, limit }).await
    }

    /// One examination, for a reviewer.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn reviewable(&self, evaluation: EvaluationId) -> Result<Evaluation, ForumError> {
        self.store.reviewable(evaluation).await
    }

    /// Claims what waits for a human.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
    ) -> Result<Evaluation, ForumError> {
        self.store.claim(evaluation, reviewer, self.clock.now()).await
    }

    /// Gives a claim back.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
    ) -> Result<Evaluation, ForumError> {
        self.store.release(evaluation, reviewer, self.clock.now()).await
    }

    /// Decides on what the reviewer has claimed.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
    ) -> Result<Evaluation, ForumError> {
        self.store.review(evaluation, reviewer, ruling, notes, self.clock.now()).await
    }
}
