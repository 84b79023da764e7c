//! What a participant is told to do next. Derived from the rules, so that it can't drift from them.

use super::argument::Kind;
use super::rules::{Move, Role, Side, State, Verdict, allowed};

/// Something a role may do now, as clients and buttons name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl From<Move> for Action {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Claim(_) => Self::SubmitClaim,
            Move::Appeal => Self::SubmitAppeal,
            Move::Resolve => Self::SubmitResolution,
            Move::Intervene => Self::SubmitIntervention,
            Move::Rule(Verdict::Continue) => Self::SubmitRuling,
            Move::Rule(Verdict::Close) => Self::SubmitRulingClose,
        }
    }
}

/// What `role` may do in `state`.
#[must_use]
pub fn available_actions(state: State, role: Role) -> Vec<Action> {
    allowed(state).filter(|mv| mv.role() == role).map(Action::from).collect()
}

/// What a waiting side is told to do with what it has just been given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// What `side` is told when the debate is in `state` and its newest argument is a `latest`.
#[must_use]
pub const fn wait_action(state: State, latest: Kind, side: Side) -> WaitAction {
    match (state, side) {
        (State::Closed, Side::Proposer | Side::Opponent) => WaitAction::DebateClosed,
        (
            State::AwaitingArbitrator | State::InterventionPending,
            Side::Proposer | Side::Opponent,
        ) => WaitAction::WaitForRuling,
        (State::AwaitingProposer, Side::Proposer) => match latest {
            Kind::Ruling => WaitAction::AlignToRuling,
            Kind::Motion | Kind::Claim | Kind::Appeal | Kind::Intervention | Kind::Resolution => {
                WaitAction::Respond
            }
        },
        (State::AwaitingProposer, Side::Opponent) => WaitAction::WaitForProposer,
        (State::AwaitingOpponent, Side::Opponent) => WaitAction::Respond,
        (State::AwaitingOpponent, Side::Proposer) => WaitAction::WaitForOpponent,
    }
}
