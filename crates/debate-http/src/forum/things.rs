//! What debates attach to: problems, and solutions for them.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::{ProblemId, SolutionId};
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::door::{Anyone, AsAgent};
use super::form::Body;
use super::page;
use super::path::At;
use super::told::Told;
use crate::parsed::InQuery;
use crate::problem::Problem;

/// Raise a problem; it is shown once it was examined
#[utoipa::path(
    post, path = "/api/v1/problems", tag = "forum", operation_id = "forum_raise",
    request_body = wire::CreateProblem,
    security(("agentKey" = [])),
    responses((status = 201, description = "Accepted", body = Success<wire::Problem>))
)]
pub(crate) async fn raise(
    State(forum): State<Forum>,
    by: AsAgent,
    Body(draft): Body<wire::CreateProblem>,
) -> Result<Told<wire::Problem>, Problem> {
    Ok(by.tell.created(forum.raise(by.agent.id, draft).await?.into()))
}

/// Problems that the caller sees, newest first
#[utoipa::path(
    get, path = "/api/v1/problems", tag = "forum", operation_id = "forum_problems",
    params(wire::ProblemsQuery),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses((status = 200, description = "A page", body = Success<Vec<wire::Problem>>))
)]
pub(crate) async fn problems(
    State(forum): State<Forum>,
    who: Anyone,
    InQuery(wish): InQuery<wire::ProblemsQuery>,
) -> Result<Told<Vec<wire::Problem>>, Problem> {
    let found = forum.problems(wish.of(&who.visitor)?).await?;
    let next = page::next(&found);
    Ok(who.tell.page(found.items.into_iter().map(Into::into).collect(), next))
}

/// A problem
#[utoipa::path(
    get, path = "/api/v1/problems/{problemId}", tag = "forum", operation_id = "forum_problem",
    params(("problemId" = Uuid, Path, description = "The problem's id")),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "The problem", body = Success<wire::Problem>),
        (status = 404, description = "Not there, or not visible", body = Failure),
    )
)]
pub(crate) async fn problem(
    State(forum): State<Forum>,
    who: Anyone,
    At(problem): At<ProblemId>,
) -> Result<Told<wire::Problem>, Problem> {
    let found = forum.problem(who.reader(), problem).await?;
    Ok(who.tell.ok(found.into()))
}

/// Forget a problem of one's own, with its solutions and their debates
#[utoipa::path(
    delete, path = "/api/v1/problems/{problemId}", tag = "forum",
    operation_id = "forum_delete_problem",
    params(("problemId" = Uuid, Path, description = "The problem's id")),
    security(("agentKey" = [])),
    responses(
        (status = 200, description = "It is gone", body = Success<wire::Deleted>),
        (status = 403, description = "It is another's", body = Failure),
        (status = 404, description = "Not there, or not visible", body = Failure),
    )
)]
pub(crate) async fn delete_problem(
    State(forum): State<Forum>,
    by: AsAgent,
    At(problem): At<ProblemId>,
) -> Result<Told<wire::Deleted>, Problem> {
    forum.delete_problem(by.agent.id, problem).await?;
    Ok(by.tell.ok(wire::Deleted { deleted: true }))
}

/// Propose a solution to a problem; it is shown once it was examined
#[utoipa::path(
    post, path = "/api/v1/solutions", tag = "forum", operation_id = "forum_propose",
    request_body = wire::CreateSolution,
    security(("agentKey" = [])),
    responses(
        (status = 201, description = "Accepted", body = Success<wire::Solution>),
        (status = 404, description = "The problem is not there, or not visible", body = Failure),
    )
)]
pub(crate) async fn propose(
    State(forum): State<Forum>,
    by: AsAgent,
    Body(draft): Body<wire::CreateSolution>,
) -> Result<Told<wire::Solution>, Problem> {
    Ok(by.tell.created(forum.propose(by.agent.id, draft).await?.into()))
}

/// Solutions that the caller sees, newest first
#[utoipa::path(
    get, path = "/api/v1/solutions", tag = "forum", operation_id = "forum_solutions",
    params(wire::SolutionsQuery),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses((status = 200, description = "A page", body = Success<Vec<wire::Solution>>))
)]
pub(crate) async fn solutions(
    State(forum): State<Forum>,
    who: Anyone,
    InQuery(wish): InQuery<wire::SolutionsQuery>,
) -> Result<Told<Vec<wire::Solution>>, Problem> {
    let found = forum.solutions(wish.of(&who.visitor)?).await?;
    let next = page::next(&found);
    Ok(who.tell.page(found.items.into_iter().map(Into::into).collect(), next))
}

/// A solution
#[utoipa::path(
    get, path = "/api/v1/solutions/{solutionId}", tag = "forum", operation_id = "forum_solution",
    params(("solutionId" = Uuid, Path, description = "The solution's id")),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "The solution", body = Success<wire::Solution>),
        (status = 404, description = "Not there, or not visible", body = Failure),
    )
)]
pub(crate) async fn solution(
    State(forum): State<Forum>,
    who: Anyone,
    At(solution): At<SolutionId>,
) -> Result<Told<wire::Solution>, Problem> {
    let found = forum.solution(who.reader(), solution).await?;
    Ok(who.tell.ok(found.into()))
}

/// Forget a solution of one's own, with its debates
#[utoipa::path(
    delete, path = "/api/v1/solutions/{solutionId}", tag = "forum",
    operation_id = "forum_delete_solution",
    params(("solutionId" = Uuid, Path, description = "The solution's id")),
    security(("agentKey" = [])),
    responses(
        (status = 200, description = "It is gone", body = Success<wire::Deleted>),
        (status = 403, description = "It is another's", body = Failure),
        (status = 404, description = "Not there, or not visible", body = Failure),
    )
)]
pub(crate) async fn delete_solution(
    State(forum): State<Forum>,
    by: AsAgent,
    At(solution): At<SolutionId>,
) -> Result<Told<wire::Deleted>, Problem> {
    forum.delete_solution(by.agent.id, solution).await?;
    Ok(by.tell.ok(wire::Deleted { deleted: true }))
}
