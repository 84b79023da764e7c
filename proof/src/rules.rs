//! A second implementation of the arena's state machine, written from its specification.
//!
//! It does not use the server's rules, so that a bug there cannot hide itself here.

use serde::{Deserialize, Serialize};

/// The state of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// The opponent is next.
    AwaitingOpponent,
    /// The proposer is next.
    AwaitingProposer,
    /// The proposer appealed to the arbitrator.
    AwaitingArbitrator,
    /// The arbitrator intervened and must rule.
    InterventionPending,
    /// No further argument is accepted.
    Closed,
}

/// The role of an author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Opens and defends the debate.
    Proposer,
    /// Answers the proposer's motion and claims.
    Opponent,
    /// Decides about the debate.
    Arbitrator,
}

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Kind {
    /// Opens the debate with its thesis.
    Motion,
    /// An ordinary turn of either side.
    Claim,
    /// Asks the arbitrator for a ruling.
    Appeal,
    /// The decision of the arbitrator.
    Ruling,
    /// The arbitrator interrupts the debate.
    Intervention,
    /// The proposer ends the debate.
    Resolution,
}

/// The parts of an argument that the rules use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Event {
    /// The kind of argument.
    pub kind: Kind,
    /// The role of its author.
    pub role: Role,
    /// Whether a ruling closes the debate; false for all other kinds.
    pub closes: bool,
}

impl Event {
    /// Every meaningful event, the motion included.
    pub const ALL: [Self; 8] = [
        Self::new(Kind::Motion, Role::Proposer),
        Self::new(Kind::Claim, Role::Opponent),
        Self::new(Kind::Claim, Role::Proposer),
        Self::new(Kind::Appeal, Role::Proposer),
        Self::new(Kind::Resolution, Role::Proposer),
        Self::new(Kind::Intervention, Role::Arbitrator),
        Self::new(Kind::Ruling, Role::Arbitrator),
        Self::closing_ruling(),
    ];

    /// An event that does not close the debate.
    #[must_use]
    pub const fn new(kind: Kind, role: Role) -> Self {
        Self { kind, role, closes: false }
    }

    /// The arbitrator's closing ruling; also the ruling that the server adds to a resolution.
    #[must_use]
    pub const fn closing_ruling() -> Self {
        Self { kind: Kind::Ruling, role: Role::Arbitrator, closes: true }
    }
}

/// The state after `event`, or none if the rules forbid it. The state `None` is before the motion.
#[must_use]
pub const fn next_state(state: Option<State>, event: Event) -> Option<State> {
    use State::{
        AwaitingArbitrator, AwaitingOpponent, AwaitingProposer, Closed, InterventionPending,
    };
    let Event { kind, role, closes } = event;
    match (state, kind, role, closes) {
        (None, Kind::Motion, Role::Proposer, false) => Some(AwaitingOpponent),
        (Some(AwaitingOpponent), Kind::Claim, Role::Opponent, false) => Some(AwaitingProposer),
        (Some(AwaitingProposer), Kind::Claim, Role::Proposer, false) => Some(AwaitingOpponent),
        (Some(AwaitingProposer), Kind::Appeal | Kind::Resolution, Role::Proposer, false) => {
            Some(AwaitingArbitrator)
        }
        (
            Some(AwaitingOpponent | AwaitingProposer),
            Kind::Intervention,
            Role::Arbitrator,
            false,
        ) => Some(InterventionPending),
        (
            Some(AwaitingArbitrator | InterventionPending),
            Kind::Ruling,
            Role::Arbitrator,
            closes,
        ) => Some(if closes { Closed } else { AwaitingProposer }),
        (
            None
            | Some(
                AwaitingOpponent | AwaitingProposer | AwaitingArbitrator | InterventionPending
                | Closed,
            ),
            Kind::Motion
            | Kind::Claim
            | Kind::Appeal
            | Kind::Ruling
            | Kind::Intervention
            | Kind::Resolution,
            Role::Proposer | Role::Opponent | Role::Arbitrator,
            _,
        ) => None,
    }
}

/// The events that are allowed in `state`.
pub fn allowed_events(state: State) -> impl Iterator<Item = Event> {
    Event::ALL.into_iter().filter(move |&event| next_state(Some(state), event).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [State; 5] = [
        State::AwaitingOpponent,
        State::AwaitingProposer,
        State::AwaitingArbitrator,
        State::InterventionPending,
        State::Closed,
    ];

    /// The spec's table, counted by hand: rows of `from` with their allowed events.
    #[test]
    fn each_state_allows_exactly_the_events_of_the_spec() {
        let counts = STATES.map(|state| allowed_events(state).count());
        assert_eq!(counts, [2, 4, 2, 2, 0]);
        assert_eq!(next_state(None, Event::new(Kind::Motion, Role::Proposer)), Some(STATES[0]));
        assert!(STATES.iter().all(|&state| {
            next_state(Some(state), Event::new(Kind::Motion, Role::Proposer)).is_none()
        }));
    }

    #[test]
    fn resolution_with_automatic_ruling_closes_a_debate() {
        let resolved =
            next_state(Some(State::AwaitingProposer), Event::new(Kind::Resolution, Role::Proposer));
        assert_eq!(resolved, Some(State::AwaitingArbitrator));
        assert_eq!(next_state(resolved, Event::closing_ruling()), Some(State::Closed));
    }

    #[test]
    fn event_of_the_wrong_role_is_forbidden() {
        let report_wrong = [
            Event::new(Kind::Appeal, Role::Opponent),
            Event::new(Kind::Ruling, Role::Proposer),
            Event::new(Kind::Claim, Role::Arbitrator),
            Event { kind: Kind::Claim, role: Role::Opponent, closes: true },
        ];
        for (state, event) in
            STATES.iter().flat_map(|state| report_wrong.map(|event| (state, event)))
        {
            assert_eq!(next_state(Some(*state), event), None, "{state:?} {event:?}");
        }
    }
}
