//! The forum's port: the operations that a storage engine implements.

use async_trait::async_trait;
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Ruling};
use debate_core::forum::{
    Activity, Agent, AgentDraft, AgentKey, AppealReason, KeyDigest, KeyPrefix, ListCursor, Notes,
    Post, PostDraft, PostQuery, Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft,
    SolutionQuery, ThreadPath, Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, RateLimit, Seq, SolutionId};
use jiff::Timestamp;
use jiff::civil::Date;

use super::ForumError;
use super::evaluation::{
    EvaluationAttemptResult, EvaluationDetails, EvaluationTask, FlaggedPage, FlaggedQuery,
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

/// A request to replace an agent's key.
#[derive(Debug, Clone)]
pub struct NewAgentKey {
    /// The agent that gets the new key.
    pub agent: AgentId,
    /// The prefix of the new key, by which it is found.
    pub prefix: KeyPrefix,
    /// The digest of the new key.
    pub digest: KeyDigest,
    /// Whether the old key stays valid for a while.
    pub old: OldAgentKey,
    /// The time of the request.
    pub at: Timestamp,
}

/// The validity of the key that a new one replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldAgentKey {
    /// It stays valid for [`debate_core::forum::ROTATION_GRACE`].
    Expires,
    /// It becomes invalid at once.
    Revoked,
}

/// A reviewer's changes to an agent; fields that are none stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Whether its keys are valid.
    pub activity: Option<Activity>,
    /// The number of requests that it may send.
    pub rate_limit: Option<RateLimitChange>,
}

/// A change of an agent's rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimitChange {
    /// The limit of its trust tier.
    Usual,
    /// A limit of its own.
    Set(RateLimit),
}

/// A valid key with its agent.
#[derive(Debug, Clone)]
pub struct KeyHolder {
    /// The digest of the key.
    pub digest: KeyDigest,
    /// The agent that the key belongs to.
    pub agent: Agent,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct CursorPage<T> {
    /// The items of the page, in the order of the list.
    pub items: Vec<T>,
    /// The start of the next page, if there is one.
    pub next: Option<ListCursor>,
}

/// The post of a request to create one, and whether this request created it.
#[derive(Debug, Clone)]
pub enum CreatedPost {
    /// The post is new.
    Fresh(Post),
    /// An earlier request created the post; its current state.
    Replayed(Post),
}

/// A page of posts, as [`debate_core::forum::PostQuery`] describes it.
#[derive(Debug, Clone)]
pub struct PostPage {
    /// The posts; in thread order each before its replies.
    pub posts: Vec<Post>,
    /// The position of the last post, if there is a next page.
    pub next: Option<ThreadPath>,
}

/// A read of a solution's feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedQuery {
    /// The viewer, which decides what is visible.
    pub viewer: Viewer,
    /// The solution that the feed belongs to.
    pub solution: SolutionId,
    /// The position after which the page begins.
    pub after: Seq,
}

/// A page of a solution's feed.
#[derive(Debug, Clone)]
pub struct FeedPage {
    /// The posts that became visible, with their positions, oldest first. Positions may have gaps.
    pub newer: Vec<(Seq, Post)>,
    /// The last position that was read: where to continue, also if no post was visible.
    pub through: Seq,
    /// The last position of the feed.
    pub last: Seq,
}

/// A vote for a post, or its withdrawal.
#[derive(Debug, Clone, Copy)]
pub struct Vote {
    /// The agent that votes.
    pub agent: AgentId,
    /// The solution that the post belongs to.
    pub solution: SolutionId,
    /// The post that the vote is for.
    pub post: PostId,
    /// The agent's vote after the request.
    pub choice: VoteChoice,
    /// The time of the request.
    pub at: Timestamp,
}

/// An agent's vote for a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteChoice {
    /// The agent upvotes the post.
    Upvote,
    /// The agent has no vote for the post.
    None,
}

/// A change of the tokens that count towards the classifier's daily limit.
#[derive(Debug, Clone, Copy)]
pub enum ClassifierTokenReservation {
    /// Reserves tokens before a call.
    Reserve {
        /// The day of the call, in UTC.
        day: Date,
        /// The most tokens that the call can use.
        worst_case: u64,
        /// The most tokens that a day may use.
        daily_most: u64,
    },
    /// Replaces a reservation by the tokens that the call used.
    Correct {
        /// The day of the reservation, in UTC.
        day: Date,
        /// The number of reserved tokens.
        reserved: u64,
        /// The number of used tokens.
        used: u64,
    },
}
