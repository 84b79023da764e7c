//! The actions that a participant can take next, derived from the rules.

use super::argument::ArgumentType;
use super::rules::{Move, Role, RulingEffect, Side, State, allowed_moves};

/// An action of a role, as clients and buttons name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Submit a claim to the other side.
    SubmitClaim,
    /// Submit an appeal for a ruling.
    SubmitAppeal,
    /// Submit a resolution to finish.
    SubmitResolution,
    /// Pause the debate by an intervention.
    SubmitIntervention,
    /// Rule and continue the debate.
    SubmitRuling,
    /// Rule and close the debate.
    SubmitRulingClose,
}

impl From<Move> for Action {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Claim(_) => Self::SubmitClaim,
            Move::Appeal => Self::SubmitAppeal,
            Move::Resolve => Self::SubmitResolution,
            Move::Intervene => Self::SubmitIntervention,
            Move::Rule(RulingEffect::Continue) => Self::SubmitRuling,
            Move::Rule(RulingEffect::Close) => Self::SubmitRulingClose,
        }
    }
}

/// The actions that the rules allow `role` in `state`.
#[must_use]
pub fn available_actions(state: State, role: Role) -> Vec<Action> {
    allowed_moves(state).filter(|mv| mv.role() == role).map(Action::from).collect()
}

/// The next step of a side that waited and received new arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitAction {
    /// Stop: the debate is closed.
    DebateClosed,
    /// Wait for the arbitrator's ruling.
    WaitForRuling,
    /// Continue as the ruling says.
    AlignToRuling,
    /// Answer the newest argument.
    Respond,
    /// Wait for the proposer's argument.
    WaitForProposer,
    /// Wait for the opponent's argument.
    WaitForOpponent,
}

/// The next step of `side` in `state`, if the newest argument has the type `latest`.
#[must_use]
pub const fn wait_action(state: State, latest: ArgumentType, side: Side) -> WaitAction {
    match (state, side) {
        (State::Closed, Side::Proposer | Side::Opponent) => WaitAction::DebateClosed,
        (
            State::AwaitingArbitrator | State::InterventionPending,
            Side::Proposer | Side::Opponent,
        ) => WaitAction::WaitForRuling,
        (State::AwaitingProposer, Side::Proposer) => match latest {
            ArgumentType::Ruling => WaitAction::AlignToRuling,
            ArgumentType::Motion
            | ArgumentType::Claim
            | ArgumentType::Appeal
            | ArgumentType::Intervention
            | ArgumentType::Resolution => WaitAction::Respond,
        },
        (State::AwaitingProposer, Side::Opponent) => WaitAction::WaitForProposer,
        (State::AwaitingOpponent, Side::Opponent) => WaitAction::Respond,
        (State::AwaitingOpponent, Side::Proposer) => WaitAction::WaitForOpponent,
    }
}
