//! The forum, kept: what it asks of a storage engine.

use async_trait::async_trait;
use debate_core::forum::guardrail::{Assessment, Ruling, VerdictKey};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, AppealReason, KeyPrefix, Notes, Post, PostDraft, PostQuery,
    Problem, ProblemDraft, ProblemQuery, Reader, Solution, SolutionDraft, SolutionQuery,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::ForumError;
use super::evaluation::{
    Evaluation, FlaggedPage, FlaggedQuery, Found, Renew, Settle, Settlement, Take,
};
use super::values::{
    AgentPatch, FeedQuery, Holder, NewKey, News, Page, PostPage, Posted, Rotated, Spend, Vote,
};
use crate::StoreError;

/// The forum, kept. Each method is one business operation and one transaction; what each leaves
/// behind is decided by the rules in `debate_core::forum`. What a reader can't see is left out by
/// the query, and one thing that it can't see is an error as if it were not there.
///
/// A write that changes what someone sees rings for its solution after its commit; one that leaves
/// something to examine rings for the guardrails' workers.
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
    async fn problem(&self, reader: Reader, problem: ProblemId) -> Result<Problem, ForumError>;

    /// A solution that `reader` sees.
    async fn solution(&self, reader: Reader, solution: SolutionId) -> Result<Solution, ForumError>;

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
        reader: Reader,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError>;

    /// A page of a solution's posts that the reader sees: whole threads in thread order, or those
    /// of one stance one by one. Costs what the page holds, however long the thread or deep the
    /// page.
    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError>;

    /// What became visible to a reader after a place in a solution's feed, oldest first.
    async fn feed(&self, query: FeedQuery) -> Result<News, ForumError>;

    /// Gives or takes back an agent's vote for a public post that is not its own; the post as it
    /// stands. Twice is once.
    async fn vote(&self, vote: Vote) -> Result<Post, ForumError>;

    // Examinations.

    /// Takes the examination that has been due for longest, if one is. One that was tried too
    /// often is flagged instead.
    async fn take(&self, take: Take) -> Result<Found, StoreError>;

    /// Says that its holder is still at work; whether it still is its own.
    async fn renew(&self, renew: Renew) -> Result<Settlement, StoreError>;

    /// Keeps what an examination came to, or that it failed; with it what everyone now sees, what
    /// its author is told, and what its author's approved entries are.
    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError>;

    /// An examination, for the author of what was examined.
    async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<Evaluation, ForumError>;

    /// What a model said of the same text before, if it did.
    async fn known_verdict(&self, key: VerdictKey) -> Result<Option<Assessment>, StoreError>;

    /// Keeps what a model said, for the next time.
    async fn keep_verdict(
        &self,
        key: VerdictKey,
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
    async fn reviewable(&self, evaluation: EvaluationId) -> Result<Evaluation, ForumError>;

    /// Claims what waits for a human.
    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError>;

    /// Gives a claim back.
    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError>;

    /// Decides on what the reviewer has claimed.
    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError>;

    /// Has a human look at a rejected post of `by`'s, once.
    async fn appeal(
        &self,
        by: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError>;
}
