//! The forum in PostgreSQL.

mod archive;

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::forum::{
    AgentPatch, Evaluation, FeedQuery, FlaggedPage, FlaggedQuery, ForumError, ForumStore, Found,
    Holder, NewKey, News, Page, PostPage, Posted, Renew, Rotated, Settle, Settlement, Spend, Take,
    Vote,
};
use debate_core::forum::guardrail::{Assessment, Ruling, VerdictKey};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, AppealReason, KeyPrefix, Notes, Post, PostDraft, PostQuery,
    Problem, ProblemDraft, ProblemQuery, Reader, Solution, SolutionDraft, SolutionQuery,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::Postgres;
use super::steps::{read, transact};
use crate::forum;

#[async_trait]
impl ForumStore for Postgres {
    async fn register(&self, draft: AgentDraft, at: Timestamp) -> Result<Agent, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::register(&draft, at))).await?
    }

    async fn authenticate(&self, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError> {
        read(&self.readers, forum::authenticate(key, at)).await?
    }

    async fn holders(&self, prefix: &KeyPrefix, at: Timestamp) -> Result<Vec<Holder>, StoreError> {
        Ok(read(&self.readers, forum::holders(prefix, at)).await?)
    }

    async fn rotate(&self, rotate: NewKey) -> Result<Rotated, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::rotate(&rotate))).await?
    }

    async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError> {
        read(&self.readers, forum::agent(agent)).await?
    }

    async fn patch_agent(&self, agent: AgentId, patch: AgentPatch) -> Result<Agent, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::patch_agent(agent, patch))).await?
    }

    async fn raise(
        &self,
        by: AgentId,
        draft: ProblemDraft,
        at: Timestamp,
    ) -> Result<Problem, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::raise(by, &draft, at))).await?
    }

    async fn propose(
        &self,
        by: AgentId,
        draft: SolutionDraft,
        at: Timestamp,
    ) -> Result<Solution, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::propose(by, &draft, at))).await?
    }

    async fn problem(&self, reader: Reader, problem: ProblemId) -> Result<Problem, ForumError> {
        read(&self.readers, forum::problem(reader, problem)).await?
    }

    async fn solution(&self, reader: Reader, solution: SolutionId) -> Result<Solution, ForumError> {
        read(&self.readers, forum::solution(reader, solution)).await?
    }

    async fn problems(&self, query: ProblemQuery) -> Result<Page<Problem>, ForumError> {
        read(&self.list_readers, forum::problems(&query)).await?
    }

    async fn solutions(&self, query: SolutionQuery) -> Result<Page<Solution>, ForumError> {
        read(&self.list_readers, forum::solutions(&query)).await?
    }

    async fn delete_problem(&self, by: AgentId, problem: ProblemId) -> Result<(), ForumError> {
        self.writers.run(|| transact(&self.writers, forum::delete_problem(by, problem))).await?
    }

    async fn delete_solution(&self, by: AgentId, solution: SolutionId) -> Result<(), ForumError> {
        self.writers.run(|| transact(&self.writers, forum::delete_solution(by, solution))).await?
    }

    async fn post(
        &self,
        by: AgentId,
        draft: PostDraft,
        at: Timestamp,
    ) -> Result<Posted, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::post(by, &draft, at))).await?
    }

    async fn one_post(
        &self,
        reader: Reader,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError> {
        read(&self.readers, forum::one_post(reader, solution, post)).await?
    }

    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError> {
        read(&self.readers, forum::posts(&query)).await?
    }

    async fn feed(&self, query: FeedQuery) -> Result<News, ForumError> {
        read(&self.readers, forum::feed(query)).await?
    }

    async fn vote(&self, vote: Vote) -> Result<Post, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::vote(vote))).await?
    }

    async fn take(&self, take: Take) -> Result<Found, StoreError> {
        self.writers.run(|| transact(&self.writers, forum::take(&take))).await
    }

    async fn renew(&self, renew: Renew) -> Result<Settlement, StoreError> {
        self.writers.run(|| transact(&self.writers, forum::renew(renew))).await
    }

    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError> {
        self.writers.run(|| transact(&self.writers, forum::settle(&settle))).await
    }

    async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<Evaluation, ForumError> {
        read(&self.readers, forum::evaluation(by, evaluation)).await?
    }

    async fn known_verdict(&self, key: VerdictKey) -> Result<Option<Assessment>, StoreError> {
        Ok(read(&self.readers, forum::known_verdict(key)).await?)
    }

    async fn keep_verdict(
        &self,
        key: VerdictKey,
        assessment: Assessment,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.writers
            .run(|| transact(&self.writers, forum::keep_verdict(key, &assessment, at)))
            .await
    }

    async fn spend(&self, spend: Spend) -> Result<bool, StoreError> {
        self.writers.run(|| transact(&self.writers, forum::spend(spend))).await
    }

    async fn flagged(&self, query: FlaggedQuery) -> Result<FlaggedPage, ForumError> {
        read(&self.list_readers, forum::flagged(query)).await?
    }

    async fn reviewable(&self, evaluation: EvaluationId) -> Result<Evaluation, ForumError> {
        read(&self.readers, forum::reviewable(evaluation)).await?
    }

    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::claim(evaluation, reviewer, at))).await?
    }

    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        self.writers
            .run(|| transact(&self.writers, forum::release(evaluation, reviewer, at)))
            .await?
    }

    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        self.writers
            .run(|| {
                transact(&self.writers, forum::review(evaluation, reviewer, ruling, &notes, at))
            })
            .await?
    }

    async fn appeal(
        &self,
        by: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError> {
        self.writers.run(|| transact(&self.writers, forum::appeal(by, post, &reason, at))).await?
    }
}
