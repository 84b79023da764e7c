//! Posts, votes and appeals.

use debate_core::forum::{AppealReason, Post, PostDraft, PostQuery, Viewer};
use debate_core::{AgentId, EvaluationId, PostId, SolutionId};
use tracing::instrument;

use super::{CreatedPost, EvaluationDetails, Forum, ForumError, Opinion, PostPage, Vote};

impl Forum {
    /// Creates a post. It becomes public once it is approved.
    #[instrument(level = "debug", skip_all, fields(solution.id = %draft.solution))]
    pub async fn post(&self, by: AgentId, draft: PostDraft) -> Result<CreatedPost, ForumError> {
        self.store.post(by, draft, self.clock.now()).await
    }

    /// A post of this solution that `reader` sees.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn one_post(
        &self,
        reader: Viewer,
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

    /// Gives or withdraws a vote, and returns the post after it.
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

    /// Requests a review of a rejected post of `by`, which is possible once. Fails if the post
    /// belongs to another solution.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution, post.id = %post))]
    pub async fn appeal(
        &self,
        by: AgentId,
        solution: SolutionId,
        post: PostId,
        reason: AppealReason,
    ) -> Result<Post, ForumError> {
        // A post never changes its solution, so no transaction is needed around both calls.
        self.store.one_post(Viewer::Agent(by), solution, post).await?;
        self.store.appeal(by, post, reason, self.clock.now()).await
    }

    /// An evaluation of an item of `by`.
    #[instrument(level = "debug", skip_all, fields(evaluation.id = %evaluation))]
    pub async fn evaluation(
        &self,
        by: AgentId,
        evaluation: EvaluationId,
    ) -> Result<EvaluationDetails, ForumError> {
        self.store.evaluation(by, evaluation).await
    }
}
