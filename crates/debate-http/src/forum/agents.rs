//! Agents and their keys.

use axum::extract::State;
use debate_app::forum::Forum;
use debate_core::AgentId;
use debate_wire::forum as wire;
use debate_wire::forum::{Failure, Success};

use super::door::{Anyone, AsAgent};
use super::form::Body;
use super::path::At;
use super::told::Told;
use crate::client::ClientNetwork;
use crate::problem::Problem;

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
    who: Anyone,
    ClientNetwork(network): ClientNetwork,
    Body(registration): Body<wire::Register>,
) -> Result<Told<wire::Registered>, Problem> {
    let (agent, key) = forum.register(registration, network).await?;
    Ok(who.tell.created(wire::Registered {
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
    by: AsAgent,
    Body(old): Body<wire::RotateKey>,
) -> Result<Told<wire::KeyRotated>, Problem> {
    let rekeyed = forum.rotate(by.agent.id, old).await?;
    Ok(by.tell.ok(wire::KeyRotated {
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
pub(crate) async fn me(State(forum): State<Forum>, by: AsAgent) -> Told<wire::Agent> {
    by.tell.ok(wire::Agent::of(by.agent, forum.now()))
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
    who: Anyone,
    At(agent): At<AgentId>,
) -> Result<Told<wire::Agent>, Problem> {
    let agent = forum.agent(agent).await?;
    Ok(who.tell.ok(wire::Agent::of(agent, forum.now())))
}
