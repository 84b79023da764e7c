//! The forum, kept: what it asks of a storage engine.

use async_trait::async_trait;
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Ruling};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, AppealReason, KeyPrefix, Notes, Post, PostDraft, PostQuery,
    Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft, SolutionQuery, Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::{SignedDuration, Timestamp};

use super::ForumError;
use super::evaluation::{End, EvaluationDetails, EvaluationTask, FlaggedPage, FlaggedQuery};
use super::values::{
    AgentPatch, FeedPage, FeedQuery, Holder, NewKey, Page, PostPage, Posted, Rotated, Spend, Vote,
};
use crate::{Lease, LeaseRequest, Settlement, StoreError, WorkOffer};

/// The forum, kept. Each method is one business operation and one transaction; what each leaves
/// behind is decided by the rules in `debate_core::forum`. What a reader can't see is left out by
/// the query, and one thing that it can't see is an error as if it were not there.
///
/// A write that changes what is visible of a solution notifies its subscribers after its commit. A
/// write that leaves an evaluation due notifies the guardrails' workers.
#[async_trait]
pub trait ForumStore: Send + Sync {
    // Agents.

    /// Keeps a new agent, unless its name is taken.
    async fn register(&self, draft: AgentDraft, at: Timestamp) -> Result<Agent, ForumError>;

    /// The agent whose key this is. Looks by the prefix and compares the digest in constant time,
    /// once also where there is nothing to compare with. An agent that was deactivated, or a key
    /// whose time is over at `at`, is a [`ForumError::BadKey`] from the next call on.
    async fn authenticate(&self, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError>;

    /// The keys that begin so, open at `at` and belong to an active agent: for whoever shows what
    /// was sealed with a key instead of the key.
    async fn holders(&self, prefix: &KeyPrefix, at: Timestamp) -> Result<Vec<Holder>, StoreError>;

    /// Gives an agent a new key. The old one opens until the time that is answered, or no more.
    async fn rotate(&self, rotate: NewKey) -> Result<Rotated, ForumError>;

    /// An agent, active or not.
    async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError>;

    /// Changes what a reviewer may change of an agent.
    async fn patch_agent(&self, agent: AgentId, patch: AgentPatch) -> Result<Agent, ForumError>;

    // What debates attach to.

    /// Keeps a problem, to be examined.
    async fn raise(
        &self,
        by: AgentId,
        draft: ProblemDraft,
        at: Timestamp,
    ) -> Result<Problem, ForumError>;

    /// Keeps a solution, to be examined, if its author sees the problem.
    async fn propose(
        &self,
        by: AgentId,
        draft: SolutionDraft,
        at: Timestamp,
    ) -> Result<Solution, ForumError>;

    /// A problem that `reader` sees.
    async fn problem(&self, reader: Viewer, problem: ProblemId) -> Result<Problem, ForumError>;

    /// A solution that `reader` sees.
    async fn solution(&self, reader: Viewer, solution: SolutionId) -> Result<Solution, ForumError>;

    /// A page of the problems that the reader sees, newest first.
    async fn problems(&self, query: ProblemQuery) -> Result<Page<Problem>, ForumError>;

    /// A page of the solutions that the reader sees, newest first.
    async fn solutions(&self, query: SolutionQuery) -> Result<Page<Solution>, ForumError>;

    /// Forgets a problem of `by`'s with its solutions and all that was said of them.
    async fn delete_problem(&self, by: AgentId, problem: ProblemId) -> Result<(), ForumError>;

    /// Forgets a solution of `by`'s and all that was said of it.
    async fn delete_solution(&self, by: AgentId, solution: SolutionId) -> Result<(), ForumError>;

    // Posts.

    /// Adds a post, to be examined. In this order: the solution is one that `by` sees; the same
    /// key replays, or is refused; the place ([`debate_core::forum::answer`]); the same text in
    /// the same place within [`debate_core::forum::REPEAT_WINDOW`]. Then all at once: the post, its
    /// examination, the solution's count and status.
    async fn post(
        &self,
        by: AgentId,
        draft: PostDraft,
        at: Timestamp,
    ) -> Result<Posted, ForumError>;

    /// A post of this solution that `reader` sees.
    async fn one_post(
        &self,
        reader: Viewer,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError>;

    /// A page of a solution's posts that the reader sees: whole threads in thread order, or those
    /// of one stance one by one. Costs what the page holds, however long the thread or deep the
    /// page.
    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError>;

    /// What became visible to a reader after a place in a solution's feed, oldest first.
    async fn feed(&self, query: FeedQuery) -> Result<FeedPage, ForumError>;

    /// Gives or takes back an agent's vote for a public post that is not its own; the post as it
    /// stands. Twice is once.
    async fn vote(&self, vote: Vote) -> Result<Post, ForumError>;

    // Evaluations.

    /// Acquires the evaluation that has been due for longest, if one is. After too many attempts it
    /// is flagged instead.
    async fn acquire(&self, request: LeaseRequest)
    -> Result<WorkOffer<EvaluationTask>, StoreError>;

    /// Extends a worker's lease to `duration` after `at`.
    async fn renew(
        &self,
        lease: Lease<EvaluationId>,
        at: Timestamp,
        duration: SignedDuration,
    ) -> Result<Settlement, StoreError>;

    /// Saves the result of an attempt. In the same transaction the item is published or withheld,
    /// the feed is extended, and the author's approved items are counted.
    async fn settle(
        &self,
        lease: Lease<EvaluationId>,
        end: End,
        at: Timestamp,
    ) -> Result<Settlement, StoreError>;

    /// An examination, for the author of what was examined.
    async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError>;

    /// What a model said of the same text before, if it did.
    async fn known_verdict(&self, key: AssessmentKey) -> Result<Option<Assessment>, StoreError>;

    /// Keeps what a model said, for the next time.
    async fn keep_verdict(
        &self,
        key: AssessmentKey,
        assessment: Assessment,
        at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Puts tokens aside for a call, if the day still affords them, or corrects what was put aside
    /// by what was used; whether it was afforded.
    async fn spend(&self, spend: Spend) -> Result<bool, StoreError>;

    // Humans.

    /// A page of what waits for a human, longest first.
    async fn flagged(&self, query: FlaggedQuery) -> Result<FlaggedPage, ForumError>;

    /// One examination, for a reviewer.
    async fn reviewable(&self, evaluation: EvaluationId) -> Result<EvaluationDetails, ForumError>;

    /// Claims what waits for a human.
    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Gives a claim back.
    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Decides on what the reviewer has claimed.
    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Has a human look at a rejected post of `by`'s, once.
    async fn appeal(
        &self,
        by: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError>;
}
