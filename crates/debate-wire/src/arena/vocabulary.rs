//! Enumerations of the arena and their conversion from and to the domain types.

use debate_core::arena;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// State of a debate:
/// - `AWAITING_OPPONENT`: waiting for the opponent.
/// - `AWAITING_PROPOSER`: waiting for the proposer.
/// - `AWAITING_ARBITRATOR`: needs a ruling after an appeal or a resolution.
/// - `INTERVENTION_PENDING`: paused by the arbitrator, needs a ruling.
/// - `CLOSED`: finished; accepts no arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Waiting for the opponent.
    AwaitingOpponent,
    /// Waiting for the proposer.
    AwaitingProposer,
    /// Needs a ruling after an appeal or a resolution.
    AwaitingArbitrator,
    /// Paused by the arbitrator, needs a ruling.
    InterventionPending,
    /// Finished; accepts no arguments.
    Closed,
}

impl From<arena::State> for State {
    fn from(state: arena::State) -> Self {
        match state {
            arena::State::AwaitingOpponent => Self::AwaitingOpponent,
            arena::State::AwaitingProposer => Self::AwaitingProposer,
            arena::State::AwaitingArbitrator => Self::AwaitingArbitrator,
            arena::State::InterventionPending => Self::InterventionPending,
            arena::State::Closed => Self::Closed,
        }
    }
}

impl From<State> for arena::State {
    fn from(state: State) -> Self {
        match state {
            State::AwaitingOpponent => Self::AwaitingOpponent,
            State::AwaitingProposer => Self::AwaitingProposer,
            State::AwaitingArbitrator => Self::AwaitingArbitrator,
            State::InterventionPending => Self::InterventionPending,
            State::Closed => Self::Closed,
        }
    }
}

/// Role in a debate:
/// - `proposer`: submits the motion and defends it.
/// - `opponent`: argues against the motion.
/// - `arbitrator`: rules on appeals and resolutions, and can intervene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Submits the motion and defends it.
    Proposer,
    /// Argues against the motion.
    Opponent,
    /// Rules on appeals and resolutions, and can intervene.
    Arbitrator,
}

impl From<arena::Role> for Role {
    fn from(role: arena::Role) -> Self {
        match role {
            arena::Role::Proposer => Self::Proposer,
            arena::Role::Opponent => Self::Opponent,
            arena::Role::Arbitrator => Self::Arbitrator,
        }
    }
}

/// Role of an arguing agent:
/// - `proposer`: submits the motion and defends it.
/// - `opponent`: argues against the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Submits the motion and defends it.
    Proposer,
    /// Argues against the motion.
    Opponent,
}

impl From<arena::Side> for Side {
    fn from(side: arena::Side) -> Self {
        match side {
            arena::Side::Proposer => Self::Proposer,
            arena::Side::Opponent => Self::Opponent,
        }
    }
}

impl From<Side> for arena::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Proposer => Self::Proposer,
            Side::Opponent => Self::Opponent,
        }
    }
}

/// Subject of a debate:
/// - `coding_plan_debate`: a plan for a code change.
/// - `general_debate`: any other subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum DebateType {
    /// A plan for a code change.
    #[serde(rename = "coding_plan_debate")]
    CodingPlan,
    /// Any other subject.
    #[serde(rename = "general_debate")]
    General,
}

impl From<arena::DebateType> for DebateType {
    fn from(debate_type: arena::DebateType) -> Self {
        match debate_type {
            arena::DebateType::CodingPlan => Self::CodingPlan,
            arena::DebateType::General => Self::General,
        }
    }
}

impl From<DebateType> for arena::DebateType {
    fn from(debate_type: DebateType) -> Self {
        match debate_type {
            DebateType::CodingPlan => Self::CodingPlan,
            DebateType::General => Self::General,
        }
    }
}

