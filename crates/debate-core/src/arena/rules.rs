//! Whose turn it is and what may come next: the one state machine, shared by everything.

use std::fmt;

/// Where a debate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// The opponent is to answer.
    AwaitingOpponent,
    /// The proposer is to answer.
    AwaitingProposer,
    /// The proposer appealed or asked to finish; the arbitrator is to rule.
    AwaitingArbitrator,
    /// The arbitrator stepped in and is to rule.
    InterventionPending,
    /// Over.
    Closed,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::AwaitingOpponent,
        Self::AwaitingProposer,
        Self::AwaitingArbitrator,
        Self::InterventionPending,
        Self::Closed,
    ];

    /// The name by which the contract and the stores know it.
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

    /// The state of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One of the two who argue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Brought the motion.
    Proposer,
    /// Attacks it.
    Opponent,
}

/// Who may speak in a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Brought the motion.
    Proposer,
    /// Attacks it.
    Opponent,
    /// Rules when they are stuck.
    Arbitrator,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Proposer, Self::Opponent, Self::Arbitrator];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposer => "proposer",
            Self::Opponent => "opponent",
            Self::Arbitrator => "arbitrator",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
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

/// What a ruling does to the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The proposer aligns to it and goes on.
    Continue,
    /// The debate is over.
    Close,
}

/// Something a role may try. Only a claim carries a side: "an opponent's appeal" can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// A side answers the other.
    Claim(Side),
    /// The proposer asks for a ruling.
    Appeal,
    /// The proposer asks to finish.
    Resolve,
    /// The arbitrator stops the debate.
    Intervene,
    /// The arbitrator rules.
    Rule(Verdict),
}

impl Move {
    /// Every move, in the order in which choices are shown.
    pub const ALL: [Self; 7] = [
        Self::Claim(Side::Proposer),
        Self::Claim(Side::Opponent),
        Self::Appeal,
        Self::Resolve,
        Self::Intervene,
        Self::Rule(Verdict::Continue),
        Self::Rule(Verdict::Close),
    ];

    /// Who makes it.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Claim(Side::Opponent) => Role::Opponent,
            Self::Claim(Side::Proposer) | Self::Appeal | Self::Resolve => Role::Proposer,
            Self::Intervene | Self::Rule(_) => Role::Arbitrator,
        }
    }

    /// The action's name, as messages and fingerprints use it.
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
    /// Where the debate stood.
    pub state: State,
    /// What was tried.
    pub mv: Move,
}

/// The state after `mv`, or why there is none.
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
        (AwaitingArbitrator | InterventionPending, Rule(Verdict::Continue)) => Ok(AwaitingProposer),
        (AwaitingArbitrator | InterventionPending, Rule(Verdict::Close)) => Ok(Closed),

        (AwaitingOpponent, Claim(Side::Proposer) | Appeal | Resolve | Rule(_))
        | (AwaitingProposer, Claim(Side::Opponent) | Rule(_))
        | (AwaitingArbitrator | InterventionPending, Claim(_) | Appeal | Resolve | Intervene)
        | (Closed, Claim(_) | Appeal | Resolve | Intervene | Rule(_)) => Err(Refusal { state, mv }),
    }
}

/// Every move that is possible in `state`.
pub fn allowed(state: State) -> impl Iterator<Item = Move> {
    Move::ALL.into_iter().filter(move |&mv| next(state, mv).is_ok())
}

/// The one role whose turn it is; the arbitrator's standing right to intervene is no turn.
#[must_use]
pub const fn turn_of(state: State) -> Option<Role> {
    match state {
        State::AwaitingOpponent => Some(Role::Opponent),
        State::AwaitingProposer => Some(Role::Proposer),
        State::AwaitingArbitrator | State::InterventionPending => Some(Role::Arbitrator),
        State::Closed => None,
    }
}
