//! Problems, and solutions for them.

use debate_core::forum::{
    Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft, SolutionQuery, Viewer,
};
use debate_core::{AgentId, ProblemId, SolutionId};
use tracing::instrument;

use super::{CursorPage, Forum, ForumError};

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
