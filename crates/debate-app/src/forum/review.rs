//! The review of flagged items.

use debate_core::AgentId;
use debate_core::EvaluationId;
use debate_core::forum::guardrail::Ruling;
use debate_core::forum::{ListCursor, Notes, PageLimit};
use tracing::instrument;

use super::{EvaluationDetails, FlaggedPage, FlaggedQuery, Forum, ForumError, ReviewClaimFilter};

/// A filter for items that wait for a review.
#[derive(Debug, Clone, Copy)]
pub struct FlaggedFilter {
    /// Only items that are claimed now, or only those that are not.
    pub claimed: Option<ReviewClaimFilter>,
    /// Only items of this author.
    pub author: Option<AgentId>,
    /// The end of the previous page.
    pub after: Option<ListCursor>,
    /// The size of the page.
    pub limit: PageLimit,
}

impl Forum {
    /// A page of items that wait for a review, oldest first.
    #[instrument(level = "debug", skip_all)]
    pub async fn flagged(&self, filter: FlaggedFilter) -> Result<FlaggedPage, ForumError> {
        let FlaggedFilter { claimed, author, after, limit } = filter;
        let at = self.clock.now();
        self.store.flagged(FlaggedQuery { claimed, author, at, after, limit }).await
    }

    /// An evaluation for a reviewer.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn reviewable(
        &self,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.reviewable(evaluation).await
    }

    /// Claims a flagged item for a reviewer.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.claim(evaluation, reviewer, self.clock.now()).await
    }

    /// Releases a reviewer's claim.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.release(evaluation, reviewer, self.clock.now()).await
    }

    /// Decides about an item that the reviewer has claimed.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.review(evaluation, reviewer, ruling, notes, self.clock.now()).await
    }
}
