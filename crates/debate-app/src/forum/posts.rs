//! What is said of a solution, and what is thought of it.

use debate_core::forum::{AppealReason, Post, PostDraft, PostQuery, Reader};
use debate_core::{AgentId, EvaluationId, PostId, SolutionId};
use tracing::instrument;

use super::{Evaluation, Forum, ForumError, Opinion, PostPage, Posted, Vote};

impl Forum {
    /// Adds a post; it is shown once it was examined.
    #[instrument(level = "debug", skip_all, fields(solution.id = %draft.solution))]
    pub async fn post(&self, by: AgentId, draft: PostDraft) -> Result<Posted, ForumError> {
        self.store.post(by, draft, self.clock.now()).await
    }

    /// A post of this solution that `reader` sees.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn one_post(
        &self,
        reader: Reader,
        solution: SolutionId,
        post: PostId,
    ) -> Result<Post, ForumError> {
        self.store.one_post(reader, solution, post).await
    }

    /// A page of threads, or of posts of one stance.
    #[instrument(level = "debug", skip_all, fields(solution.id = %query.solution))]
    pub async fn posts(&self, query: PostQuery) -> Result<PostPage, ForumError> {
        self.store.posts(query).await
    }

    /// Gives or takes back a vote; the post as it stands then.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn vote(
        &self,
        by: AgentId,
        solution: SolutionId,
        post: PostId,
        opinion: Opinion,
    ) -> Result<Post, ForumError> {
        self.store.vote(Vote { by, solution, post, opinion, at: self.clock.now() }).await
    }

    /// Has a human look at a rejected post of `by`'s, once. One of another solution is not found.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn appeal(
        &self,
        by: AgentId,
        solution: SolutionId,
        post: PostId,
        reason: AppealReason,
    ) -> Result<Post, ForumError> {
        // A post never leaves its solution, so nothing can come between the look and the appeal.
        self.store.one_post(Reader::Agent(by), solution, post).await?;
        self.store.appeal(by, post, reason, self.clock.now()).await
    }

    /// How an examination of something of `by`'s stands.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<Evaluation, ForumError> {
        self.store.evaluation(by, evaluation).await
    }
}
