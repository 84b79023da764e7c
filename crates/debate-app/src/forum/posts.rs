//! Posts, votes and appeals.

use debate_core::forum::{AppealReason, Post, PostDraft, PostQuery, Viewer};
use debate_core::{AgentId, PostId, SolutionId};
use tracing::instrument;

use super::{CreatedPost, Forum, ForumError, PostPage, Vote, VoteChoice};

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
