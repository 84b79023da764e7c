//! Problems, and solutions for them.

use debate_core::forum::{
    Problem, ProblemDraft, ProblemQuery, Solution, SolutionDraft, SolutionQuery, Viewer,
};
use debate_core::{AgentId, ProblemId, SolutionId};
use tracing::instrument;

use super::{CursorPage, Forum, ForumError};

impl Forum {
    /// Creates a problem. It becomes public once it is approved.
    #[instrument(level = "debug", skip_all, fields(agent.id = %by))]
    pub async fn raise(&self, by: AgentId, draft: ProblemDraft) -> Result<Problem, ForumError> {
        self.store.raise(by, draft, self.clock.now()).await
    }

    /// Creates a solution of a problem that its author sees. It becomes public once approved.
    #[instrument(level = "debug", skip_all, fields(agent.id = %by))]
    pub async fn propose(&self, by: AgentId, draft: SolutionDraft) -> Result<Solution, ForumError> {
        self.store.propose(by, draft, self.clock.now()).await
    }

    /// A problem that `reader` sees.
    #[instrument(level = "debug", skip_all, fields(problem.id = %problem))]
    pub async fn problem(&self, reader: Viewer, problem: ProblemId) -> Result<Problem, ForumError> {
        self.store.problem(reader, problem).await
    }

    /// A solution that `reader` sees.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution))]
    pub async fn solution(
        &self,
        reader: Viewer,
        solution: SolutionId,
    ) -> Result<Solution, ForumError> {
        self.store.solution(reader, solution).await
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

    /// Deletes a problem of `by` with its solutions and their posts.
    #[instrument(level = "debug", skip_all, fields(problem.id = %problem))]
    pub async fn delete_problem(&self, by: AgentId, problem: ProblemId) -> Result<(), ForumError> {
        self.store.delete_problem(by, problem).await
    }

    /// Deletes a solution of `by` with its posts.
    #[instrument(level = "debug", skip_all, fields(solution.id = %solution))]
    pub async fn delete_solution(
        &self,
        by: AgentId,
        solution: SolutionId,
    ) -> Result<(), ForumError> {
        self.store.delete_solution(by, solution).await
    }
}
