//! Evaluations: the results of their attempts, their details for authors and reviewers, and the
//! queries for flagged items.

use debate_core::forum::ListCursor;
use debate_core::forum::PageLimit;
use debate_core::forum::guardrail::{
    AfterFailure, Appeal, Assessment, Category, Claim, Decision, EvaluationAttempt,
    GuardrailStatus, Ruling, Tier,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;
use tracing::instrument;

use super::{Forum, ForumError};
use crate::Lease;

/// The item that an evaluation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EvaluatedItem {
    /// The problem with this id.
    Problem(ProblemId),
    /// The solution with this id.
    Solution(SolutionId),
    /// A post of a solution.
    Post(SolutionId, PostId),
}

/// An evaluation that is leased for one attempt.
#[derive(Clone)]
pub struct EvaluationTask {
    /// The right to save the result of the attempt.
    pub lease: Lease<EvaluationId>,
    /// The number of this attempt.
    pub attempt: EvaluationAttempt,
    /// The item that is evaluated.
    pub subject: EvaluatedItem,
    /// The text of the item that is evaluated.
    pub text: String,
    /// The trust in the author at the time of the lease.
    pub tier: Tier,
}

/// Shows the size of the text and not its content, which must not reach a log.
impl std::fmt::Debug for EvaluationTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluationTask")
            .field("lease", &self.lease)
            .field("attempt", &self.attempt)
            .field("subject", &self.subject)
            .field("bytes", &self.text.len())
            .field("tier", &self.tier)
            .finish()
    }
}

/// The result of one attempt.
#[derive(Debug, Clone)]
pub enum EvaluationAttemptResult {
    /// The layers reached a decision.
    Decided {
        /// The decision of the layers.
        decision: Decision,
        /// The reason that the author sees.
        reason: String,
        /// The result of each layer.
        layers: LayerResults,
    },
    /// A layer failed; the evaluation has no decision.
    Failed {
        /// Another attempt, or a review by a person.
        then: AfterFailure,
        /// The error, without any part of the evaluated text.
        error: String,
    },
    /// The server is closing; the attempt does not count.
    Released,
}

/// The results of the layers that were executed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerResults {
    /// The version of the rules, if the rules were executed.
    pub rules_version: Option<String>,
    /// The rules that refuse the text, by category and id.
    pub refused_by: Vec<(Category, String)>,
    /// The name of the model and its assessment, if one was called.
    pub model: Option<(String, Assessment)>,
}

/// An evaluation, as its author or a reviewer sees it.
#[derive(Debug, Clone)]
pub struct EvaluationDetails {
    /// The id of the evaluation.
    pub id: EvaluationId,
    /// The item that is evaluated.
    pub subject: EvaluatedItem,
    /// The author of the item.
    pub author: AgentId,
    /// The guardrail status, which decides about the item's visibility.
    pub status: GuardrailStatus,
    /// Whether the author has appealed.
    pub appeal: Appeal,
    /// The author's reason for the appeal.
    pub appeal_reason: Option<String>,
    /// The decision of the layers, once there is one.
    pub decision: Option<Decision>,
    /// The results of the layers.
    pub layers: LayerResults,
    /// The reason for the current status.
    pub reason: Option<String>,
    /// The decision of a reviewer, if there is one.
    pub review: Option<ReviewDecision>,
    /// The reviewer that has claimed the item, if one has.
    pub claim: Option<Claim>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The time at which the item was created.
    pub created_at: Timestamp,
    /// The time of the last change of status.
    pub decided_at: Option<Timestamp>,
    /// The time since which the item waits for a review, if it does.
    pub flagged_at: Option<Timestamp>,
    /// The evaluated text; only reviewers see it.
    pub text: Option<String>,
}

/// The decision of a reviewer about a flagged item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewDecision {
    /// The name of the reviewer.
    pub reviewer: String,
    /// The decision of the reviewer.
    pub ruling: Ruling,
    /// The reason for the decision.
    pub notes: String,
    /// The time of the decision.
    pub at: Timestamp,
}

/// A query for items that wait for a review, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct FlaggedQuery {
    /// Only items that are claimed at `at`, or only those that are not.
    pub claimed: Option<ReviewClaimFilter>,
    /// Only items of this author.
    pub author: Option<AgentId>,
    /// The time at which claims are judged.
    pub at: Timestamp,
    /// The end of the previous page.
    pub after: Option<ListCursor>,
    /// The size of the page.
    pub limit: PageLimit,
}

/// Selects flagged items by their claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewClaimFilter {
    /// Items that a reviewer has claimed.
    Claimed,
    /// Items without a claim.
    Unclaimed,
}

/// A page of items that wait for a review.
pub type FlaggedPage = super::CursorPage<EvaluationDetails>;

impl Forum {
    /// The evaluation of an item of `author`.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn evaluation(
        &self,
        author: AgentId,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.evaluation(author, evaluation).await
    }
}