/// Kind of argument:
/// - `MOTION`: the proposal that opens the debate.
/// - `CLAIM`: an answer to the other side.
/// - `APPEAL`: the proposer's request for a ruling.
/// - `RULING`: a decision of the arbitrator, or the automatic one after a resolution.
/// - `INTERVENTION`: a pause imposed by the arbitrator until the next ruling.
/// - `RESOLUTION`: the proposer's request to close the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ArgumentType {
    /// The proposal that opens the debate.
    Motion,
    /// An answer to the other side.
    Claim,
    /// The proposer's request for a ruling.
    Appeal,
    /// A decision of the arbitrator, or the automatic one after a resolution.
    Ruling,
    /// A pause imposed by the arbitrator until the next ruling.
    Intervention,
    /// The proposer's request to close the debate.
    Resolution,
}

impl From<arena::ArgumentType> for ArgumentType {
    fn from(kind: arena::ArgumentType) -> Self {
        match kind {
            arena::ArgumentType::Motion => Self::Motion,
            arena::ArgumentType::Claim => Self::Claim,
            arena::ArgumentType::Appeal => Self::Appeal,
            arena::ArgumentType::Ruling => Self::Ruling,
            arena::ArgumentType::Intervention => Self::Intervention,
            arena::ArgumentType::Resolution => Self::Resolution,
        }
    }
}

/// Action that a role may take:
/// - `SUBMIT_CLAIM`: answer the other side (proposer, opponent).
/// - `SUBMIT_APPEAL`: ask the arbitrator for a ruling (proposer).
/// - `SUBMIT_RESOLUTION`: ask to close the debate (proposer).
/// - `SUBMIT_INTERVENTION`: pause the debate until a ruling (arbitrator).
/// - `SUBMIT_RULING`: rule and continue the debate (arbitrator).
/// - `SUBMIT_RULING_CLOSE`: rule and close the debate (arbitrator).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Answer the other side.
    SubmitClaim,
    /// Ask the arbitrator for a ruling.
    SubmitAppeal,
    /// Ask to close the debate.
    SubmitResolution,
    /// Pause the debate until a ruling.
    SubmitIntervention,
    /// Rule and continue the debate.
    SubmitRuling,
    /// Rule and close the debate.
    SubmitRulingClose,
}

impl From<arena::Action> for Action {
    fn from(action: arena::Action) -> Self {
        match action {
            arena::Action::SubmitClaim => Self::SubmitClaim,
            arena::Action::SubmitAppeal => Self::SubmitAppeal,
            arena::Action::SubmitResolution => Self::SubmitResolution,
            arena::Action::SubmitIntervention => Self::SubmitIntervention,
            arena::Action::SubmitRuling => Self::SubmitRuling,
            arena::Action::SubmitRulingClose => Self::SubmitRulingClose,
        }
    }
}

/// Next step for a waiting role:
/// - `respond`: submit an argument; it is the role's turn.
/// - `align_to_ruling`: submit an argument that follows the latest ruling (proposer).
/// - `wait_for_proposer`: wait for the proposer's argument.
/// - `wait_for_opponent`: wait for the opponent's argument.
/// - `wait_for_ruling`: wait for the arbitrator's ruling.
/// - `debate_closed`: stop; the debate is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitAction {
    /// Stop; the debate is closed.
    DebateClosed,
    /// Wait for the arbitrator's ruling.
    WaitForRuling,
    /// Submit an argument that follows the latest ruling.
    AlignToRuling,
    /// Submit an argument; it is the role's turn.
    Respond,
    /// Wait for the proposer's argument.
    WaitForProposer,
    /// Wait for the opponent's argument.
    WaitForOpponent,
}

impl From<arena::WaitAction> for WaitAction {
    fn from(wait_action: arena::WaitAction) -> Self {
        match wait_action {
            arena::WaitAction::DebateClosed => Self::DebateClosed,
            arena::WaitAction::WaitForRuling => Self::WaitForRuling,
            arena::WaitAction::AlignToRuling => Self::AlignToRuling,
            arena::WaitAction::Respond => Self::Respond,
            arena::WaitAction::WaitForProposer => Self::WaitForProposer,
            arena::WaitAction::WaitForOpponent => Self::WaitForOpponent,
        }
    }
}
