//! The forum in SQLite.

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

use super::Sqlite;
use super::steps::{read, transact};
use crate::forum;

#[async_trait]
impl ForumStore for Sqlite {
    async fn register(&self, draft: AgentDraft, at: Timestamp) -> Result<Agent, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::register(&draft, at))?).await
    }

    async fn authenticate(&self, key: &AgentKey, at: Timestamp) -> Result<Agent, ForumError> {
        self.readers.short(|conn| read(conn, forum::authenticate(key, at))?).await
    }

    async fn holders(&self, prefix: &KeyPrefix, at: Timestamp) -> Result<Vec<Holder>, StoreError> {
        self.readers.short(|conn| Ok(read(conn, forum::holders(prefix, at))?)).await
    }

    async fn rotate(&self, rotate: NewKey) -> Result<Rotated, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::rotate(&rotate))?).await
    }

    async fn agent(&self, agent: AgentId) -> Result<Agent, ForumError> {
        self.readers.short(|conn| read(conn, forum::agent(agent))?).await
    }

    async fn patch_agent(&self, agent: AgentId, patch: AgentPatch) -> Result<Agent, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::patch_agent(agent, patch))?).await
    }

    async fn raise(
        &self,
        by: AgentId,
        draft: ProblemDraft,
        at: Timestamp,
    ) -> Result<Problem, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::raise(by, &draft, at))?).await
    }

    async fn propose(
        &self,
        by: AgentId,
        draft: SolutionDraft,
        at: Timestamp,
    ) -> Result<Solution, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::propose(by, &draft, at))?).await
    }

    async fn problem(&self, reader: Reader, problem: ProblemId) -> Result<Problem, ForumError> {
        self.readers.short(|conn| read(conn, forum::problem(reader, problem))?).await
    }

    async fn solution(&self, reader: Reader, solution: SolutionId) -> Result<Solution, ForumError> {
        self.readers.short(|conn| read(conn, forum::solution(reader, solution))?).await
    }

    async fn problems(&self, query: ProblemQuery) -> Result<Page<Problem>, ForumError> {
        self.list_readers.long(move |conn| read(conn, forum::problems(&query))?).await
    }

    async fn solutions(&self, query: SolutionQuery) -> Result<Page<Solution>, ForumError> {
        self.list_readers.long(move |conn| read(conn, forum::solutions(&query))?).await
    }

    async fn delete_problem(&self, by: AgentId, problem: ProblemId) -> Result<(), ForumError> {
        self.writer.run(move |tx| transact(tx, forum::delete_problem(by, problem))?).await
    }

    async fn delete_solution(&self, by: AgentId, solution: SolutionId) -> Result<(), ForumError> {
        self.writer.run(move |tx| transact(tx, forum::delete_solution(by, solution))?).await
    }

    async fn post(
        &self,
        by: AgentId,
        draft: PostDraft,
        at: Timestamp,
    ) -> Result<Posted, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::post(by, &draft, at))?).await
    }

    async fn one_post(
        &self,
        reader: Reader,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError> {
        self.readers.short(|conn| read(conn, forum::one_post(reader, solution, post))?).await
    }

    async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError> {
        self.readers.long(move |conn| read(conn, forum::posts(&query))?).await
    }

    async fn feed(&self, query: FeedQuery) -> Result<News, ForumError> {
        self.readers.long(move |conn| read(conn, forum::feed(query))?).await
    }

    async fn vote(&self, vote: Vote) -> Result<Post, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::vote(vote))?).await
    }

    async fn take(&self, take: Take) -> Result<Found, StoreError> {
        self.writer.run(move |tx| Ok(transact(tx, forum::take(&take))?)).await
    }

    async fn renew(&self, renew: Renew) -> Result<Settlement, StoreError> {
        self.writer.run(move |tx| Ok(transact(tx, forum::renew(renew))?)).await
    }

    async fn settle(&self, settle: Settle) -> Result<Settlement, StoreError> {
        self.writer.run(move |tx| Ok(transact(tx, forum::settle(&settle))?)).await
    }

    async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<Evaluation, ForumError> {
        self.readers.short(|conn| read(conn, forum::evaluation(by, evaluation))?).await
    }

    async fn known_verdict(&self, key: VerdictKey) -> Result<Option<Assessment>, StoreError> {
        self.readers.short(|conn| Ok(read(conn, forum::known_verdict(key))?)).await
    }

    async fn keep_verdict(
        &self,
        key: VerdictKey,
        assessment: Assessment,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.writer
            .run(move |tx| Ok(transact(tx, forum::keep_verdict(key, &assessment, at))?))
            .await
    }

    async fn spend(&self, spend: Spend) -> Result<bool, StoreError> {
        self.writer.run(move |tx| Ok(transact(tx, forum::spend(spend))?)).await
    }

    async fn flagged(&self, query: FlaggedQuery) -> Result<FlaggedPage, ForumError> {
        self.list_readers.long(move |conn| read(conn, forum::flagged(query))?).await
    }

    async fn reviewable(&self, evaluation: EvaluationId) -> Result<Evaluation, ForumError> {
        self.readers.short(|conn| read(conn, forum::reviewable(evaluation))?).await
    }

    async fn claim(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        let reviewer = reviewer.to_owned();
        self.writer.run(move |tx| transact(tx, forum::claim(evaluation, &reviewer, at))?).await
    }

    async fn release(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        let reviewer = reviewer.to_owned();
        self.writer.run(move |tx| transact(tx, forum::release(evaluation, &reviewer, at))?).await
    }

    async fn review(
        &self,
        evaluation: EvaluationId,
        reviewer: &str,
        ruling: Ruling,
        notes: Notes,
        at: Timestamp,
    ) -> Result<Evaluation, ForumError> {
        let reviewer = reviewer.to_owned();
        self.writer
            .run(move |tx| transact(tx, forum::review(evaluation, &reviewer, ruling, &notes, at))?)
            .await
    }

    async fn appeal(
        &self,
        by: AgentId,
        post: PostId,
        reason: AppealReason,
        at: Timestamp,
    ) -> Result<Post, ForumError> {
        self.writer.run(move |tx| transact(tx, forum::appeal(by, post, &reason, at))?).await
    }
}
