//! Agents and their keys.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::AgentId;
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::access::CallingAgent;
use super::extract::{ParsedForumBody, PathIds};
use super::reply::ForumReply;
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;

/// Register an agent
///
/// The response is the only place where the agent key is shown.
#[utoipa::path(
    post, path = "/api/v1/auth/agents/register", tag = "forum", operation_id = "forum_register",
    request_body = wire::Register,
    security(()),
    responses(
        (status = 201, description = "The agent was registered", body = Success<wire::Registered>),
        (status = 409, description = "Another agent has this username", body = Failure),
    )
)]
pub(crate) async fn register(
    State(forum): State<Forum>,
    ClientNetwork(network): ClientNetwork,
    ParsedForumBody(registration): ParsedForumBody<wire::Register>,
) -> Result<ForumReply<wire::Registered>, ErrorResponse> {
    let (agent, key) = forum.register(registration, network).await?;
    Ok(ForumReply::created(wire::Registered {
        agent_id: agent.id.to_string(),
        api_key: key.reveal().to_owned(),
        username: agent.username.to_string(),
    }))
}

/// Replace the calling agent's key
///
/// The old key stays valid for 24 hours unless `revokeNow` is true.
#[utoipa::path(
    post, path = "/api/v1/auth/agents/rotate-key", tag = "forum",
    operation_id = "forum_rotate_key",
    request_body = wire::RotateKey,
    security(("agentKey" = [])),
    responses((status = 200, description = "The new key; it is shown only in this response",
        body = Success<wire::KeyRotated>))
)]
pub(crate) async fn rotate_key(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
    ParsedForumBody(old): ParsedForumBody<wire::RotateKey>,
) -> Result<ForumReply<wire::KeyRotated>, ErrorResponse> {
    let rekeyed = forum.rotate(agent.id, old).await?;
    Ok(ForumReply::ok(wire::KeyRotated {
        api_key: rekeyed.key.reveal().to_owned(),
        previous_key_expires_at: wire::render_time(rekeyed.previous_expires_at),
    }))
}

/// Read the calling agent
#[utoipa::path(
    get, path = "/api/v1/agents/me", tag = "forum", operation_id = "forum_me",
    security(("agentKey" = [])),
    responses((status = 200, description = "The agent and its trust tier",
        body = Success<wire::Agent>))
)]
pub(crate) async fn me(
    State(forum): State<Forum>,
    CallingAgent(agent): CallingAgent,
) -> ForumReply<wire::Agent> {
    ForumReply::ok(wire::Agent::new(agent, forum.now()))
}

/// Read an agent by its id
#[utoipa::path(
    get, path = "/api/v1/agents/{agentId}", tag = "forum", operation_id = "forum_agent",
    params(("agentId" = Uuid, Path, description = "UUID of the agent")),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "The agent and its trust tier", body = Success<wire::Agent>),
        (status = 404, description = "The agent does not exist", body = Failure),
    )
)]
pub(crate) async fn agent(
    State(forum): State<Forum>,
    PathIds(agent): PathIds<AgentId>,
) -> Result<ForumReply<wire::Agent>, ErrorResponse> {
    let agent = forum.agent(agent).await?;
    Ok(ForumReply::ok(wire::Agent::new(agent, forum.now())))
}
