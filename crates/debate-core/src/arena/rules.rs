//! The state machine of debates. All other code derives turns and allowed moves from it.

use std::fmt;

/// The state of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// The opponent acts next.
    AwaitingOpponent,
    /// The proposer acts next.
    AwaitingProposer,
    /// The proposer appealed or asked to finish, and the arbitrator must rule.
    AwaitingArbitrator,
    /// The arbitrator paused the debate and must rule.
    InterventionPending,
    /// The debate has ended.
    Closed,
}

impl State {
    /// All states, in declaration order.
    pub const ALL: [Self; 5] = [
        Self::AwaitingOpponent,
        Self::AwaitingProposer,
        Self::AwaitingArbitrator,
        Self::InterventionPending,
        Self::Closed,
    ];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwaitingOpponent => "AWAITING_OPPONENT",
            Self::AwaitingProposer => "AWAITING_PROPOSER",
            Self::AwaitingArbitrator => "AWAITING_ARBITRATOR",
            Self::InterventionPending => "INTERVENTION_PENDING",
            Self::Closed => "CLOSED",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A side of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that defends the motion.
    Proposer,
    /// The side that argues against the motion.
    Opponent,
}

/// A role in a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Defends the motion of the debate.
    Proposer,
    /// Argues against the motion.
    Opponent,
    /// Decides about appeals and resolutions.
    Arbitrator,
}

impl Role {
    /// All roles, in declaration order.
    pub const ALL: [Self; 3] = [Self::Proposer, Self::Opponent, Self::Arbitrator];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposer => "proposer",
            Self::Opponent => "opponent",
            Self::Arbitrator => "arbitrator",
        }
    }

    /// The role with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl Side {
    /// Both sides, the proposer first.
    pub const ALL: [Self; 2] = [Self::Proposer, Self::Opponent];

    /// The side that this one argues with.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Proposer => Self::Opponent,
            Self::Opponent => Self::Proposer,
        }
    }
}

impl From<Side> for Role {
    fn from(side: Side) -> Self {
        match side {
            Side::Proposer => Self::Proposer,
            Side::Opponent => Self::Opponent,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The effect of a ruling on the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RulingEffect {
    /// The proposer continues as the ruling says.
    Continue,
    /// The ruling closes the debate.
    Close,
}

/// A move of a role. Only a claim has a side, so that an opponent's appeal cannot be expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// A side answers the other side.
    Claim(Side),
    /// The proposer requests a ruling.
    Appeal,
    /// The proposer requests to finish.
    Resolve,
    /// The arbitrator pauses the debate.
    Intervene,
    /// The arbitrator rules on the debate.
    Rule(RulingEffect),
}

impl Move {
    /// All moves, in the order in which pages and clients list them.
    pub const ALL: [Self; 7] = [
        Self::Claim(Side::Proposer),
        Self::Claim(Side::Opponent),
        Self::Appeal,
        Self::Resolve,
        Self::Intervene,
        Self::Rule(RulingEffect::Continue),
        Self::Rule(RulingEffect::Close),
    ];

    /// The role that makes the move.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Claim(Side::Opponent) => Role::Opponent,
            Self::Claim(Side::Proposer) | Self::Appeal | Self::Resolve => Role::Proposer,
            Self::Intervene | Self::Rule(_) => Role::Arbitrator,
        }
    }

    /// The name of the action in messages and fingerprints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claim(_) => "submit_claim",
            Self::Appeal => "submit_appeal",
            Self::Resolve => "submit_resolution",
            Self::Intervene => "submit_intervention",
            Self::Rule(_) => "submit_ruling",
        }
    }
}

/// The rules forbid this move in this state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {} cannot {} while the debate is {state}", .mv.role(), .mv.name())]
pub struct Refusal {
    /// The state of the debate.
    pub state: State,
    /// The move that was refused.
    pub mv: Move,
}

/// The state after `mv`, or a refusal if the rules forbid it.
pub const fn next(state: State, mv: Move) -> Result<State, Refusal> {
    use Move::{Appeal, Claim, Intervene, Resolve, Rule};
    use State::{
        AwaitingArbitrator, AwaitingOpponent, AwaitingProposer, Closed, InterventionPending,
    };

    match (state, mv) {
        (AwaitingOpponent, Claim(Side::Opponent)) => Ok(AwaitingProposer),
        (AwaitingProposer, Claim(Side::Proposer)) => Ok(AwaitingOpponent),
        (AwaitingProposer, Appeal | Resolve) => Ok(AwaitingArbitrator),
        (AwaitingOpponent | AwaitingProposer, Intervene) => Ok(InterventionPending),
        (AwaitingArbitrator | InterventionPending, Rule(RulingEffect::Continue)) => {
            Ok(AwaitingProposer)
        }
        (AwaitingArbitrator | InterventionPending, Rule(RulingEffect::Close)) => Ok(Closed),

        (AwaitingOpponent, Claim(Side::Proposer) | Appeal | Resolve | Rule(_))
        | (AwaitingProposer, Claim(Side::Opponent) | Rule(_))
        | (AwaitingArbitrator | InterventionPending, Claim(_) | Appeal | Resolve | Intervene)
        | (Closed, Claim(_) | Appeal | Resolve | Intervene | Rule(_)) => Err(Refusal { state, mv }),
    }
}

/// All moves that the rules allow in `state`.
pub fn allowed_moves(state: State) -> impl Iterator<Item = Move> {
    Move::ALL.into_iter().filter(move |&mv| next(state, mv).is_ok())
}

/// The role that must act next. The arbitrator may also intervene in other roles' turns.
#[must_use]
pub const fn role_to_act(state: State) -> Option<Role> {
    match state {
        State::AwaitingOpponent => Some(Role::Opponent),
        State::AwaitingProposer => Some(Role::Proposer),
        State::AwaitingArbitrator | State::InterventionPending => Some(Role::Arbitrator),
        State::Closed => None,
    }
}
