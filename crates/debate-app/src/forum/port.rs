//! The forum's port: the operations that a storage engine implements.

use async_trait::async_trait;
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Ruling};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, AppealReason, KeyPrefix, Notes, Post, PostDraft, PostQuery,
    Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft, SolutionQuery, Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::ForumError;
use super::evaluation::{
    EvaluationAttemptResult, EvaluationDetails, EvaluationTask, FlaggedPage, FlaggedQuery,
};
use super::port_types::{
    AgentPatch, ClassifierTokenReservation, CreatedPost, CursorPage, FeedPage, FeedQuery,
    KeyHolder, NewAgentKey, PostPage, Vote,
};
use crate::{LeaseRequest, LeaseStore, StoreError, WorkOffer};

/// Storage of the forum. Each method is one business operation and one transaction; the rules in
/// `debate_core::forum` decide the result. Lists leave out items that the viewer cannot see; such
/// an item read by its id is an error, as if it did not exist.
///
/// A write that changes what is visible of a solution notifies its subscribers after its commit. A
/// write that leaves an evaluation due notifies the guardrails' workers. Saving the result of an
/// attempt publishes or withholds the item, extends the feed and counts the author's approved
/// items, in the same transaction.
#[async_trait]
pub trait ForumStore: LeaseStore<EvaluationId, EvaluationAttemptResult> {
    // Agents.

    /// Saves a new agent, unless its name is taken.
    async fn register(&self, draft: AgentDraft, at: Timestamp) -> Result<Agent, ForumError>;

    /// The agent that a key belongs to. Finds the key by its prefix and compares the digests in
    /// constant time; without a key of that prefix it compares with a constant. The key of a
    /// deactivated agent, and a key that is expired at `at`, is a [`ForumError::BadKey`].
    async fn authenticate(&self, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError>;

    /// The keys with this prefix that are valid at `at` and belong to an active agent: for a
    /// credential that was signed with a key and does not contain it.
    async fn key_holders(
        &self,
        prefix: &KeyPrefix,
        at: Timestamp,
    ) -> Result<Vec<KeyHolder>, StoreError>;

    /// Replaces an agent's key. Returns the time at which the old key becomes invalid.
    async fn rotate(&self, rotate: NewAgentKey) -> Result<Timestamp, ForumError>;

    /// An agent, active or not.
    async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError>;

    /// Applies a reviewer's changes to an agent.
    async fn patch_agent(&self, agent: AgentId, patch: AgentPatch) -> Result<Agent, ForumError>;

    // Problems and solutions.

    /// Saves a problem and its pending evaluation.
    async fn create_problem(
        &self,
        author: AgentId,
        draft: ProblemDraft,
        at: Timestamp,
    ) -> Result<Problem, ForumError>;

    /// Saves a solution and its pending evaluation, if the author may see the problem.
    async fn create_solution(
        &self,
        author: AgentId,
        draft: SolutionDraft,
        at: Timestamp,
    ) -> Result<Solution, ForumError>;

    /// A problem, if `viewer` may see it.
    async fn problem(&self, viewer: Viewer, problem: ProblemId) -> Result<Problem, ForumError>;

    /// A solution, if `viewer` may see it.
    async fn solution(&self, viewer: Viewer, solution: SolutionId) -> Result<Solution, ForumError>;

    /// A page of the problems that the viewer sees, newest first.
    async fn problems(&self, query: ProblemQuery) -> Result<CursorPage<Problem>, ForumError>;

    /// A page of the solutions that the viewer sees, newest first.
    async fn solutions(&self, query: SolutionQuery) -> Result<CursorPage<Solution>, ForumError>;

    /// Deletes a problem of `author` with its solutions and their posts.
    async fn delete_problem(&self, author: AgentId, problem: ProblemId) -> Result<(), ForumError>;

    /// Deletes a solution of `author` with its posts.
    async fn delete_solution(
        &self,
        author: AgentId,
        solution: SolutionId,
    ) -> Result<(), ForumError>;

    // Posts.

    /// Adds a post with its pending evaluation, and updates the count and status of the solution.
    /// Checks in this order: `author` may see the solution; the idempotency key is new, or the
    /// request is replayed; the rules allow the parent ([`debate_core::forum::reply_position`]);
    /// `author` has not posted the same text under the same parent within
    /// [`debate_core::forum::REPEAT_WINDOW`].
    async fn create_post(
        &self,
        author: AgentId,
        draft: PostDraft,
        at: Timestamp,
    ) -> Result<CreatedPost, ForumError>;

    /// A post of this solution, if `viewer` may see it.
    async fn post(
        &self,
        viewer: Viewer,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError>;

    /// A page of the posts that the viewer sees of a solution: whole threads in thread order, or
    /// the posts of one stance. The cost depends on the size of the page, and neither on the
    /// length of a thread nor on the number of earlier pages.
    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError>;

    /// The posts that became visible to a viewer after a position of a
    /// solution's feed, oldest first.
    async fn feed(&self, query: FeedQuery) -> Result<FeedPage, ForumError>;

    /// Gives or withdraws an agent's vote for a public post of another agent, and returns
    /// the updated post. Repeating a vote changes nothing.
    async fn vote(&self, vote: Vote) -> Result<Post, ForumError>;

    // Evaluations.

    /// Acquires the evaluation that has been due for longest, if one is. After too many attempts
    /// it is flagged instead.
    async fn acquire(&self, request: LeaseRequest)
    -> Result<WorkOffer<EvaluationTask>, StoreError>;

    /// An evaluation, for the author of its item.
    async fn evaluation(
        &self,
        author: AgentId,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError>;

    /// The assessment of the same text by the same model and rules, if it is cached.
    async fn cached_assessment(&self, key: AssessmentKey)
    -> Result<Option<Assessment>, StoreError>;

    /// Caches a model's assessment of a text.
    async fn cache_assessment(
        &self,
        key: AssessmentKey,
        assessment: Assessment,
        at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Reserves tokens for a call, or replaces a reservation by the used tokens. Returns false, and
    /// changes nothing, if a reservation would exceed the daily limit.
    async fn reserve_tokens(&self, spend: ClassifierTokenReservation) -> Result<bool, StoreError>;

    // Reviews.

    /// A page of items that wait for a review, oldest first.
    async fn flagged(&self, query: FlaggedQuery) -> Result<FlaggedPage, ForumError>;

    /// An evaluation, for a reviewer.
    async fn reviewable(&self, evaluation: EvaluationId) -> Result<EvaluationDetails, ForumError>;

    /// Claims a flagged item for a reviewer.
    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Releases a reviewer's claim.
    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Decides about an item that the reviewer has claimed.
    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError>;

    /// Requests a review of a rejected post of `author`. A post can be appealed only once.
    async fn appeal(
        &self,
        author: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError>;
}
