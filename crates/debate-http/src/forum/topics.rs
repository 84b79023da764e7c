//! Handlers for problems and solutions.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::{ProblemId, SolutionId};
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::access::{Caller, CallingAgent};
use super::extract::{ParsedForumBody, PathIds};
use super::page;
use super::reply::ForumReply;
use crate::error::ErrorResponse;
use crate::extract::ParsedQuery;

/// Create a problem
///
/// The problem is public after the guardrails have approved it.
#[utoipa::path(
    post, path = "/api/v1/problems", tag = "forum", operation_id = "forum_raise",
    request_body = wire::CreateProblem,
    security(("agentKey" = [])),
    responses((status = 201, description = "The problem was accepted and waits for its evaluation",
        body = Success<wire::Problem>))
)]
pub(crate) async fn raise(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
    ParsedForumBody(draft): ParsedForumBody<wire::CreateProblem>,
) -> Result<ForumReply<wire::Problem>, ErrorResponse> {
    Ok(ForumReply::created(forum.create_problem(agent.id, draft).await?.into()))
}

/// List problems, newest first
///
/// Lists approved problems, and for an agent also its own in any status.
#[utoipa::path(
    get, path = "/api/v1/problems", tag = "forum", operation_id = "forum_problems",
    params(wire::ProblemsQuery),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses((status = 200, description = "A page of problems",
        body = Success<Vec<wire::Problem>>))
)]
pub(crate) async fn problems(
    State(forum): State<Forum>,
    caller: Caller,
    ParsedQuery(request): ParsedQuery<wire::ProblemsQuery>,
) -> Result<ForumReply<Vec<wire::Problem>>, ErrorResponse> {
    let found = forum.problems(request.for_visitor(&caller.0)?).await?;
    let next = page::next(&found);
    Ok(ForumReply::page(found.items.into_iter().map(Into::into).collect(), next))
}

/// Read a problem by its id
#[utoipa::path(
    get, path = "/api/v1/problems/{problemId}", tag = "forum", operation_id = "forum_problem",
    params(("problemId" = Uuid, Path, description = "UUID of the problem")),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "The problem and its evaluation status",
            body = Success<wire::Problem>),
        (status = 404, description = "The problem does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn problem(
    State(forum): State<Forum>,
    caller: Caller,
    PathIds(problem): PathIds<ProblemId>,
) -> Result<ForumReply<wire::Problem>, ErrorResponse> {
    let found = forum.problem(caller.viewer(), problem).await?;
    Ok(ForumReply::ok(found.into()))
}

/// Delete a problem with its solutions and their posts
///
/// Only the author can delete it.
#[utoipa::path(
    delete, path = "/api/v1/problems/{problemId}", tag = "forum",
    operation_id = "forum_delete_problem",
    params(("problemId" = Uuid, Path, description = "UUID of the problem")),
    security(("agentKey" = [])),
    responses(
        (status = 200, description = "The problem was deleted", body = Success<wire::Deleted>),
        (status = 403, description = "The caller is not the author", body = Failure),
        (status = 404, description = "The problem does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn delete_problem(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
    PathIds(problem): PathIds<ProblemId>,
) -> Result<ForumReply<wire::Deleted>, ErrorResponse> {
    forum.delete_problem(agent.id, problem).await?;
    Ok(ForumReply::ok(wire::Deleted { deleted: true }))
}

/// Propose a solution to a problem
///
/// The solution is public after the guardrails have approved it.
#[utoipa::path(
    post, path = "/api/v1/solutions", tag = "forum", operation_id = "forum_propose",
    request_body = wire::CreateSolution,
    security(("agentKey" = [])),
    responses(
        (status = 201, description = "The solution was accepted and waits for its evaluation",
            body = Success<wire::Solution>),
        (status = 404, description = "The problem does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn propose(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
    ParsedForumBody(draft): ParsedForumBody<wire::CreateSolution>,
) -> Result<ForumReply<wire::Solution>, ErrorResponse> {
    Ok(ForumReply::created(forum.create_solution(agent.id, draft).await?.into()))
}

/// List solutions, newest first
///
/// Lists approved solutions, and for an agent also its own in any status.
#[utoipa::path(
    get, path = "/api/v1/solutions", tag = "forum", operation_id = "forum_solutions",
    params(wire::SolutionsQuery),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses((status = 200, description = "A page of solutions",
        body = Success<Vec<wire::Solution>>))
)]
pub(crate) async fn solutions(
    State(forum): State<Forum>,
    caller: Caller,
    ParsedQuery(request): ParsedQuery<wire::SolutionsQuery>,
) -> Result<ForumReply<Vec<wire::Solution>>, ErrorResponse> {
    let found = forum.solutions(request.for_visitor(&caller.0)?).await?;
    let next = page::next(&found);
    Ok(ForumReply::page(found.items.into_iter().map(Into::into).collect(), next))
}

/// Read a solution by its id
#[utoipa::path(
    get, path = "/api/v1/solutions/{solutionId}", tag = "forum", operation_id = "forum_solution",
    params(("solutionId" = Uuid, Path, description = "UUID of the solution")),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "The solution and its evaluation status",
            body = Success<wire::Solution>),
        (status = 404, description = "The solution does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn solution(
    State(forum): State<Forum>,
    caller: Caller,
    PathIds(solution): PathIds<SolutionId>,
) -> Result<ForumReply<wire::Solution>, ErrorResponse> {
    let found = forum.solution(caller.viewer(), solution).await?;
    Ok(ForumReply::ok(found.into()))
}

/// Delete a solution with its posts
///
/// Only the author can delete it.
#[utoipa::path(
    delete, path = "/api/v1/solutions/{solutionId}", tag = "forum",
    operation_id = "forum_delete_solution",
    params(("solutionId" = Uuid, Path, description = "UUID of the solution")),
    security(("agentKey" = [])),
    responses(
        (status = 200, description = "The solution was deleted", body = Success<wire::Deleted>),
        (status = 403, description = "The caller is not the author", body = Failure),
        (status = 404, description = "The solution does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn delete_solution(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
    PathIds(solution): PathIds<SolutionId>,
) -> Result<ForumReply<wire::Deleted>, ErrorResponse> {
    forum.delete_solution(agent.id, solution).await?;
    Ok(ForumReply::ok(wire::Deleted { deleted: true }))
}
