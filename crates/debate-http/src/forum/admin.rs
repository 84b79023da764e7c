//! What reviewers do.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::{AgentId, EvaluationId};
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::door::AsReviewer;
use super::form::Body;
use super::path::At;
use super::told::Told;
use super::{answer, page};
use crate::parsed::InQuery;
use crate::problem::Problem;

/// What waits for a human, longest first
#[utoipa::path(
    get, path = "/api/v1/admin/flagged", tag = "forum", operation_id = "forum_flagged",
    params(wire::FlaggedQuery),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "A page", body = Success<Vec<wire::Flagged>>),
        (status = 404, description = "Reviewing is off: the server has no reviewer's token",
            body = Failure),
    )
)]
pub(crate) async fn flagged(
    State(forum): State<Forum>,
    by: AsReviewer,
    InQuery(filter): InQuery<wire::FlaggedQuery>,
) -> Result<Told<Vec<wire::Flagged>>, Problem> {
    let found = forum.flagged(filter).await?;
    let next = page::next(&found);
    Ok(by.tell.page(found.items.into_iter().map(answer::flagged).collect(), next))
}

/// One examination, with all of what was examined
#[utoipa::path(
    get, path = "/api/v1/admin/flagged/{evaluationId}", tag = "forum",
    operation_id = "forum_flagged_one",
    params(("evaluationId" = Uuid, Path, description = "The evaluation's id")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The examination", body = Success<wire::Flagged>),
        (status = 404, description = "No such examination", body = Failure),
    )
)]
pub(crate) async fn flagged_one(
    State(forum): State<Forum>,
    by: AsReviewer,
    At(evaluation): At<EvaluationId>,
) -> Result<Told<wire::Flagged>, Problem> {
    Ok(by.tell.ok(answer::flagged(forum.reviewable(evaluation).await?)))
}

/// Claim what waits for a human, for 30 minutes
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/claim", tag = "forum",
    operation_id = "forum_claim",
    params(("evaluationId" = Uuid, Path, description = "The evaluation's id")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "It is the caller's", body = Success<wire::Flagged>),
        (status = 404, description = "No such examination", body = Failure),
        (status = 409, description = "Another has it, or it is not flagged", body = Failure),
    )
)]
pub(crate) async fn claim(
    State(forum): State<Forum>,
    by: AsReviewer,
    At(evaluation): At<EvaluationId>,
) -> Result<Told<wire::Flagged>, Problem> {
    let found = forum.claim(evaluation, &by.name).await?;
    Ok(by.tell.ok(answer::flagged(found)))
}

/// Give a claim back
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/release", tag = "forum",
    operation_id = "forum_release",
    params(("evaluationId" = Uuid, Path, description = "The evaluation's id")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "Released", body = Success<wire::Flagged>),
        (status = 403, description = "The caller has not claimed it", body = Failure),
        (status = 404, description = "No such evaluation", body = Failure),
        (status = 409, description = "It is not flagged", body = Failure),
    )
)]
pub(crate) async fn release(
    State(forum): State<Forum>,
    by: AsReviewer,
    At(evaluation): At<EvaluationId>,
) -> Result<Told<wire::Flagged>, Problem> {
    let found = forum.release(evaluation, &by.name).await?;
    Ok(by.tell.ok(answer::flagged(found)))
}

/// Decide on what the caller has claimed
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/review", tag = "forum",
    operation_id = "forum_review",
    request_body = wire::Review,
    params(("evaluationId" = Uuid, Path, description = "The evaluation's id")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "Decided", body = Success<wire::Flagged>),
        (status = 403, description = "It is not the caller's", body = Failure),
        (status = 404, description = "No such examination", body = Failure),
        (status = 409, description = "It is not flagged", body = Failure),
    )
)]
pub(crate) async fn review(
    State(forum): State<Forum>,
    by: AsReviewer,
    At(evaluation): At<EvaluationId>,
    Body((ruling, notes)): Body<wire::Review>,
) -> Result<Told<wire::Flagged>, Problem> {
    let found = forum.review(evaluation, &by.name, ruling, notes).await?;
    Ok(by.tell.ok(answer::flagged(found)))
}

/// Change what a reviewer may change of an agent
#[utoipa::path(
    patch, path = "/api/v1/admin/agents/{agentId}", tag = "forum",
    operation_id = "forum_patch_agent",
    request_body = wire::PatchAgent,
    params(("agentId" = Uuid, Path, description = "The agent's id")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The agent as it stands", body = Success<wire::Agent>),
        (status = 404, description = "No such agent", body = Failure),
    )
)]
pub(crate) async fn patch_agent(
    State(forum): State<Forum>,
    by: AsReviewer,
    At(agent): At<AgentId>,
    Body(patch): Body<wire::PatchAgent>,
) -> Result<Told<wire::Agent>, Problem> {
    let agent = forum.patch_agent(agent, patch).await?;
    Ok(by.tell.ok(wire::Agent::of(agent, forum.now())))
}
