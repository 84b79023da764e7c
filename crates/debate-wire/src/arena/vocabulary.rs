//! The few words the contract knows, and what they mean inside.

use debate_core::arena;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a debate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// The opponent is to answer.
    AwaitingOpponent,
    /// The proposer is to answer.
    AwaitingProposer,
    /// The arbitrator is to rule.
    AwaitingArbitrator,
    /// The arbitrator stepped in and is to rule.
    InterventionPending,
    /// Over.
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

/// Who may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Brought the motion.
    Proposer,
    /// Attacks it.
    Opponent,
    /// Rules when they are stuck.
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

/// One of the two who argue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Brought the motion.
    Proposer,
    /// Attacks it.
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

/// What a debate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum DebateType {
    /// A plan for a change to code.
    #[serde(rename = "coding_plan_debate")]
    CodingPlan,
    /// Anything else.
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

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ArgumentType {
    /// Opens the debate.
    Motion,
    /// Answers the other side.
    Claim,
    /// Asks for a ruling.
    Appeal,
    /// Decides.
    Ruling,
    /// Stops the debate for a ruling.
    Intervention,
    /// Asks to finish.
    Resolution,
}

impl From<arena::Kind> for ArgumentType {
    fn from(kind: arena::Kind) -> Self {
        match kind {
            arena::Kind::Motion => Self::Motion,
            arena::Kind::Claim => Self::Claim,
            arena::Kind::Appeal => Self::Appeal,
            arena::Kind::Ruling => Self::Ruling,
            arena::Kind::Intervention => Self::Intervention,
            arena::Kind::Resolution => Self::Resolution,
        }
    }
}

/// Something a role may do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Answer the other side.
    SubmitClaim,
    /// Ask for a ruling.
    SubmitAppeal,
    /// Ask to finish.
    SubmitResolution,
    /// Stop the debate.
    SubmitIntervention,
    /// Rule, and let it go on.
    SubmitRuling,
    /// Rule, and close it.
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

/// What a waiting side is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitAction {
    /// Nothing: it is over.
    DebateClosed,
    /// Wait until the arbitrator has ruled.
    WaitForRuling,
    /// Go on as the ruling says.
    AlignToRuling,
    /// Answer.
    Respond,
    /// Wait for the proposer.
    WaitForProposer,
    /// Wait for the opponent.
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
