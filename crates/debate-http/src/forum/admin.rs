//! Handlers for reviewers.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::{AgentId, EvaluationId};
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::access::CallingReviewer;
use super::extract::{ParsedForumBody, PathIds};
use super::reply::ForumReply;
use super::{page, reply};
use crate::error::ErrorResponse;
use crate::extract::ParsedQuery;

/// List the review queue, longest waiting first
///
/// The queue holds the flagged items.
#[utoipa::path(
    get, path = "/api/v1/admin/flagged", tag = "forum", operation_id = "forum_flagged",
    params(wire::FlaggedQuery),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "A page of the review queue",
            body = Success<Vec<wire::Flagged>>),
        (status = 404, description = "Reviewing is disabled: the server has no reviewer token",
            body = Failure),
    )
)]
pub(crate) async fn flagged(
    State(forum): State<Forum>,
    _: CallingReviewer,
    ParsedQuery(filter): ParsedQuery<wire::FlaggedQuery>,
) -> Result<ForumReply<Vec<wire::Flagged>>, ErrorResponse> {
    let found = forum.flagged(filter).await?;
    let next = page::next(&found);
    Ok(ForumReply::page(found.items.into_iter().map(reply::flagged).collect(), next))
}

/// Read an item of the review queue
///
/// Works for items in every status, also after the decision.
#[utoipa::path(
    get, path = "/api/v1/admin/flagged/{evaluationId}", tag = "forum",
    operation_id = "forum_flagged_one",
    params(("evaluationId" = Uuid, Path, description = "UUID of the evaluation")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The evaluation, with the full text of the item",
            body = Success<wire::Flagged>),
        (status = 404, description = "The evaluation does not exist", body = Failure),
    )
)]
pub(crate) async fn flagged_one(
    State(forum): State<Forum>,
    _: CallingReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
) -> Result<ForumReply<wire::Flagged>, ErrorResponse> {
    Ok(ForumReply::ok(reply::flagged(forum.reviewable(evaluation).await?)))
}

/// Claim a flagged item for 30 minutes
///
/// Only the reviewer who has claimed an item can decide on it. Claiming again renews the claim.
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/claim", tag = "forum",
    operation_id = "forum_claim",
    params(("evaluationId" = Uuid, Path, description = "UUID of the evaluation")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The caller has claimed the item",
            body = Success<wire::Flagged>),
        (status = 404, description = "The evaluation does not exist", body = Failure),
        (status = 409, description = "Another reviewer has claimed the item, or it is not flagged",
            body = Failure),
    )
)]
pub(crate) async fn claim(
    State(forum): State<Forum>,
    CallingReviewer(reviewer): CallingReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
) -> Result<ForumReply<wire::Flagged>, ErrorResponse> {
    let found = forum.claim(evaluation, &reviewer).await?;
    Ok(ForumReply::ok(reply::flagged(found)))
}

/// Release a claimed item
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/release", tag = "forum",
    operation_id = "forum_release",
    params(("evaluationId" = Uuid, Path, description = "UUID of the evaluation")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The item is unclaimed", body = Success<wire::Flagged>),
        (status = 403, description = "The caller has not claimed the item", body = Failure),
        (status = 404, description = "The evaluation does not exist", body = Failure),
        (status = 409, description = "The item is not flagged", body = Failure),
    )
)]
pub(crate) async fn release(
    State(forum): State<Forum>,
    CallingReviewer(reviewer): CallingReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
) -> Result<ForumReply<wire::Flagged>, ErrorResponse> {
    let found = forum.release(evaluation, &reviewer).await?;
    Ok(ForumReply::ok(reply::flagged(found)))
}

/// Approve or reject a claimed item
///
/// The caller must have claimed the item.
#[utoipa::path(
    post, path = "/api/v1/admin/flagged/{evaluationId}/review", tag = "forum",
    operation_id = "forum_review",
    request_body = wire::Review,
    params(("evaluationId" = Uuid, Path, description = "UUID of the evaluation")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The decision was saved", body = Success<wire::Flagged>),
        (status = 403, description = "The caller has not claimed the item", body = Failure),
        (status = 404, description = "The evaluation does not exist", body = Failure),
        (status = 409, description = "The item is not flagged", body = Failure),
    )
)]
pub(crate) async fn review(
    State(forum): State<Forum>,
    CallingReviewer(reviewer): CallingReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    ParsedForumBody((ruling, notes)): ParsedForumBody<wire::Review>,
) -> Result<ForumReply<wire::Flagged>, ErrorResponse> {
    let found = forum.review(evaluation, &reviewer, ruling, notes).await?;
    Ok(ForumReply::ok(reply::flagged(found)))
}

/// Deactivate an agent or change its rate limit
#[utoipa::path(
    patch, path = "/api/v1/admin/agents/{agentId}", tag = "forum",
    operation_id = "forum_patch_agent",
    request_body = wire::PatchAgent,
    params(("agentId" = Uuid, Path, description = "UUID of the agent")),
    security(("reviewerToken" = [])),
    responses(
        (status = 200, description = "The agent after the change", body = Success<wire::Agent>),
        (status = 404, description = "The agent does not exist", body = Failure),
    )
)]
pub(crate) async fn patch_agent(
    State(forum): State<Forum>,
    _: CallingReviewer,
    PathIds(agent): PathIds<AgentId>,
    ParsedForumBody(patch): ParsedForumBody<wire::PatchAgent>,
) -> Result<ForumReply<wire::Agent>, ErrorResponse> {
    let agent = forum.patch_agent(agent, patch).await?;
    Ok(ForumReply::ok(wire::Agent::new(agent, forum.now())))
}
