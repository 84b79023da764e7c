//! The forum's port, once for both engines.
//!
//! PostgreSQL takes locks in one order: the problem, the solution, the evaluation, the author.
//! Every operation that changes what is visible of a solution has its lock.

mod agents;
mod assessments;
mod evaluation;
mod feed;
mod lists;
mod posts;
mod publish;
mod review;
mod rows;
mod statements;
mod threads;
mod topics;
mod votes;
mod work;

use async_trait::async_trait;
use debate_app::forum::{
    AgentPatch, ClassifierTokenReservation, CreatedPost, CursorPage, EvaluationDetails,
    EvaluationTask, FeedPage, FeedQuery, FlaggedPage, FlaggedQuery, ForumError, ForumStore,
    KeyHolder, NewAgentKey, PostPage, Vote,
};
use debate_app::{LeaseRequest, StoreError, WorkOffer};
use debate_core::forum::guardrail::{Assessment, AssessmentKey, Ruling};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, AppealReason, KeyPrefix, Notes, Post, PostDraft, PostQuery,
    Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft, SolutionQuery, Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;

use crate::engine::{Engine, ReadClass, Store};
use crate::sql::{Commit, Operation};

type ForumRead<'o, T> = Operation<'o, Result<T, ForumError>>;
type ForumWrite<'o, T> = Operation<'o, Commit<Result<T, ForumError>>>;

#[async_trait]
impl<E: Engine> ForumStore for Store<E> {
    async fn register(&self, draft: AgentDraft, at: Timestamp) -> Result<Agent, ForumError> {
        self.0.write((draft, at), agents::register).await?
    }

    async fn authenticate(&self, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError> {
        self.0.read(ReadClass::Short, (key.clone(), at), agents::authenticate).await?
    }

    async fn key_holders(
        &self,
        prefix: &KeyPrefix,
        at: Timestamp,
    ) -> Result<Vec<KeyHolder>, StoreError> {
        self.0.read(ReadClass::Short, (prefix.clone(), at), agents::key_holders).await
    }

    async fn rotate(&self, rotate: NewAgentKey) -> Result<Timestamp, ForumError> {
        self.0.write(rotate, agents::rotate).await?
    }

    async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError> {
        self.0.read(ReadClass::Short, agent, agents::agent).await?
    }

    async fn patch_agent(&self, agent: AgentId, patch: AgentPatch) -> Result<Agent, ForumError> {
        self.0.write((agent, patch), agents::patch).await?
    }

    async fn create_problem(
        &self,
        author: AgentId,
        draft: ProblemDraft,
        at: Timestamp,
    ) -> Result<Problem, ForumError> {
        self.0.write((author, draft, at), topics::create_problem).await?
    }

    async fn create_solution(
        &self,
        author: AgentId,
        draft: SolutionDraft,
        at: Timestamp,
    ) -> Result<Solution, ForumError> {
        self.0.write((author, draft, at), topics::create_solution).await?
    }

    async fn problem(&self, viewer: Viewer, problem: ProblemId) -> Result<Problem, ForumError> {
        self.0.read(ReadClass::Short, (viewer, problem), topics::problem).await?
    }

    async fn solution(&self, viewer: Viewer, solution: SolutionId) -> Result<Solution, ForumError> {
        self.0.read(ReadClass::Short, (viewer, solution), topics::solution).await?
    }

    async fn problems(&self, query: ProblemQuery) -> Result<CursorPage<Problem>, ForumError> {
        Ok(self.0.read(ReadClass::List, query, lists::problems).await?)
    }

    async fn solutions(&self, query: SolutionQuery) -> Result<CursorPage<Solution>, ForumError> {
        Ok(self.0.read(ReadClass::List, query, lists::solutions).await?)
    }

    async fn delete_problem(&self, author: AgentId, problem: ProblemId) -> Result<(), ForumError> {
        self.0.write((author, problem), topics::delete_problem).await?
    }

    async fn delete_solution(
        &self,
        author: AgentId,
        solution: SolutionId,
    ) -> Result<(), ForumError> {
        self.0.write((author, solution), topics::delete_solution).await?
    }

    async fn create_post(
        &self,
        author: AgentId,
        draft: PostDraft,
        at: Timestamp,
    ) -> Result<CreatedPost, ForumError> {
        self.0.write((author, draft, at), posts::create).await?
    }

    async fn post(
        &self,
        viewer: Viewer,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError> {
        self.0.read(ReadClass::Short, (viewer, solution, post), posts::find).await?
    }

    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError> {
        self.0.read(ReadClass::Long, query, threads::posts).await?
    }

    async fn feed(&self, query: FeedQuery) -> Result<FeedPage, ForumError> {
        self.0.read(ReadClass::Long, query, feed::feed).await?
    }

    async fn vote(&self, vote: Vote) -> Result<Post, ForumError> {
        self.0.write(vote, votes::vote).await?
    }

    async fn acquire(
        &self,
        request: LeaseRequest,
    ) -> Result<WorkOffer<EvaluationTask>, StoreError> {
        self.0.write(request, work::acquire).await
    }

    async fn evaluation(
        &self,
        author: AgentId,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError> {
        self.0.read(ReadClass::Short, (author, evaluation), review::evaluation).await?
    }

    async fn cached_assessment(
        &self,
        key: AssessmentKey,
    ) -> Result<Option<Assessment>, StoreError> {
        self.0.read(ReadClass::Short, key, assessments::find).await
    }

    async fn cache_assessment(
        &self,
        key: AssessmentKey,
        assessment: Assessment,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.write((key, assessment, at), assessments::save).await
    }

    async fn reserve_tokens(&self, spend: ClassifierTokenReservation) -> Result<bool, StoreError> {
        self.0.write(spend, assessments::reserve_tokens).await
    }

    async fn flagged(&self, query: FlaggedQuery) -> Result<FlaggedPage, ForumError> {
        Ok(self.0.read(ReadClass::List, query, review::flagged).await?)
    }

    async fn reviewable(&self, evaluation: EvaluationId) -> Result<EvaluationDetails, ForumError> {
        self.0.read(ReadClass::Short, evaluation, review::reviewable).await?
    }

    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError> {
        self.0.write((evaluation, reviewer.to_owned(), at), review::claim).await?
    }

    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError> {
        self.0.write((evaluation, reviewer.to_owned(), at), review::release).await?
    }

    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<EvaluationDetails, ForumError> {
        let review = (evaluation, reviewer.to_owned(), ruling, notes, at);
        self.0.write(review, review::review).await?
    }

    async fn appeal(
        &self,
        author: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError> {
        self.0.write((author, post, reason, at), review::appeal).await?
    }
}
