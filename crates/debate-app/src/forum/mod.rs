//! The forum's use cases, and the port to their storage engine.
//!
//! Guardrails decide whether an item (a problem, a solution or a post) becomes public. An
//! evaluation is their decision about one item (approved, rejected or flagged), with the attempts
//! that led to it. A review is the decision of a person about an item that the guardrails flagged,
//! or whose author appealed against a rejection. A follower reads the live feed of a solution.

mod access;
mod agents;
mod evaluation;
mod follow;
mod port;
mod review;

pub mod guardrail;

use std::sync::Arc;

use debate_core::forum::guardrail::{ClaimRefusal, GuardrailRefusal};
use debate_core::forum::{
    AppealReason, ForumLimits, ParentRefusal, Post, PostDraft, PostQuery, Problem, ProblemDraft,
    ProblemQuery, ReplyRefusal, Solution, SolutionDraft, SolutionQuery, Username, Viewer,
};
use debate_core::{Admission, AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use tracing::instrument;

use crate::{Clock, Notifier, RateLimiter, StoreError, TooManyWaiters};

pub use access::{AccessDecision, AccessRequest, Credential, Visitor};
pub use agents::{Registration, RotatedAgentKey};
pub use evaluation::{
    EvaluatedItem, EvaluationAttemptResult, EvaluationDetails, EvaluationTask, FlaggedPage,
    FlaggedQuery, LayerResults, ReviewClaimFilter, ReviewDecision,
};
pub use follow::{FeedFollower, FeedUpdate, Subscriber};
pub use port::{
    AgentPatch, ClassifierTokenReservation, CreatedPost, CursorPage, FeedPage, FeedQuery,
    ForumStore, KeyHolder, NewAgentKey, OldAgentKey, PostPage, RateLimitChange, Vote, VoteChoice,
};
pub use review::FlaggedFilter;

/// The use cases of the forum: each operation that a client may request is a method.
#[derive(Clone)]
pub struct Forum {
    store: Arc<dyn ForumStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    rate_limiter: RateLimiter,
    limits: ForumLimits,
}

impl Forum {
    /// A forum over `store`, which must notify `notifier` after every commit. `rate_limiter` counts
    /// requests and registrations; `limits` says how many of them are allowed.
    #[must_use]
    pub fn new(
        store: Arc<dyn ForumStore>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        rate_limiter: RateLimiter,
        limits: ForumLimits,
    ) -> Self {
        Self { store, notifier, clock, rate_limiter, limits }
    }

    /// The current time, for responses that depend on it.
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}

/// The reason why an operation of the forum failed. An item that the caller may not see counts as
/// one that does not exist.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ForumError {
    /// The key is unknown or expired, or its agent was deactivated. Callers do not learn which.
    #[error("the agent key is missing, wrong or expired")]
    BadKey,
    /// Too many agents were registered from the caller's network.
    #[error("too many agents were registered from your network")]
    TooManyRegistrations(Admission),
    /// Another agent has the name.
    #[error("the username {0} is taken")]
    UsernameTaken(Username),
    /// No agent has this id.
    #[error("agent {0} does not exist")]
    UnknownAgent(AgentId),
    /// No problem that the caller can see has this id.
    #[error("problem {0} does not exist")]
    UnknownProblem(ProblemId),
    /// No solution that the caller can see has this id.
    #[error("solution {0} does not exist")]
    UnknownSolution(SolutionId),
    /// No post that the caller can see has this id in this solution.
    #[error("post {0} does not exist")]
    UnknownPost(PostId),
    /// No evaluation that the caller may see has this id.
    #[error("evaluation {0} does not exist")]
    UnknownEvaluation(EvaluationId),
    /// The item belongs to another agent.
    #[error("only the author may do this")]
    NotTheAuthor,
    /// Agents cannot upvote their own posts.
    #[error("an agent cannot upvote its own post")]
    OwnPost,
    /// The parent post cannot be answered.
    #[error("`parentDebateId` {0}")]
    Parent(#[from] ParentRefusal),
    /// Too many of the caller's posts in the thread are neither approved nor rejected.
    #[error("{}", ReplyRefusal::TooManyUndecided)]
    TooManyUndecided,
    /// An earlier request with another body used the idempotency key.
    #[error("an earlier request with another body used this idempotency key")]
    KeyReused,
    /// The agent posted the same text under the same parent within the last 10 minutes.
    #[error("you posted the same text here within the last 10 minutes, as post {0}")]
    Repeated(PostId),
    /// The status of the evaluation forbids the action.
    #[error(transparent)]
    Guardrail(#[from] GuardrailRefusal),
    /// Another reviewer has claimed the item, or the caller has not.
    #[error(transparent)]
    Claim(#[from] ClaimRefusal),
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ReplyRefusal> for ForumError {
    fn from(refusal: ReplyRefusal) -> Self {
        match refusal {
            ReplyRefusal::Parent(refusal) => Self::Parent(refusal),
            ReplyRefusal::TooManyUndecided => Self::TooManyUndecided,
        }
    }
}

impl Forum {
    /// Creates a problem. It becomes public once it is approved.
    #[instrument(level = "debug", skip_all, fields(agent.id = %author))]
    pub async fn create_problem(
        &self,
        author: AgentId,
        draft: ProblemDraft,
    ) -> Result<Problem, ForumError> {
        self.store.create_problem(author, draft, self.clock.now()).await
    }

    /// Creates a solution. The author must be allowed to see the problem. The solution becomes
    /// public once it is approved.
    #[instrument(level = "debug", skip_all, fields(agent.id = %author))]
    pub async fn create_solution(
        &self,
        author: AgentId,
        draft: SolutionDraft,
    ) -> Result<Solution, ForumError> {
        self.store.create_solution(author, draft, self.clock.now()).await
    }

    /// A problem, if `viewer` may see it.
    #[instrument(level = "debug", skip_all, fields(problem.id = %problem))]
    pub async fn problem(&self, viewer: Viewer, problem: ProblemId) -> Result<Problem, ForumError> {
        self.store.problem(viewer, problem).await
    }

    /// A solution, if `viewer` may see it.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution))]
    pub async fn solution(
        &self,
        viewer: Viewer,
        solution: SolutionId,
    ) -> Result<Solution, ForumError> {
        self.store.solution(viewer, solution).await
    }

    /// A page of problems.
    #[instrument(level = "debug", skip_all)]
    pub async fn problems(&self, query: ProblemQuery) -> Result<CursorPage<Problem>, ForumError> {
        self.store.problems(query).await
    }

    /// A page of solutions.
    #[instrument(level = "debug", skip_all)]
    pub async fn solutions(
        &self,
        query: SolutionQuery,
    ) -> Result<CursorPage<Solution>, ForumError> {
        self.store.solutions(query).await
    }

    /// Deletes a problem of `author` with its solutions and their posts.
    #[instrument(level = "debug", skip_all, fields(problem.id = %problem))]
    pub async fn delete_problem(
        &self,
        author: AgentId,
        problem: ProblemId,
    ) -> Result<(), ForumError> {
        self.store.delete_problem(author, problem).await
    }

    /// Deletes a solution of `author` with its posts.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution))]
    pub async fn delete_solution(
        &self,
        author: AgentId,
        solution: SolutionId,
    ) -> Result<(), ForumError> {
        self.store.delete_solution(author, solution).await
    }
}

impl Forum {
    /// Creates a post, which becomes public once it is approved, or returns the post of an earlier
    /// request with the same idempotency key.
    #[instrument(level = "debug", skip_all, fields(solution.id = %draft.solution))]
    pub async fn create_post(
        &self,
        author: AgentId,
        draft: PostDraft,
    ) -> Result<CreatedPost, ForumError> {
        self.store.create_post(author, draft, self.clock.now()).await
    }

    /// A post of this solution, if `viewer` may see it.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn post(
        &self,
        viewer: Viewer,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError> {
        self.store.post(viewer, solution, post).await
    }

    /// A page of threads, or of flat posts if the query filters by stance.
    #[instrument(level = "debug", skip_all, fields(solution.id = %query.solution))]
    pub async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError> {
        self.store.posts(query).await
    }

    /// Gives or withdraws a vote. Returns the updated post.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn vote(
        &self,
        agent: AgentId,
        solution: SolutionId,
        post: PostId,
        choice: VoteChoice,
    ) -> Result<Post, ForumError> {
        self.store.vote(Vote { agent, solution, post, choice, at: self.clock.now() }).await
    }

    /// Requests a review of a rejected post of `author`, and returns the updated post. A post can
    /// be appealed only once. Fails if the post belongs to another solution.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn appeal(
        &self,
        author: AgentId,
        solution: SolutionId,
        post: PostId,
        reason: AppealReason,
    ) -> Result<Post, ForumError> {
        // A post never changes its solution, so no transaction is needed around both calls.
        self.store.post(Viewer::Agent(author), solution, post).await?;
        self.store.appeal(author, post, reason, self.clock.now()).await
    }
}
